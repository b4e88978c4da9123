/** Finds out whether notifications arrive on a connection to this address: through a pooler they do not. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Clock, Timer } from '../clock.ts';
import { refuse } from '../refusals.ts';

const arrivesMs = 3_000;

/**
 * Listens on one connection, notifies on another, and waits. One connection alone would prove nothing: a pooler may give
 * it the same server's connection for both, and pass on what arrives meanwhile.
 * @param variable the name of the variable that holds the address, for the refusal
 * @throws Refusal `bad-configuration` when nothing arrives
 */
export async function checkListening(url: string, variable: string, clock: Clock): Promise<void> {
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: arrivesMs,
      query_timeout: arrivesMs,
    });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const [listener, teller] = [await connect(), await connect()];
  let timer: Timer | undefined;
  try {
    const channel = `papergate_check_${randomUUID()}`;
    const heard = new Promise<boolean>((resolve) => {
      listener.on('notification', () => resolve(true));
      timer = clock.after(arrivesMs, () => resolve(false));
    });
    await listener.query(`listen ${pg.escapeIdentifier(channel)}`);
    await teller.query('select pg_notify($1, $2)', [channel, '']);
    if (!(await heard)) throw deaf(variable);
  } finally {
    timer?.cancel();
    for (const client of [listener, teller]) await client.end().catch(() => {});
  }
}

function deaf(variable: string) {
  return refuse('bad-configuration', {
    message: `${variable}: notifications do not arrive on a connection to it, as through a pooler in transaction mode`,
    hint: 'set DATABASE_DIRECT_URL to the address of PostgreSQL itself; nodes hear each other over that one connection',
  });
}
