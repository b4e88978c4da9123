/** This process as one of several nodes: its row, its channel to the others, and where all frames are. */
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { NodeChannel } from '../../runtime/nodes/node-channel.ts';
import { joinNodes, type NodeEnd, type NodeIdentity, type NodeSeen } from '../../runtime/nodes/node-life.ts';
import { type NodesByMessages, nodesByMessages } from './by-messages.ts';

/** Dependencies of a node. */
export interface OpenNodeDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Makes the channel to the other nodes. */
  readonly openChannel: (id: string) => NodeChannel;
}

/** This process among the nodes. */
export interface OpenedNode {
  readonly id: string;
  readonly name: string;
  readonly channel: NodeChannel;
  /** Where the frames of all nodes are, for one gateway. */
  readonly frames: NodesByMessages;
  /** Resolves when somebody asked this node to drain, or gave its name to another one. */
  readonly asked: Promise<NodeEnd>;
  /** Tells where this node is reached. */
  reached(address: string): Promise<void>;
  /** Every node with a row, by name, as of the last heartbeat. */
  nodes(): readonly NodeSeen[];
  /** The present time by the database's clock, as far as it was told. */
  now(): number;
  /** Says that this node takes no new work. */
  drain(): Promise<void>;
  /** Takes this node's row away. */
  leave(): Promise<void>;
}

/** Every so many heartbeats a node tells all its sessions again: what was lost costs seconds. */
const beatsBetweenTellings = 3;

/**
 * Makes this process a node.
 * @throws Refusal `bad-configuration` while another living node has the name, or when this machine's clock is wrong
 */
export async function openNode(deps: OpenNodeDeps, identity: NodeIdentity): Promise<OpenedNode> {
  const { db, clock, logger, openChannel } = deps;
  const channel = openChannel(identity.id);
  let beats = 0;
  let frames: NodesByMessages | undefined;
  const beaten = (nodes: readonly NodeSeen[]): void => {
    frames?.keep(new Set(nodes.flatMap(({ id, state }) => (state === 'dead' ? [] : [id]))));
    beats++;
    if (beats % beatsBetweenTellings === 0) frames?.tellAgain();
  };
  const life = await joinNodes({ db, clock, logger, beaten }, identity);
  frames = nodesByMessages(channel, life.now);
  const { id, name } = identity;
  const { asked, reached, nodes, now, drain, leave } = life;
  return { id, name, channel, frames, asked, reached, nodes, now, drain, leave };
}
