/**
 * The life of this process among others over the same database: a row with a heartbeat. All times are the database's, so
 * that nodes whose clocks differ agree who is alive.
 */

import { Refusal, refuse } from '../../reasons/refusals.ts';
import type { Clock, Timer } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import { databaseNow, readDatabaseTime } from '../../runtime/database/database-time.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { NodeEnd } from '../cluster.ts';
import { measureSkew, requireRightClock } from './compare-clocks.ts';
import type { nodesTables } from './tables.ts';

export const heartbeatMs = 3_000;
/**
 * A node whose last heartbeat is older than this is dead: its frames are nowhere, and its work is taken over. Three
 * heartbeats in a row may come late, and with the time until another node looks it is less than twenty seconds.
 */
export const deadAfterMs = 12_000;
/** A row that a killed node left stands still; one of a living node moves within this time. */
const watchNameMs = heartbeatMs + 1_000;

/** The identity of a node. `id` is new at every start, `name` is its operator's choice. */
export interface NodeIdentity {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** The number of the schema that its release makes. */
  readonly schema: number;
  /** The address at which its people's API is reached. */
  readonly address: string;
}

/** A node as all nodes see it. Times are epoch milliseconds of the database. */
export interface NodeSeen extends NodeIdentity {
  readonly startedAt: number;
  readonly heartbeatAt: number;
  readonly state: 'alive' | 'draining' | 'dead';
  /** It hears nothing of the others on their channel. */
  readonly isDeaf: boolean;
}

/** This process as a node. */
export interface NodeLife {
  /** Resolves when this node has to end: somebody asked for it, another one has its name, or the tables are too new. */
  readonly asked: Promise<NodeEnd>;
  /** Says where this node is reached. */
  reached(address: string): Promise<void>;
  /** The present time by the database's clock, as far as it was read at the last heartbeat. */
  now(): number;
  /** Every node with a row, by name, as of the last heartbeat. */
  nodes(): readonly NodeSeen[];
  /**
   * True when this node's heartbeats came without a gap for as long as makes another one dead: the silence of others is
   * their own then. After a failure of the database every node is silent, and none of them is dead.
   */
  isSteady(): boolean;
  /** Says that this node takes no new work. */
  drain(): Promise<void>;
  /** Takes this node's row away. */
  leave(): Promise<void>;
}

/** Dependencies of a node's life. `beaten` is called after every heartbeat. */
export interface NodeLifeDeps extends Pick<CommonDeps, 'db' | 'clock' | 'logger'> {
  /**
   * Makes sure that this release works over the tables as they are. It is asked after a silence for which others took
   * this node for dead, since a newer release may have removed then what this one needs.
   * @throws Refusal `newer-database`
   */
  readonly requireReadable?: () => Promise<void>;
  readonly beaten: (nodes: readonly NodeSeen[]) => void;
  /** Returns whether this node hears nothing of the others, for its row. */
  readonly isDeaf?: () => boolean;
}

type NodeRow = RowIn<typeof nodesTables, 'nodes'>;

/** Reads every node, by name. */
export async function readNodes(db: Database): Promise<{ readonly now: number; readonly nodes: readonly NodeSeen[] }> {
  const now = await readDatabaseTime(db);
  const rows: NodeRow[] = await db('nodes').orderBy('name').select('*');
  return { now, nodes: rows.map((row) => seen(row, now)) };
}

function seen({ started_at, heartbeat_at, draining, deaf, ...identity }: NodeRow, now: number): NodeSeen {
  const state = now - heartbeat_at > deadAfterMs ? 'dead' : draining === 1 ? 'draining' : 'alive';
  // The column is younger than the table.
  return {
    ...identity,
    schema: identity.schema ?? 1,
    startedAt: started_at,
    heartbeatAt: heartbeat_at,
    state,
    isDeaf: deaf === 1,
  };
}

/**
 * Makes this process a node, and keeps its row alive.
 * @throws Refusal `bad-configuration` while another living node has the name, or when this machine's clock is wrong
 */
