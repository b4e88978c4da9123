/** The channel between nodes: short texts that may be lost, come late or come twice, and nothing else. */

/** The most bytes of a text: a sealed PostgreSQL notification takes it. */
export const maxNodeTextBytes = 5_800;

/** A channel as one node uses it. */
export interface NodeChannel {
  /** The name of this node, which no other node has. */
  readonly node: string;
  /** Sends a text to one node, or to all others. It is gone when nobody receives it. */
  post(to: string | undefined, text: string): void;
  /**
   * Begins to receive. `receive` gets a text and its sender, and returns false for one that it does not understand;
   * `reconnected` is called when texts may have been missed.
   */
  open(receiver: { receive(from: string, text: string): boolean; reconnected(): void }): void;
  /** The time at which something of a node was last received, by this machine's clock; undefined for none so far. */
  receivedAt(node: string): number | undefined;
  close(): void;
}
