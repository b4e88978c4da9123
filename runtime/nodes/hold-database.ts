/**
 * Keeps a database on PostgreSQL to one service: alone, or to nodes that know of each other. The server's own lock on a
 * connection says so. It is written nowhere, and ends with the connection, so that no kill leaves the database held.
 */
import pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { refuse } from '../refusals.ts';

/** Who may use the database besides this process: nobody, or other nodes. */
export type DatabaseUse = 'alone' | 'as a node';

/** Dependencies of holding. `lost` is called when somebody else holds the database after the connection had ended. */
export interface HoldDatabaseDeps {
  /** A direct address: behind a pooler a lock belongs to nobody. */
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lost: () => void;
}

/** A database that is held. */
export interface DatabaseHold {
  release(): Promise<void>;
}

/** A number that nobody else takes for a lock of theirs, and one for the schema: a database may have several services. */
const lockKey = '1346981447, hashtext(current_schema())';
const connectMs = 5_000;
const againMs = 1_000;
/** A killed process's lock ends with its connection, which the server may notice a little later. */
const patienceMs = 3_000;

/**
 * Holds the database until it is released. After a failover it is held again as soon as the server is back.
 * @throws Refusal `bad-configuration` while a process that shares it not holds it
 */
export async function holdDatabase(deps: HoldDatabaseDeps, use: DatabaseUse): Promise<DatabaseHold> {
  const { clock, logger } = deps;
  let client: pg.Client | undefined;
  let isReleased = false;

  const keep = (held: pg.Client): void => {
    client = held;
    const ended = (): void => {
      if (client !== held || isReleased) return;
      client = undefined;
      logger.warn({}, 'the connection that holds the database ended; it is made again');
      void held.end().catch(() => {});
      again();
    };
    held.on('error', ended).on('end', ended);
  };
  const again = (): void => {
    clock.after(againMs, () => {
      if (isReleased) return;
      tryToHold(deps, use).then(
        (held) => {
          if (held === undefined) deps.lost();
          else if (isReleased) held.end().catch(() => {});
          else keep(held);
        },
        (error: unknown) => {
          logger.debug({ error }, 'the database cannot be held yet');
          again();
        },
      );
    });
  };

  const held = await tryToHold(deps, use);
  if (held === undefined) throw heldByOthers(use);
  keep(held);
  return {
    async release() {
      isReleased = true;
      const ending = client;
      client = undefined;
      await ending?.end().catch(() => {});
    },
  };
}

/** Connects and takes the lock; undefined when somebody else keeps it. */
async function tryToHold({ url, clock }: HoldDatabaseDeps, use: DatabaseUse): Promise<pg.Client | undefined> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'papergate, holding the database',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: connectMs,
  });
  // Without a listener an error of a connection would end the process.
  client.on('error', () => {});
  await client.connect();
  const lock = use === 'alone' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  try {
    const until = clock.now() + patienceMs;
    for (;;) {
      const { rows } = await client.query(`select ${lock}(${lockKey}) as held`);
      if (rows[0]?.held === true) return client;
      if (clock.now() >= until) break;
      await new Promise<void>((resolve) => clock.after(200, resolve));
    }
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  await client.end();
  return undefined;
}

function heldByOthers(use: DatabaseUse) {
  return refuse('bad-configuration', {
    message:
      use === 'alone'
        ? 'DATABASE_URL: another service runs over this database'
        : 'PAPERGATE_NODE_NAME: a service without a node name runs over this database',
    hint:
      use === 'alone'
        ? 'end it first; to run several beside each other, give every one a name with PAPERGATE_NODE_NAME'
        : 'end it first, and start it again with a node name of its own',
  });
}