export async function joinNodes(deps: NodeLifeDeps, identity: NodeIdentity): Promise<NodeLife> {
  const { db, clock, logger, beaten } = deps;
  await requireRightClock(db, clock);
  await takeName(db, clock, identity);
  const steadiness = heartbeatsInARow(clock);
  let skewMs = 0;
  let known: readonly NodeSeen[] = [];
  let timer: Timer | undefined;
  let beating: Promise<void> = Promise.resolve();
  let isGone = false;
  let isDraining = false;
  let wasSilent = false;
  let { address } = identity;

  let end: (why: NodeEnd) => void = () => {};
  const asked = new Promise<NodeEnd>((resolve) => {
    end = resolve;
  });

  async function beat(): Promise<void> {
    const [own] = await db('nodes')
      .where({ id: identity.id })
      .update({ heartbeat_at: db.raw(databaseNow(db)), deaf: deps.isDeaf?.() === true ? 1 : 0 })
      .returning('draining');
    // Somebody forgot this node while it did not answer.
    if (own === undefined && !(await insertNode(db, { ...identity, address }, isDraining))) end('forgotten');
    if (own?.draining === 1 && !isDraining) end('drain');
    wasSilent ||= own === undefined || steadiness.silentMs() > deadAfterMs;
    // The row is alive again, so that nobody can take anything away after the look.
    if (wasSilent) await deps.requireReadable?.().catch((error: unknown) => end(onlyRefusal(error)));
    wasSilent = false;
    skewMs = await measureSkew(db, clock);
    known = (await readNodes(db)).nodes;
    steadiness.beaten();
  }

  const keepBeating = (): void => {
    beating = beat()
      .then(() => beaten(known))
      .catch((error: unknown) => logger.warn({ error }, 'the heartbeat of this node was not recorded'))
      .finally(() => {
        if (!isGone) timer = clock.after(heartbeatMs, keepBeating);
      });
  };
  await beat();
  timer = clock.after(heartbeatMs, keepBeating);

  return {
    asked,
    async reached(now) {
      address = now;
      await db('nodes').where({ id: identity.id }).update({ address });
    },
    now: () => Math.round(clock.now() + skewMs),
    nodes: () => known,
    isSteady: steadiness.isSteady,
    async drain() {
      isDraining = true;
      await db('nodes').where({ id: identity.id }).update({ draining: 1 });
    },
    async leave() {
      isGone = true;
      timer?.cancel();
      // A heartbeat that is under way would make the row again.
      await beating;
      await db('nodes').where({ id: identity.id }).delete();
    },
  };
}

function onlyRefusal(error: unknown): Refusal {
  if (error instanceof Refusal && error.code === 'newer-database') return error;
  throw error;
}

/** Returns for how long heartbeats have come without a gap, or how long none came, by the clock of this machine. */
function heartbeatsInARow(clock: Clock) {
  const maxGapMs = 2 * heartbeatMs;
  let since = clock.now();
  let lastAt = since;
  return {
    silentMs: (): number => clock.now() - lastAt,
    beaten(): void {
      const now = clock.now();
      if (now - lastAt > maxGapMs) since = now;
      lastAt = now;
    },
    isSteady(): boolean {
      const now = clock.now();
      return now - lastAt <= maxGapMs && now - since >= deadAfterMs;
    },
  };
}

/** Makes the row of a node; false while another one has its name. */
async function insertNode(db: Database, identity: NodeIdentity, isDraining = false): Promise<boolean> {
  const now = databaseNow(db);
  const made = await db('nodes')
    .insert({ ...identity, draining: isDraining ? 1 : 0, started_at: db.raw(now), heartbeat_at: db.raw(now) })
    .onConflict('name')
    .ignore()
    .returning('id');
  return made.length > 0;
}

/** Makes the row, in place of one that a killed node of the same name left. */
async function takeName(db: Database, clock: Clock, identity: NodeIdentity): Promise<void> {
  if (await insertNode(db, identity)) return;
  const { name } = identity;
  const other: NodeRow | undefined = await db('nodes').where({ name }).first('*');
  await new Promise<void>((resolve) => clock.after(watchNameMs, resolve));
  const { id, heartbeat_at } = other ?? { id: '', heartbeat_at: 0 };
  await db('nodes').where({ id, heartbeat_at }).delete();
  if (await insertNode(db, identity)) return;
  throw refuse('bad-configuration', {
    message: `PAPERGATE_NODE_NAME: a node "${name}" runs already${other === undefined ? '' : `, at ${other.address}`}`,
    hint: 'give every node a name of its own, or end the other one first',
  });
}
