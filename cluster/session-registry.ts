/**
 * The interface for several gateways (nodes) over one database: where each frame is connected, messages to a frame at
 * another node, and the end of a session whose identity moved to another node. Everything that must not be lost is in
 * the database; a message between nodes only tells them where to look, contains ids, and may be lost.
 */
import { z } from 'zod';
import { maxNodeTextBytes } from './subject-channel.ts';

/** A message from one node to another. */
export type NodeMessage = Readonly<z.infer<typeof nodeMessage>>;

const name = z.string().max(128);

export const nodeMessage = z.discriminatedUnion('do', [
  /** Announce the newest picture to the frame, if it is awake. */
  z.object({ do: z.literal('announce'), serial: name }),
  /** Send the frame its settings, if it is awake. */
  z.object({ do: z.literal('settings'), serial: name }),
  /** Send this command to the frame; it was marked as sent. */
  z.object({ do: z.literal('say'), serial: name, command: name }),
  /** End this session, because its identity moved to another node (B-22). */
  z.object({ do: z.literal('end'), serial: name, session: z.int() }),
  /** Look this command up in the log, for anyone who waits for it: its state has changed. */
  z.object({ do: z.literal('look'), command: name }),
]);

/** The most bytes of a node message as JSON. */
export const maxNodeMessageBytes = maxNodeTextBytes;

/** A frame's session as its node knows it. */
export interface SessionKey {
  /** The number of the session, which no other session at that node has. */
  readonly session: number;
  readonly address: string | undefined;
}

/** The node where a frame is connected; `here` stands for this node. */
export interface SessionLocation extends SessionKey {
  readonly here: boolean;
}

/** One node's view of all sessions. Serials are the registry's keys. */
export interface SessionRegistry {
  /**
   * Called when a session began here. A session of the same identity at another node is ended; one at this node is
   * ended by the caller.
   * @returns where the frame was until now, undefined when it was nowhere
   */
  arrived(serial: string, session: SessionKey): SessionLocation | undefined;
  /**
   * Called when a session at this node is over. Nothing happens when the frame is connected elsewhere by now (W-26).
   */
  left(serial: string, session: number): void;
  /** The location of a frame as far as this node knows; undefined when the frame is connected nowhere. */
  whereIs(serial: string): SessionLocation | undefined;
  /** The serials of all frames that are connected somewhere. */
  everyone(): readonly string[];
  /**
   * Sends a message to the node of its frame.
   * @returns false when the frame is at no other node; true is not a promise that the message arrives
   */
  send(nodeMessage: Extract<NodeMessage, { serial: string }>): boolean;
  /** Sends a message to all other nodes. */
  broadcast(nodeMessage: NodeMessage): void;
  /** Called when this node stops: its sessions are forgotten, and it receives nothing more. */
  leave(): void;
}

/** The connection between nodes. */
export interface Nodes {
  /** Adds a node. `receive` gets the messages of other nodes, and must not throw. */
  join(receive: (nodeMessage: NodeMessage) => void): SessionRegistry;
}
