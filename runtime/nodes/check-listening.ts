/** Finds out whether notifications arrive on a connection to this address: through a pooler they do not. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Clock, Timer } from '../clock.ts';
import type { Database } from '../database.ts';
import { refuse } from '../refusals.ts';

const arrivesMs = 3_000;

/** The database that a connection leads to. Notifications stay within one. */
const whichDatabase =
  'select current_database() as name, (select oid from pg_database where datname = current_database()) as id';

/**
 * Listens on one connection, notifies by the way of the rows, and waits. One connection alone would prove nothing: a
 * pooler may give it the same server's connection for both, and pass on what arrives meanwhile.
 * @param variable the name of the variable that holds the address, for the refusal
 * @throws Refusal `bad-configuration` when nothing arrives, or the address leads to another database than the rows are in
 */
export async function checkListening(url: string, variable: string, db: Database, clock: Clock): Promise<void> {
  const listener = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: arrivesMs,
    query_timeout: arrivesMs,
  });
  listener.on('error', () => {});
  let timer: Timer | undefined;
  try {
    await listener.connect();
    const [here] = (await listener.query(whichDatabase)).rows;
    const [there] = (await db.raw(whichDatabase)).rows;
    if (here.name !== there.name || String(here.id) !== String(there.id))
      throw elsewhere(variable, here.name, there.name);
    const channel = `papergate_check_${randomUUID()}`;
    const heard = new Promise<boolean>((resolve) => {
      listener.on('notification', () => resolve(true));
      timer = clock.after(arrivesMs, () => resolve(false));
    });
    await listener.query(`listen ${pg.escapeIdentifier(channel)}`);
    await notifyThrough(db, channel, '');
    if (!(await heard)) throw deaf(variable);
  } finally {
    timer?.cancel();
    await listener.end().catch(() => {});
  }
}

/** Sends a notification by the way of the rows. */
export async function notifyThrough(db: Database, channel: string, payload: string): Promise<void> {
  await db.raw('select pg_notify(?, ?)', [channel, payload]);
}

function elsewhere(variable: string, here: string, there: string) {
  return refuse('bad-configuration', {
    message: `${variable}: leads to the database "${here}", and DATABASE_URL to "${there}": what nodes say stays within one`,
    hint: 'set both to the same database of the same server; DATABASE_DIRECT_URL goes around the pooler alone',
  });
}

function deaf(variable: string) {
  return refuse('bad-configuration', {
    message: `${variable}: notifications do not arrive on a connection to it, as through a pooler in transaction mode, or on another server`,
    hint: 'set DATABASE_DIRECT_URL to the address of PostgreSQL itself; nodes hear each other over that one connection',
  });
}
