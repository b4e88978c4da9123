/** Explains a failed start, here alone: the variable or file that caused it, and what to do. */

import { Refusal, refuse } from '../../../reasons/refusals.ts';
import { refusedFile } from '../../../runtime/disk/refuse-file.ts';
import { errorCode } from '../../../runtime/error-code.ts';
import type { Settings } from '../settings/settings.ts';

/** A listener, by the names of the variables or options that set its address. */
export interface ListenFailure {
  readonly port: { readonly name: string; readonly value: number };
  readonly host: { readonly name: string; readonly value: string };
}

const portProblems: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  EADDRINUSE: ['is in use', 'end what listens there, or set another port'],
  EACCES: ['may not be opened by this user', 'set a port above 1023'],
};
const hostProblems: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'is not an address of this machine',
  EAFNOSUPPORT: 'is of a kind that this machine does not speak',
  EINVAL: 'is nothing to listen at',
  ENOTFOUND: 'is not a name that can be resolved',
  EAI_AGAIN: 'cannot be resolved now',
};

/** The refusal for an error of listening, naming variable and value; undefined for every other error. */
export function refusedListening(error: unknown, all: readonly ListenFailure[]): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const failed = error as NodeJS.ErrnoException & { port?: number; hostname?: string; address?: string };
  const { code = '', syscall, port, hostname, address } = failed;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  // Two variables that name one port are both named: the second one failed.
  const named = (found: readonly { name: string }[]) => [...new Set(found.map(({ name }) => name))].join(' and ');
  const ports = named(all.flatMap((one) => (one.port.value === port ? [one.port] : [])));
  const hosts = named(all.flatMap(({ host }) => (host.value === (hostname ?? address) ? [host] : [])));
  const [problem, hint] = portProblems[code] ?? [];
  if (problem !== undefined && hint !== undefined && ports !== '') {
    return refuse('bad-configuration', { message: `${ports}: port ${port} ${problem}`, hint });
  }
  if (hostProblems[code] === undefined || hosts === '') return undefined;
  return refuse('bad-configuration', {
    message: `${hosts}: ${hostname ?? address} ${hostProblems[code]}`,
    hint: 'set an address of this machine, or 0.0.0.0 for all it has',
  });
}

type Variables = Pick<
  Settings,
  'PAPERGATE_DATA' | `PAPERGATE_HTTP_${'HOST' | 'PORT'}` | `PAPERGATE_MQTT_${'HOST' | 'PORT'}` | 'PAPERGATE_MQTTS_PORT'
>;

function listeningOf(settings: Variables): readonly ListenFailure[] {
  const port = (name: 'PAPERGATE_HTTP_PORT' | 'PAPERGATE_MQTT_PORT' | 'PAPERGATE_MQTTS_PORT') => ({
    name,
    value: settings[name],
  });
  const host = (name: 'PAPERGATE_HTTP_HOST' | 'PAPERGATE_MQTT_HOST') => ({ name, value: settings[name] });
  return [
    { port: port('PAPERGATE_HTTP_PORT'), host: host('PAPERGATE_HTTP_HOST') },
    { port: port('PAPERGATE_MQTT_PORT'), host: host('PAPERGATE_MQTT_HOST') },
    { port: port('PAPERGATE_MQTTS_PORT'), host: host('PAPERGATE_MQTT_HOST') },
  ];
}

/** Error codes of PostgreSQL, its driver and the network for a server that cannot be asked, or not as this user. */
const unreachable =
  /^(42501|ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT|EACCES|ERR_INVALID_URL|(08|28|3D|57)\w{3}|53\d00|25006)$/;

const commonHint = 'start PostgreSQL, or correct its address, user, password and the name of the database';

/** The words of the codes that people meet. */
const databaseProblems: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  '3D000': [
    'the server has no database of this name',
    'correct the name, or create it: create database NAME owner ROLE',
  ],
  '28P01': ['the server refuses this user and password', 'correct them'],
  '28000': ['the server lets nobody in from here as this user', 'correct the user, or a line of pg_hba.conf'],
  '42501': [
    'this role may not make tables there',
    'make it the owner: alter database NAME owner to ROLE; since PostgreSQL 15 nobody else may write to the schema public',
  ],
  ECONNREFUSED: ['nobody answers at this address', 'start PostgreSQL, or correct host and port'],
  ENOTFOUND: ['there is no host of this name', 'correct the host'],
};

/**
 * The refusal for a database server that could not be used; undefined for every other error.
 * @param variable the variable that holds the address
 */
export function refusedDatabase(error: unknown, variable = 'DATABASE_URL'): Refusal | undefined {
  const code = errorCode(error);
  const isTimeout = error instanceof Error && error.name === 'KnexTimeoutError';
  if (!isTimeout && !unreachable.test(code)) return undefined;
  // The server's own words may quote the address, and that holds a password (T-12).
  const [problem = 'the database cannot be used', hint = commonHint] = databaseProblems[code] ?? [];
  const why = isTimeout ? 'no answer in time' : code;
  return refuse('bad-configuration', { message: `${variable}: ${problem} (${why})`, hint });
}

/**
 * Returns the refusal for any failure of a start: an error that is a refusal already, or one of the system's; undefined
 * for a bug.
 */
export function refusedStart(error: unknown, settings: Variables): Refusal | undefined {
  if (error instanceof Refusal) return error;
  return (
    refusedListening(error, listeningOf(settings)) ?? refusedFile(error, settings.PAPERGATE_DATA, 'PAPERGATE_DATA')
  );
}
