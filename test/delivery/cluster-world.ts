/** Several nodes' lines and outboxes over one database, whose renders, sends and deaths are in the test's hand. */

import { createOutbox, type Outbox } from '../../api/callbacks/drain-outbox.ts';
import type { Attempt, Callback } from '../../api/callbacks/send-callback.ts';
import { type DeliveryLine, deliveryLine } from '../../api/delivery/delivery-line.ts';
import { revisionOf } from '../../api/devices/shown-item.ts';
import type { RenderedPicture, WantedPicture } from '../../api/drawing/wanted-picture.ts';
import { alone } from '../../cluster/alone.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { LeaseLost } from '../../cluster/cluster.ts';
import { channelTopics } from '../../cluster/nodes/channel-topics.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { type Database, transact } from '../../runtime/database/database.ts';
import { databaseNow } from '../../runtime/database/database-time.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { nodeHub } from '../cluster/node-hub.ts';
import { sealKey } from '../integration/integration-world.ts';
import { type LineWorld, withLine } from './delivery-world.ts';

/** A node's half of the service that works by itself. */
export interface Core {
  readonly id: string;
  readonly cluster: Cluster;
  readonly line: DeliveryLine;
  readonly outbox: Outbox;
  /** The pictures that it rendered, in order, and how the next ones end. */
  readonly rendered: string[];
  render(wanted: WantedPicture): Promise<RenderedPicture>;
  /** The ids of the events that it sent, in order, and how the next ones end. */
  readonly sent: string[];
  send(callback: Callback): Promise<Attempt>;
  /** How often its line looked at everything. */
  passes: number;
  /** Lets it work until nothing is under way. */
  settles(): Promise<void>;
  /** Its heartbeats end. What it has under way goes on, as after a pause. */
  dies(): Promise<void>;
}

/** Nodes over one database. */
export interface ClusterInHand {
  readonly cores: readonly [Core, Core, ...Core[]];
  /** Gives the single tasks to another node. */
  singleAt(core: Core): void;
  /** Delivers all messages between nodes. */
  deliverAll(): void;
  /** Lets time pass in small steps, in which everything that is begun is done. */
  elapses(ms: number): Promise<void>;
}

const hourMs = 3_600_000;
const stepMs = 1_000;
const idleTurns = 40;

/** Opens nodes `n0`, `n1`, …, of which the first does the single tasks. They look when the test has them do so. */
export async function withCluster(
  count: number,
  run: (world: LineWorld, cluster: ClusterInHand) => Promise<void>,
): Promise<void> {
  await withLine(async (world) => {
    // The line of a process that is alone has no part in this.
    await world.line.stop();
    const hub = nodeHub({ byHand: true });
    const living = new Set<string>();
    const single = { at: 'n0' };
    const beginnings = new Map<string, (() => void)[]>();
    const cores: Core[] = [];
    for (let at = 0; at < count; at++) {
      const id = `n${at}`;
      await world.db('nodes').insert(aliveRow(world.db, id));
      living.add(id);
      const cluster = clusterOf(id, { hub, living, single, beginnings });
      cores.push(coreOf(world, { ...cluster, id }, living));
    }
    const working = () => Promise.all(cores.map((core) => Promise.race([core.settles(), turns(world.db)])));
    for (const { line } of cores) line.start();
    await working();
    await run(world, {
      cores: cores as [Core, Core, ...Core[]],
      singleAt(core) {
        single.at = core.id;
        for (const begin of beginnings.get(core.id) ?? []) begin();
      },
      deliverAll: hub.deliverAll,
      async elapses(ms) {
        for (let passed = 0; passed < ms; passed += stepMs) {
          world.clock.passes(Math.min(stepMs, ms - passed));
          hub.deliverAll();
          await turns(world.db);
        }
      },
    });
    for (const core of cores) {
      core.render = async () => ({ ok: false, reason: 'the test is over' });
      await Promise.race([core.line.stop(), turns(world.db)]);
    }
  });
}

function aliveRow(db: Database, id: string) {
  const now = databaseNow(db);
  const times = { started_at: db.raw(now), heartbeat_at: db.raw(`${now} + ${hourMs}`) };
  return { id, name: id, version: '1', address: `http://${id}`, ...times };
}

/** Enough turns of the event loop for everything that does not wait for the clock, on a busy machine too. */
async function turns(db: Database): Promise<void> {
  const { pool }: { pool: { numUsed(): number; numPendingAcquires(): number } } = db.client;
  let busyTurns = 0;
  // Pictures are stored in files, and between two of its queries a work holds no connection for a few turns.
  for (let idle = 0; idle < idleTurns; idle++) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    const isStoring = process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'));
    const isBusy = isStoring || pool.numUsed() + pool.numPendingAcquires() > 0;
    if (isBusy && busyTurns++ < 60_000) idle = 0;
  }
}

interface Shared {
  readonly hub: ReturnType<typeof nodeHub>;
  readonly living: ReadonlySet<string>;
  readonly single: { readonly at: string };
  readonly beginnings: Map<string, (() => void)[]>;
}

function clusterOf(id: string, { hub, living, single, beginnings }: Shared): Cluster {
  return {
    ...alone,
    id,
    living: () => [...living],
    channel: channelTopics(hub.channel(id)),
    single: {
      isOurs: () => single.at === id,
      async transact(db, work) {
        if (single.at !== id) throw new LeaseLost({ name: 'single tasks', epoch: 0 });
        return transact(db, work);
      },
      whenOurs: (begin) => void beginnings.set(id, [...(beginnings.get(id) ?? []), begin]),
    },
  };
}

function coreOf(world: LineWorld, cluster: Cluster & { readonly id: string }, living: Set<string>): Core {
  const { db, clock, random, lineDeps, deps } = world;
  const core: Core = {
    id: cluster.id,
    cluster,
    line: deliveryLine({
      ...lineDeps,
      cluster,
      async render(wanted) {
        core.rendered.push(revisionOf(wanted.shown));
        return core.render(wanted);
      },
      async showTimed() {
        core.passes++;
        return null;
      },
    }),
    outbox: createOutbox({
      db,
      clock,
      random,
      sealKey,
      rules: deps.settings,
      logger: silentLogger,
      cluster,
      async send(callback) {
        core.sent.push(JSON.parse(callback.body).eventId);
        return core.send(callback);
      },
    }),
    rendered: [],
    render: async ({ shown, panel }) => ({ ok: true, file: Buffer.from(`${revisionOf(shown)} ${panel.name}`) }),
    sent: [],
    send: async ({ mayBegin }) =>
      (await mayBegin()) ? { delivered: true, status: 204 } : { delivered: false, problem: reasonOf('not-to-be-sent') },
    passes: 0,
    settles: () => core.line.idle(),
    async dies() {
      living.delete(cluster.id);
      await db('nodes').where({ id: cluster.id }).update({ heartbeat_at: 1 });
    },
  };
  return core;
}

/** A promise that the test resolves. */
export function heldOpen<Result = void>(): { readonly until: Promise<Result>; end(result: Result): void } {
  let end: (result: Result) => void = () => {};
  const until = new Promise<Result>((resolve) => {
    end = resolve;
  });
  return { until, end: (result) => end(result) };
}

/** Resolves when something holds, which what is under way brings about without the clock. */
export async function untilHolds(holds: () => unknown): Promise<void> {
  for (let looks = 30_000; !(await holds()); looks--) {
    if (looks < 0) throw new Error(`never came true: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
