/** The variables that control how a process works with PostgreSQL. */
import { z } from 'zod';
import { type DatabaseLimits, defaultDatabaseLimits } from '../../../runtime/database/database-limits.ts';
import { loginMistake, parseUrl } from '../../../runtime/read-address.ts';

const seconds = (least: number, most: number, defaultMs: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, `a whole number of seconds from ${least} to ${most}`)
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .default(defaultMs / 1000);

const leastConnections = 4;
const maxConnections = 200;

/** The variables of the connections to PostgreSQL. */
export const databaseVariables = {
  DATABASE_URL: postgresUrl().optional(),
  DATABASE_DIRECT_URL: postgresUrl().optional(),
  PAPERGATE_DATABASE_POOL: z
    .string()
    .regex(/^\d{1,5}$/, `a number of connections from ${leastConnections} to ${maxConnections}`)
    .transform(Number)
    .pipe(z.number().min(leastConnections).max(maxConnections))
    .default(defaultDatabaseLimits.connections),
  PAPERGATE_DATABASE_WAIT_SECONDS: seconds(1, 60, defaultDatabaseLimits.waitMs),
  PAPERGATE_DATABASE_STATEMENT_SECONDS: seconds(1, 3_600, defaultDatabaseLimits.statementMs),
  PAPERGATE_DATABASE_LOCK_SECONDS: seconds(1, 3_600, defaultDatabaseLimits.lockMs),
  PAPERGATE_DATABASE_IDLE_SECONDS: seconds(2, 3_600, defaultDatabaseLimits.idleMs),
} as const;

/** The address of one server. Several in one address are what other drivers know, and this one would take for a name. */
function postgresUrl() {
  return z.string().superRefine((text, context) => {
    const mistake = loginMistake(text) ?? addressMistake(text);
    if (mistake !== undefined) context.addIssue(mistake);
  });
}

function addressMistake(text: string): string | undefined {
  if (!/^postgres(?:ql)?:$/.test(parseUrl(text)?.protocol ?? '')) {
    return 'is not the address of a database, such as postgres://user:password@db.example.org:5432/papergate';
  }
  return namesSeveral(text)
    ? 'names several servers: name one address that leads to the one that takes changes (docs/storage.md)'
    : undefined;
}

/** Returns whether a comma stands where an address names its server. */
function namesSeveral(url: string): boolean {
  const [, rest = ''] = url.split('//', 2);
  const [server = ''] = rest.split(/[/?#]/, 1);
  return server.slice(server.lastIndexOf('@') + 1).includes(',');
}

/** The settings that the limits depend on. */
export type DatabaseSettings = {
  readonly [Name in `PAPERGATE_DATABASE_${'POOL' | `${'WAIT' | 'STATEMENT' | 'LOCK' | 'IDLE'}_SECONDS`}`]: number;
};

/** Returns the limits that the settings name. */
export function limitsOf(settings: DatabaseSettings): DatabaseLimits {
  return {
    connections: settings.PAPERGATE_DATABASE_POOL,
    waitMs: settings.PAPERGATE_DATABASE_WAIT_SECONDS * 1000,
    statementMs: settings.PAPERGATE_DATABASE_STATEMENT_SECONDS * 1000,
    lockMs: settings.PAPERGATE_DATABASE_LOCK_SECONDS * 1000,
    idleMs: settings.PAPERGATE_DATABASE_IDLE_SECONDS * 1000,
  };
}
