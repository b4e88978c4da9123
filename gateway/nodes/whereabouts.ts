/**
 * The seam for several gateways (nodes) over one database: who is connected where, a word to a frame at another node,
 * and the end of a session whose identity came to another. What must not be lost is in the database; what goes from
 * node to node only says where to look, names ids, and may be lost.
 */

/** What one node asks of another. */
export type Errand =
  /** Tell the frame its newest picture, if it is awake. */
  | { readonly do: 'announce'; readonly serial: string }
  /** Tell the frame what is set for it, if it is awake. */
  | { readonly do: 'settings'; readonly serial: string }
  /** Say this command to the frame: it was marked as given. */
  | { readonly do: 'say'; readonly serial: string; readonly command: string }
  /** End this session: its identity came to another node (B-22). */
  | { readonly do: 'end'; readonly serial: string; readonly session: number }
  /** Something became of this command: whoever waits for it looks into the command log. */
  | { readonly do: 'look'; readonly command: string };

/** The largest errand as JSON, in bytes: what a PostgreSQL notification carries. */
export const errandBytes = 8_000;

/** A frame's session as its node knows it. */
export interface Session {
  /** Tells it from others at that node. */
  readonly session: number;
  readonly address: string | undefined;
}

/** Where a frame is connected; `here` is this very node. */
export interface Stay extends Session {
  readonly here: boolean;
}

/** One node's view of all. Serials are the registry's keys. */
export interface Whereabouts {
  /**
   * A session began here. One of the same identity at another node is told to end; one at this node is the caller's to
   * end.
   * @returns where the frame was until now, undefined when it was nowhere
   */
  arrived(serial: string, session: Session): Stay | undefined;
  /** A session at this node is over. Nothing happens when the frame is somewhere else by now (W-26). */
  left(serial: string, session: number): void;
  /** Where the frame is as far as this node has heard, undefined when it is connected nowhere. */
  whereIs(serial: string): Stay | undefined;
  /** Serials of all frames that are connected somewhere. */
  everyone(): readonly string[];
  /**
   * Hands an errand to the node where its frame is.
   * @returns false when the frame is at no other node; true is no promise that the errand arrives
   */
  send(errand: Extract<Errand, { serial: string }>): boolean;
  /** Hands an errand to all other nodes. */
  tellOthers(errand: Errand): void;
  /** This node stops: its sessions are forgotten, and it hears nothing more. */
  leave(): void;
}

/** What nodes have in common. */
export interface Nodes {
  /** A node comes up; `hear` gets what others ask of it, and must not throw. */
  join(hear: (errand: Errand) => void): Whereabouts;
}
