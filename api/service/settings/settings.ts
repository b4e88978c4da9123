/** The process's configuration: every variable in one schema, all mistakes at once, each with its name. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { alertVariables, checkAlerts } from '../../alerts/alert-settings.ts';
import { defaultClaims } from '../../devices/claims.ts';
import { defaultUserAgent } from '../../outgoing/who-asks.ts';
import { defaultSimulatedFrames } from '../../simulated/make-simulated.ts';
import { archiveVariables, checkArchive } from './archive-settings.ts';
import { databaseVariables } from './database-settings.ts';
import { checkFiles, fileVariables } from './file-settings.ts';
import { hassVariables } from './hass-settings.ts';
import { keptBackups } from './kept-backups.ts';
import { completeEnvironment, hostMistake, reachableHost } from './one-address.ts';
import { checkPost, postVariables } from './post-settings.ts';
import {
  baseUrl,
  catalogues,
  homeEntries,
  listeningHost,
  longSecret,
  names,
  organizationIds,
  origins,
  pictureFolders,
  port,
  ranges,
  userAgent,
  wholeSetting,
} from './setting-shapes.ts';

const variables = z.object({
  PAPERGATE_DATA: z.string().min(1).default('./data'),
  PAPERGATE_HOST: reachableHost,
  PAPERGATE_HTTP_PORT: port.default(3000),
  PAPERGATE_HTTP_HOST: listeningHost,
  PAPERGATE_MQTT_PORT: port.default(1883),
  PAPERGATE_MQTTS_PORT: port.default(8883),
  PAPERGATE_MQTT_HOST: listeningHost,
  PAPERGATE_MQTT_NAMES: names,
  PAPERGATE_PUBLIC_URL: baseUrl,
  PAPERGATE_FRAME_URL: baseUrl,
  PAPERGATE_DOWNLOAD_URL: baseUrl,
  PAPERGATE_TRUSTED_PROXIES: ranges,
  PAPERGATE_CORS_ORIGINS: origins,
  PAPERGATE_CATALOGUES: catalogues,
  PAPERGATE_HOME_NETWORKS: homeEntries,
  PAPERGATE_HOME_NETWORKS_NOT_FOR: organizationIds,
  PAPERGATE_PICTURE_FOLDERS: pictureFolders,
  PAPERGATE_USER_AGENT: userAgent.default(defaultUserAgent),
  PAPERGATE_PAST_PICTURES: wholeSetting(0, 9_999_999, ' of MiB (0 for none)', 2048).default(2_048),
  PAPERGATE_ORGANIZATIONS: wholeSetting(1, 999_999, ' of organizations', 20).default(20),
  PAPERGATE_CLAIMS: wholeSetting(0, 999_999, ' of claims (0 for none)', defaultClaims.most).default(defaultClaims.most),
  PAPERGATE_CLAIM_DAYS: wholeSetting(1, 9_999, ' of days', defaultClaims.days).default(defaultClaims.days),
  PAPERGATE_SIMULATED_FRAMES: wholeSetting(0, 999, ' of frames (0 for none)', defaultSimulatedFrames).default(
    defaultSimulatedFrames,
  ),
  PAPERGATE_ORGANIZATION_STORAGE: wholeSetting(0, 9_999_999, ' of MiB (0 for no bound)', 2048).optional(),
  PAPERGATE_DRAIN_SECONDS: wholeSetting(0, 300, ' of seconds', 30).optional(),
  PAPERGATE_SECRET_KEY: longSecret.optional(),
  PAPERGATE_BACKUPS: z.string().min(1).optional(),
  PAPERGATE_BACKUP_KEEP: wholeSetting(0, 999, ' of backups (0 for none)', 7).optional(),
  PAPERGATE_BACKUP_KEY: longSecret.optional(),
  ...archiveVariables,
  PAPERGATE_BROWSER: z.string().min(1).optional(),
  /** Read by Node itself: files of authorities that are trusted besides the usual ones. */
  NODE_EXTRA_CA_CERTS: z.string().min(1).optional(),
  PAPERGATE_MEMORY: wholeSetting(100, 9_999_999, ' of MiB, without a unit,', 1024).optional(),
  PAPERGATE_BROWSER_IDLE_MINUTES: wholeSetting(0, 9_999, ' of minutes (0 for a browser that stays)', 10).default(10),
  PAPERGATE_JWKS_URL: z.url().optional(),
  PAPERGATE_JWT_ISSUER: z.string().min(1).default('papergate'),
  PAPERGATE_JWT_AUDIENCE: z.string().min(1).default('papergate'),
  PAPERGATE_OIDC_CLIENT_ID: z.string().min(1).optional(),
  PAPERGATE_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  PAPERGATE_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  PAPERGATE_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{43,}$/, 'at least 43 characters and no spaces, for example of: openssl rand -hex 32')
    .optional(),
  ...hassVariables,
  ...postVariables,
  ...databaseVariables,
  PAPERGATE_NODE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?$/, 'letters, digits and hyphens between them, 32 at most')
    .optional(),
  ...fileVariables,
  ...alertVariables,
  REDIS_URL: z.undefined({ error: 'nodes tell each other what happens through PostgreSQL; leave it out' }).optional(),
  PAPERGATE_MESSAGE_SOURCE_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, 'lower-case letters, digits and hyphens, 32 at most, a letter first')
    .default('service'),
  PAPERGATE_PUBLIC_RECIPES: z.enum(['enabled', 'disabled']).default('disabled'),
  INTEGRATION_PROCESSING: z.enum(['enabled', 'disabled']).default('enabled'),
  INTEGRATION_ALLOW_LOCALHOST: z.enum(['true', 'false']).default('false'),
  NODE_ENV: z.string().optional(),
  PATH: z.string().optional(),
});

