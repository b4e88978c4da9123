/** Two addresses of one database: the one of PostgreSQL itself, and the one of the rows, perhaps through a pooler. */
import pg from 'pg';
import { refuse } from '../../reasons/refusals.ts';

const connectMs = 5_000;

/** An address, and the variable that holds it. */
export interface NamedAddress {
  readonly url: string;
  readonly variable: string;
}

/** The database that an address leads to. */
interface Led {
  readonly name: string;
  readonly id: string;
}

/**
 * Makes sure that both lead to one database, before anything is changed there: locks and notifications stay within one.
 * @param explain the refusal for an address that cannot be used
 * @throws Refusal `bad-configuration` when they lead to two
 */
export async function requireSameDatabase(
  direct: NamedAddress,
  rows: NamedAddress,
  explain: (error: unknown, variable: string) => Error | undefined,
): Promise<void> {
  const led = (address: NamedAddress): Promise<Led> =>
    whereLeads(address.url).catch((error: unknown) => {
      throw explain(error, address.variable) ?? error;
    });
  const [here, there] = [await led(direct), await led(rows)];
  if (here.name === there.name && here.id === there.id) return;
  throw refuse('bad-configuration', {
    message: `${direct.variable}: leads to the database "${here.name}", and ${rows.variable} to "${there.name}": what nodes say stays within one`,
    hint: `set both to the same database of the same server; ${direct.variable} goes around the pooler alone`,
  });
}

async function whereLeads(url: string): Promise<Led> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    query_timeout: connectMs,
  });
  // Without a listener an error of a connection would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(
      'select current_database() as name, (select oid::text from pg_database where datname = current_database()) as id',
    );
    return rows[0];
  } finally {
    await client.end().catch(() => {});
  }
}
