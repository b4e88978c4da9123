/** Finds out whether notifications arrive on a connection to this address: through a pooler they do not. */
import pg from 'pg';
import { refuse } from '../../reasons/refusals.ts';
import type { Timer } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { NamedAddress } from './same-database.ts';

const arrivesMs = 3_000;

/**
 * Listens on one connection, notifies by the way of the rows, and waits. One connection alone would prove nothing: a
 * pooler may give it the same server's connection for both, and pass on what arrives meanwhile.
 * @throws Refusal `bad-configuration` when nothing arrives
 */
export async function checkListening(
  { url, variable }: NamedAddress,
  { db, clock, random }: Pick<CommonDeps, 'db' | 'clock' | 'random'>,
): Promise<void> {
  const listener = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: arrivesMs,
    query_timeout: arrivesMs,
  });
  listener.on('error', () => {});
  let timer: Timer | undefined;
  try {
    await listener.connect();
    const channel = `papergate_check_${random.id()}`;
    const received = new Promise<boolean>((resolve) => {
      listener.on('notification', () => resolve(true));
      timer = clock.after(arrivesMs, () => resolve(false));
    });
    await listener.query(`listen ${pg.escapeIdentifier(channel)}`);
    await notifyThrough(db, channel, '');
    if (!(await received)) throw deaf(variable);
  } finally {
    timer?.cancel();
    await listener.end().catch(() => {});
  }
}

/** Sends a notification by the way of the rows. */
export async function notifyThrough(db: Database, channel: string, payload: string): Promise<void> {
  await db.raw('select pg_notify(?, ?)', [channel, payload]);
}

function deaf(variable: string) {
  return refuse('bad-configuration', {
    message: `${variable}: notifications do not arrive on a connection to it, as through a pooler in transaction mode, or on another server`,
    hint: 'set DATABASE_DIRECT_URL to the address of PostgreSQL itself; nodes hear each other over that one connection',
  });
}