type Variables = z.output<typeof variables>;

/** Variables that are missing or do not fit together, each with the mistake. */
const environment = variables.superRefine((given, context) => {
  const wrong = (variable: keyof Variables, message: string) =>
    context.addIssue({ code: 'custom', path: [variable], message });
  const host = hostMistake(given);
  if (host !== undefined) wrong('PAPERGATE_HOST', host);
  checkProvider(given, wrong);
  checkNode(given, wrong);
  checkFiles(given, wrong);
  checkArchive(given, wrong);
  checkAlerts(given, wrong);
  checkPost(given, wrong);
  if (given.PAPERGATE_NODE_NAME !== undefined && keptBackups(given) > 0) {
    wrong('PAPERGATE_BACKUP_KEEP', 'each node would make one: run papergate backup create on one of them instead');
  }
});

type Wrong = (variable: keyof Variables, message: string) => void;

/** People can sign in only with a provider whose address and keys are named. */
function checkProvider(given: Variables, wrong: Wrong): void {
  const { PAPERGATE_OIDC_CLIENT_ID: clientId, PAPERGATE_OIDC_CLIENT_SECRET: secret } = given;
  if (clientId === undefined) {
    if (secret !== undefined) wrong('PAPERGATE_OIDC_CLIENT_SECRET', 'belongs to PAPERGATE_OIDC_CLIENT_ID: set both');
    return;
  }
  if (given.PAPERGATE_JWKS_URL === undefined) {
    wrong('PAPERGATE_OIDC_CLIENT_ID', "needs PAPERGATE_JWKS_URL, the address of the provider's keys");
  }
  if (!/^https?:\/\/[^\s?#@]+$/.test(given.PAPERGATE_JWT_ISSUER) || !URL.canParse(given.PAPERGATE_JWT_ISSUER)) {
    wrong('PAPERGATE_OIDC_CLIENT_ID', "needs PAPERGATE_JWT_ISSUER, the provider's address: https://...");
  }
}

/** One of several nodes needs what they have in common. */
function checkNode(given: Variables, wrong: Wrong): void {
  if (given.DATABASE_DIRECT_URL !== undefined && given.DATABASE_URL === undefined) {
    wrong('DATABASE_DIRECT_URL', 'is the same database as DATABASE_URL without a pooler between: set both');
  }
  if (given.PAPERGATE_NODE_NAME === undefined) return;
  const needs = (variable: keyof Variables, message: string): void => {
    if (given[variable] === undefined)
      wrong(variable, `PAPERGATE_NODE_NAME makes this one of several nodes: ${message}`);
  };
  needs('DATABASE_URL', 'they share a database on PostgreSQL');
  needs('PAPERGATE_SECRET_KEY', 'all need the same secret, for example of: openssl rand -hex 32');
  needs('PAPERGATE_PUBLIC_URL', 'name the address of the balancer in front of them');
}

/** The configuration of a process. An empty variable counts as absent. */
export type Settings = z.output<typeof environment>;

/**
 * Reads the configuration, with what files and the one address give (`completeEnvironment`).
 * @throws Refusal `bad-configuration` with every mistake
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(
    Object.entries(completeEnvironment(env)).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(given);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw refuse('bad-configuration', {
    message: mistakes.join('\n'),
    hint: 'see the table of variables in docs/variables.md',
  });
}
