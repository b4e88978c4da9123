/** The channel between nodes: short texts that may be lost, come late or come twice, and nothing else. */

/** The most bytes of a text: a PostgreSQL notification takes it, with the name of its sender. */
export const maxNodeTextBytes = 7_900;

/** A channel as one node uses it. */
export interface NodeChannel {
  /** The name of this node, which no other node has. */
  readonly node: string;
  /** Sends a text to one node, or to all others. It is gone when nobody hears it. */
  post(to: string | undefined, text: string): void;
  /** Begins to hear. `receive` gets a text and its sender; `reconnected` is called when texts may have been missed. */
  open(hear: { receive(from: string, text: string): void; reconnected(): void }): void;
  close(): void;
}
