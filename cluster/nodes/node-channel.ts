/** The channel between nodes: short texts that may be lost, come late or come twice, and nothing else. */
import type { SubjectChannel } from '../subject-channel.ts';

/** A channel as one node uses it. */
export interface NodeChannel extends SubjectChannel {
  /** The name of this node, which no other node has. */
  readonly node: string;
  /** The time at which something of a node was last received, by this machine's clock; undefined for none so far. */
  receivedAt(node: string): number | undefined;
}
