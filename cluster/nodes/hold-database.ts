/**
 * Keeps a database on PostgreSQL to one service: alone, or to nodes that know of each other. An advisory lock on a
 * connection shows that a process is there. It is written nowhere, and ends with the connection, so that no kill leaves
 * the database held. Each process takes a random lock, and looks for those of its own role: others who may take locks
 * in this database, or wait for one, keep nobody out.
 */
import { randomInt } from 'node:crypto';
import pg from 'pg';
import { Refusal, refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';

/** Who may use the database besides this process: nobody, or other nodes. */
export type DatabaseUse = 'alone' | 'as a node';

/** Dependencies of holding. `lost` is called when somebody else holds the database after the connection had ended. */
export interface HoldDatabaseDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  /** A direct address: behind a pooler a lock belongs to nobody. */
  readonly url: string;
  readonly lost: () => void;
}

/** A database that is held. */
export interface DatabaseHold {
  release(): Promise<void>;
}

/** The first half of the numbers of all these locks. */
const lockClass = 1_346_981_447;
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

/** Connects and takes a lock. @returns the refusal when a process is there that this one cannot be alongside */
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
  try {
    const until = clock.now() + patienceMs;
    const place = await takeLock(client, use);
    while (await isKeptOut(client, use, place)) {
      if (clock.now() >= until) {
        await client.end();
        return heldByOthers(use);
      }
      await new Promise<void>((resolve) => clock.after(200, resolve));
    }
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/**
 * Takes a lock whose number encodes how the database is used: one bit for a service that is alone, fifteen of the
 * schema's name, since a database may have several services, and sixteen random ones.
 * @returns the bits of the schema
 */
async function takeLock(client: pg.Client, use: DatabaseUse): Promise<number> {
  const { rows } = await client.query('select coalesce(hashtext(current_schema()), 0) & 32767 as place');
  const place = Number(rows[0]?.place);
  for (;;) {
    const number = ((use === 'alone' ? 1 : 0) << 31) | (place << 16) | randomInt(65_536);
    const taken = await client.query('select pg_try_advisory_lock($1, $2) as taken', [lockClass, number]);
    if (taken.rows[0]?.taken === true) return place;
  }
}

/** Of two processes that cannot be alongside each other the one that connected first stays. */
async function isKeptOut(client: pg.Client, use: DatabaseUse, place: number): Promise<boolean> {
  const { rows } = await client.query(
    `select 1 from pg_locks as locks
     join pg_stat_activity as other on other.pid = locks.pid
     join pg_stat_activity as own on own.pid = pg_backend_pid()
     where locks.locktype = 'advisory' and locks.granted and locks.objsubid = 2
       and locks.database = (select oid from pg_database where datname = current_database())
       and locks.classid = $1::bigint::oid and (locks.objid::bigint >> 16) & 32767 = $2
       and (locks.objid::bigint >> 31 = 1 or $3) and other.usesysid = own.usesysid and other.pid <> own.pid
       and (other.backend_start, other.pid) < (own.backend_start, own.pid)
     limit 1`,
    [lockClass, place, use === 'alone'],
  );
  return rows.length > 0;
}

function heldByOthers(use: DatabaseUse): Refusal {
  return refuse('bad-configuration', {
    message:
      use === 'alone'
        ? 'DATABASE_URL: another service runs over this database'
        : 'PAPERGATE_NODE_NAME: a service without a node name runs over this database',
    hint:
      use === 'alone'
        ? 'end it first; to run several side by side, give every one a name with PAPERGATE_NODE_NAME'
        : 'end it first, and start it again with a node name of its own',
  });
}
