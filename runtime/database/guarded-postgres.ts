/**
 * PostgreSQL through knex, with limits on every connection. A connection that broke, or whose server no longer
 * takes changes, is never used again; one that does not answer is cut.
 */
import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import pg from 'pg';
import { type DatabaseTrouble, judgeTrouble, noteTrouble } from '../database-trouble.ts';
import { errorCode } from '../error-code.ts';
import type { DatabaseLimits } from './database-limits.ts';

/** A connection as knex keeps it: what is in `__knex__disposed` keeps the pool from giving it out. */
type Connection = pg.Client & {
  readonly connection: { readonly stream: { destroy(): void } };
  __knex__disposed?: unknown;
};

interface Query {
  readonly sql: string;
  response?: unknown;
}

/** Knex’s own client for PostgreSQL. Its parts are not promised: `test/runtime/private-parts.test.ts` looks at them. */
const KnexPostgres = createRequire(import.meta.url)('knex/lib/dialects/postgres') as new (
  config: Knex.Config,
) => Knex.Client & {
  acquireConnection(): Promise<Connection>;
  _query(connection: Connection, query: Query): Promise<Query>;
};

/** The common parts of one pool's connections. */
interface Guard {
  readonly limits: DatabaseLimits;
  /** A pooler refuses settings of a connection: each transaction brings them along then. */
  refusesSettings: boolean;
  /** Grows when a server turned out to take no changes: connections from before may lead to it, too. */
  generation: number;
}

/** The facts about one connection. */
interface Kept {
  readonly guard: Guard;
  readonly generation: number;
  /** The statements that begin a transaction, where the server did not take the settings with the connection. */
  readonly begin: string;
}

const keptOf = new WeakMap<object, Kept>();

/** A server that is not reached within this time is away. */
const connectMs = 5_000;
/** The server ends a statement by itself; a connection that is still silent so much later is dead. */
const graceMs = 5_000;
/** A silence of this time has the operating system ask whether the other side is there. */
const keepAliveMs = 10_000;

const settingsOf = ({ statementMs, lockMs, idleMs }: DatabaseLimits) => ({
  statement_timeout: String(statementMs),
  lock_timeout: String(lockMs),
  idle_in_transaction_session_timeout: String(idleMs),
});

/** Reads back, with the first statement of a connection, what holds there. */
function questionOf(limits: DatabaseLimits): string {
  const held = Object.entries(settingsOf(limits)).map(
    ([name, ms]) => `current_setting('${name}')::interval = '${ms} ms'::interval`,
  );
  return `select current_setting('transaction_read_only') = 'on' as closed, ${held.join(' and ')} as held`;
}

/** Returns the client for a pool with these limits. */
export function guardedPostgres(limits: DatabaseLimits): typeof Knex.Client {
  const guard: Guard = { limits, refusesSettings: false, generation: 0 };

  class GuardedPostgres extends KnexPostgres {
    async _acquireOnlyConnection(): Promise<Connection> {
      const { generation } = guard;
      try {
        const connection = await connect(this.connectionSettings as pg.ClientConfig, guard);
        const begin = await examine(connection, limits);
        keptOf.set(connection, { guard, generation, begin });
        return connection;
      } catch (error) {
        throw noteTrouble(error, judgeTrouble(error));
      }
    }

    override async validateConnection(connection: object): Promise<boolean> {
      return keptOf.get(connection)?.generation === guard.generation;
    }

    override async acquireConnection(): Promise<Connection> {
      try {
        return await super.acquireConnection();
      } catch (error) {
        const isTimeout = error instanceof Error && error.name === 'KnexTimeoutError';
        throw noteTrouble(error, isTimeout ? 'database-busy' : judgeTrouble(error));
      }
    }

    override async _query(connection: Connection, query: Query): Promise<Query> {
      const kept = keptOf.get(connection);
      const silent = cutWhenSilent(connection, limits);
      try {
        if (query.sql !== 'BEGIN;' || kept === undefined || kept.begin === '') {
          return await super._query(connection, query);
        }
        // One message, and so one answer: the settings cost no time of their own on the way.
        query.response = await connection.query(kept.begin);
        return query;
      } catch (error) {
        const trouble = judgeTrouble(error);
        if (trouble !== undefined) giveUp(connection, trouble, guard);
        throw noteTrouble(error, trouble);
      } finally {
        clearTimeout(silent);
      }
    }
  }
  return GuardedPostgres as unknown as typeof Knex.Client;
}

/** Keeps a connection from being used again, where the trouble is the connection's. */
function giveUp(connection: Connection, trouble: DatabaseTrouble, guard: Guard): void {
  if (trouble === 'database-read-only' && keptOf.get(connection)?.generation === guard.generation) guard.generation++;
  if (trouble === 'database-away') connection.__knex__disposed ??= trouble;
}

function cutWhenSilent(connection: Connection, { statementMs }: DatabaseLimits): NodeJS.Timeout | undefined {
  if (statementMs === 0) return undefined;
  return setTimeout(() => connection.connection.stream.destroy(), statementMs + graceMs);
}

/** Connects with the settings of the limits, or without them where a pooler refuses them. */
async function connect(settings: pg.ClientConfig, guard: Guard): Promise<Connection> {
  const client = new pg.Client({
    ...settings,
    ...(!guard.refusesSettings && (settingsOf(guard.limits) as unknown as pg.ClientConfig)),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    connectionTimeoutMillis: connectMs,
  }) as Connection;
  // Without a listener the end of a connection that nobody uses would end the process.
  client.on('error', (error) => {
    client.__knex__disposed = error;
  });
  client.on('end', () => {
    client.__knex__disposed ??= 'Connection ended unexpectedly';
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    void client.end().catch(() => {});
    const isRefused = errorCode(error) === '08P01' && /startup parameter/.test(String(error));
    if (!isRefused || guard.refusesSettings) throw error;
    guard.refusesSettings = true;
    return connect(settings, guard);
  }
}

/**
 * Looks at a new connection. Settings may have been dropped silently on the way, and the server may be one that only reads.
 * @returns what a transaction has to begin with; empty when the connection has the settings
 */
async function examine(connection: Connection, limits: DatabaseLimits): Promise<string> {
  const silent = setTimeout(() => connection.connection.stream.destroy(), connectMs);
  try {
    const { rows } = await connection.query(questionOf(limits));
    if (rows[0]?.closed === true) {
      throw Object.assign(new Error('the server only reads: it is a standby'), { code: '25006' });
    }
    if (rows[0]?.held === true) return '';
    const local = Object.entries(settingsOf(limits)).map(([name, ms]) => `set local ${name} = ${ms};`);
    return `begin; ${local.join(' ')}`;
  } catch (error) {
    void connection.end().catch(() => {});
    throw error;
  } finally {
    clearTimeout(silent);
  }
}
