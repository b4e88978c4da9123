/** The view of a service that is one of several nodes. A process that is alone has none of it. */
import type { Database } from '../database.ts';
import type { ChannelTopics } from './channel-topics.ts';
import { deadAfterMs } from './node-life.ts';
import type { SingleTask } from './single-task.ts';
import { databaseNow } from './tables.ts';
import type { Tallies } from './tallies.ts';

/** This process as one of several nodes. */
export interface ThisNode {
  /** The id of this start, which claims carry. */
  readonly id: string;
  /** The ids of the nodes that live and take work. */
  readonly living: () => readonly string[];
  /** True while the silence of another node is its own, see `NodeLife`. */
  readonly isSteady: () => boolean;
  readonly single: SingleTask;
  readonly tallies: Tallies;
  /** The channels on which subjects send short words to the other nodes. */
  readonly topics: ChannelTopics;
}

/**
 * Returns the condition, as SQL, that a claim was made by a node that is gone: it has no row any longer, or its heartbeats
 * have ended. As long as this node is not steady only missing rows count.
 * @param column the column that names the node of the claim
 */
export function ofGoneNode(db: Database, column: string, { isSteady }: Pick<ThisNode, 'isSteady'>): string {
  const alive = isSteady() ? ` and nodes.heartbeat_at > ${databaseNow(db)} - ${deadAfterMs}` : '';
  return `${column} is not null and not exists (select 1 from nodes where nodes.id = ${column}${alive})`;
}
