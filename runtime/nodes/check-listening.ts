/** Finds out whether notifications arrive on a connection to this address: through a pooler they do not. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { refuse } from '../refusals.ts';

const arrivesMs = 3_000;

/**
 * Listens, notifies itself, and waits for it.
 * @param variable the name of the variable that holds the address, for the refusal
 * @throws Refusal `bad-configuration` when nothing arrives
 */
export async function checkListening(url: string, variable: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: arrivesMs, query_timeout: arrivesMs });
  client.on('error', () => {});
  await client.connect();
  let timer: NodeJS.Timeout | undefined;
  try {
    const channel = `papergate_check_${randomUUID()}`;
    const heard = new Promise<boolean>((resolve) => {
      client.on('notification', () => resolve(true));
      timer = setTimeout(() => resolve(false), arrivesMs);
    });
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    await client.query('select pg_notify($1, $2)', [channel, '']);
    if (!(await heard)) throw deaf(variable);
  } finally {
    clearTimeout(timer);
    await client.end().catch(() => {});
  }
}

function deaf(variable: string) {
  return refuse('bad-configuration', {
    message: `${variable}: notifications do not arrive on a connection to it, as through a pooler in transaction mode`,
    hint: 'set DATABASE_DIRECT_URL to the address of PostgreSQL itself; nodes hear each other over that one connection',
  });
}
