/** The seat of a machine among several nodes: its name, its clock, its ways to the database and to the other nodes. */
import { alone } from '../../cluster/alone.ts';
import { type Cluster, LeaseLost, type SingleTask } from '../../cluster/cluster.ts';
import { openNode } from '../../cluster/nodes/open-node.ts';
import type { SessionRegistry } from '../../cluster/session-registry.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Random } from '../../runtime/random.ts';
import type { ChannelHub } from './channel-hub.ts';
import type { CommitWatch } from './machine/disk.ts';
import { clockOf, type SimulatedProcess } from './machine/process.ts';
import type { SessionWitness } from './machine/session-witness.ts';
import type { Turns } from './machine/turns.ts';
import type { VirtualTime } from './machine/virtual-time.ts';

/** The seat of one machine. */
export interface NodeSeat {
  readonly name: string;
  /** The turns of all nodes at the database. */
  readonly turns: Turns;
  readonly hub: ChannelHub;
  /** How far the machine's clock is ahead of the database's. */
  readonly aheadMs: number;
  /** The way of a process to the database. */
  readonly way: (process: SimulatedProcess) => Required<Pick<CommitWatch, 'reach' | 'breaks'>>;
  /** Is called in each transaction of a single task, with the node that does it. */
  readonly didSingleTask: (id: string) => void;
  readonly sessions: SessionWitness;
}

/** A process that has taken its seat, or one that is alone. */
export interface SeatedNode {
  readonly name: string;
  readonly clock: Clock;
  readonly cluster: Cluster;
  /** Where this node believes that all frames are; undefined until its gateway was made, and where it is alone. */
  readonly registry: () => SessionRegistry | undefined;
  /** The moment since which it takes no new work, because it ends. */
  endsSince: number | undefined;
}

/** A process that shares its database with no other. */
export const unseated = (clock: Clock): SeatedNode => ({
  name: 'service',
  clock,
  cluster: alone,
  registry: () => undefined,
  endsSince: undefined,
});

/** Makes a process one of the nodes. */
export async function takeSeat(
  { name, hub, aheadMs, didSingleTask }: NodeSeat,
  process: SimulatedProcess,
  deps: { readonly db: Database; readonly time: VirtualTime; readonly random: Random; readonly logger: Logger },
): Promise<SeatedNode> {
  const { db, time, random, logger } = deps;
  const clock = clockOf(process, time, aheadMs);
  const openChannel = (id: string) => hub.channel(process, id);
  const identity = { id: random.id(), name, version: '1', schema: 1, address: `http://${name}.test` };
  const opened = await openNode({ db, clock, logger, openChannel }, identity);
  let registry: SessionRegistry | undefined;
  const sessions: Cluster['sessions'] = {
    join(receive) {
      registry = opened.sessions.join(receive);
      return registry;
    },
  };
  const single = witnessed(opened.single, () => didSingleTask(identity.id));
  const cluster = { ...opened, single, sessions };
  return { name, clock: opened.clock, cluster, registry: () => registry, endsSince: undefined };
}

/** Reports every transaction of a single task. */
function witnessed(single: SingleTask, did: () => void): SingleTask {
  return {
    isOurs: single.isOurs,
    whenOurs: single.whenOurs,
    transact: (db, work) =>
      single.transact(db, (trx) => {
        did();
        return work(trx);
      }),
  };
}

/** The interval at which the simulation has a single task of its own, besides those of the service. */
const taskMs = 1_000;

/** Writes under the lease again and again, as single tasks of the service do now and then. */
export function doSingleTask({ cluster, clock }: SeatedNode, db: Database, logger: Logger): void {
  const keepDoing = (): void => {
    const doing = cluster.single.isOurs() ? cluster.single.transact(db, async () => undefined) : Promise.resolve();
    doing
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) logger.warn({ error }, 'no single task');
      })
      .then(() => clock.after(taskMs, keepDoing));
  };
  keepDoing();
}
