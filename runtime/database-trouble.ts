/**
 * Troubles of PostgreSQL: what its errors mean for those who asked. An error is one of these only when the connection
 * to the database threw it, since the network's own codes do not show who was called.
 */

import { type Reason, reasonOf } from '../reasons/reason.ts';
import { type Refusal, refuse } from '../reasons/refusals.ts';
import { errorCode } from './error-code.ts';

/** The problem, by the code of its sentence. */
export type DatabaseTrouble =
  | 'database-away'
  | 'database-busy'
  | 'database-full'
  | 'database-read-only'
  | 'database-too-slow';

/** Codes of PostgreSQL, by their beginnings. The longest that fits counts. */
const troubleOfCode: Readonly<Record<string, DatabaseTrouble>> = {
  '08': 'database-away',
  '57P': 'database-away',
  // A transaction that was idle for too long: its connection was ended.
  '25P03': 'database-away',
  '25P04': 'database-too-slow',
  '25006': 'database-read-only',
  '53': 'database-busy',
  '53100': 'database-full',
  '57014': 'database-too-slow',
  '55P03': 'database-too-slow',
  '40001': 'database-too-slow',
  '40P01': 'database-too-slow',
};

/** The error codes and messages with which a system or the driver reports a broken connection. */
const noConnection =
  /^(ECONN\w+|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/;
const noConnectionSaid =
  /^(Connection terminated|Connection ended|Client has encountered a connection error|Client was closed|timeout expired|Transaction's connection)/;

const troubles = new WeakMap<object, DatabaseTrouble>();

/** Finds out what an error of the database's connection means; undefined when it is of the statement itself. */
export function judgeTrouble(error: unknown): DatabaseTrouble | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = errorCode(error);
  for (let length = code.length; length >= 2; length--) {
    const found = troubleOfCode[code.slice(0, length)];
    if (found !== undefined) return found;
  }
  return noConnection.test(code) || noConnectionSaid.test(error.message) ? 'database-away' : undefined;
}

/** Remembers what an error means, and returns it. */
export function noteTrouble<Thrown>(error: Thrown, trouble: DatabaseTrouble | undefined): Thrown {
  if (trouble !== undefined && typeof error === 'object' && error !== null) troubles.set(error, trouble);
  return error;
}

/** Returns the trouble of the database that an error shows; undefined for every other error. */
export function databaseTroubleOf(error: unknown): DatabaseTrouble | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  return (
    troubles.get(error) ??
    (error instanceof AggregateError ? error.errors.map(databaseTroubleOf).find(Boolean) : undefined)
  );
}

/** People come again after this time: the service is back within ten seconds after its database. */
const retryAfterSeconds = 5;

const reasons: Readonly<Record<DatabaseTrouble, Reason>> = {
  'database-away': reasonOf('database-away'),
  'database-busy': reasonOf('database-busy'),
  'database-full': reasonOf('database-full'),
  'database-read-only': reasonOf('database-read-only'),
  'database-too-slow': reasonOf('database-too-slow'),
};

/** Returns the reason for an error that shows a trouble of the database; undefined for every other error. */
export function reasonOfTrouble(error: unknown): Reason | undefined {
  const trouble = databaseTroubleOf(error);
  return trouble && reasons[trouble];
}

/** The refusal of a call that met a trouble of the database; undefined for every other error. */
export function refusedTrouble(error: unknown): Refusal | undefined {
  const message = reasonOfTrouble(error);
  if (message === undefined) return undefined;
  return refuse('unavailable', { message, hint: reasonOf('database-remedy'), retryAfterSeconds });
}
