/**
 * Keeps a database on PostgreSQL to one service: alone, or to nodes that know of each other. The server's own lock on a
 * connection says so. It is written nowhere, and ends with the connection, so that no kill leaves the database held.
 */
import pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { Refusal, refuse } from '../refusals.ts';

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
 * @throws Refusal `bad-configuration` while a process that shares it not holds it, or a stranger has the lock
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
          if (held instanceof Refusal) deps.lost();
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
  if (held instanceof Refusal) throw held;
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

/** Connects and takes the lock. @returns the refusal when somebody else keeps it */
async function tryToHold({ url, clock }: HoldDatabaseDeps, use: DatabaseUse): Promise<pg.Client | Refusal> {
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
    const stranger = await findStranger(client);
    await client.end();
    return stranger === undefined ? heldByOthers(use) : heldByStranger(stranger);
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** A holder of the lock that is no service over these rows: another role of the same server may take any lock. */
interface Stranger {
  readonly pid: number;
  readonly role: string;
}

/** Finds a holder that is of another role than this service. Everybody may read these columns of the two views. */
async function findStranger(client: pg.Client): Promise<Stranger | undefined> {
  const { rows } = await client.query(
    `select locks.pid, coalesce(activity.usename, 'unknown') as role
     from pg_locks as locks left join pg_stat_activity as activity on activity.pid = locks.pid
     where locks.locktype = 'advisory' and locks.granted and locks.objsubid = 2
       and locks.database = (select oid from pg_database where datname = current_database())
       and (locks.classid, locks.objid) = (select key[1]::oid, (key[2]::bigint & 4294967295)::oid from (select array[${lockKey}] as key) as keys)
       and activity.usename is distinct from current_user
     limit 1`,
  );
  return rows[0];
}

function heldByStranger({ pid, role }: Stranger): Refusal {
  return refuse('bad-configuration', {
    message: `DATABASE_URL: the role "${role}" (process ${pid} of the server) has the lock that keeps this database to one service`,
    hint: `as its owner: revoke connect on database … from public (docs/nodes.md); as superuser: select pg_terminate_backend(${pid})`,
  });
}

function heldByOthers(use: DatabaseUse): Refusal {
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
