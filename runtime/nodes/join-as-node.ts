/** Makes this process one of several nodes, with everything that its work needs to know of the others. */
import type { Clock } from '../clock.ts';
import type { Database } from '../database.ts';
import type { Logger } from '../logger.ts';
import { channelTopics } from './channel-topics.ts';
import type { NodeChannel } from './node-channel.ts';
import { nodeClock } from './node-clock.ts';
import { joinNodes, type NodeIdentity, type NodeLife, type NodeSeen } from './node-life.ts';
import { singleTaskAmongNodes } from './single-task.ts';
import { talliesAmongNodes } from './tallies.ts';
import type { ThisNode } from './this-node.ts';

/** Dependencies of joining. `channel` has the id of this start for its name; `beaten` is called after every heartbeat. */
export interface JoinDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly channel: NodeChannel;
  readonly beaten: (nodes: readonly NodeSeen[]) => void;
}

/** This process among the others. */
export interface JoinedNode {
  readonly node: ThisNode;
  readonly life: NodeLife;
  /** The clock by which this node works: it follows the database's. */
  readonly clock: Clock;
  /** Takes no part in single tasks any more: another node takes over at once. */
  yield(): Promise<void>;
  /** Ends it, once nothing of this process works any more. */
  leave(): Promise<void>;
}

/**
 * Joins the other nodes.
 * @throws Refusal `bad-configuration` while another living node has the name, or when this machine's clock is wrong
 */
export async function joinAsNode(deps: JoinDeps, identity: NodeIdentity): Promise<JoinedNode> {
  const { db, logger, channel } = deps;
  const life = await joinNodes(deps, identity);
  const clock = nodeClock(deps.clock, life.now);
  const topics = channelTopics(channel);
  const tallies = talliesAmongNodes(topics('t'), clock);
  const single = singleTaskAmongNodes({ db, clock: deps.clock, logger, holder: identity.id });
  const living = (): string[] => life.nodes().flatMap(({ id, state }) => (state === 'alive' ? [id] : []));
  return {
    node: { id: identity.id, living, isSteady: life.isSteady, single, tallies, topics },
    life,
    clock,
    yield: single.stop,
    async leave() {
      await single.stop();
      tallies.close();
      await life.leave();
    },
  };
}
