/**
 * What a dialect is: it turns a frame's messages into records, and records into messages. Nothing above this room
 * knows which dialect a frame speaks; a frame that polls over HTTP would be a third one.
 */
import type { Message } from '../../firmware-protocol/messages.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Database } from '../runtime/database.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Random } from '../runtime/random.ts';

/** One connection of one frame, from login to close. A dialect keeps here what must not outlive it. */
export interface Conversation {
  /** The registry's key. */
  readonly serial: string;
  /** The identity as this frame writes it; topics are spelled with it (W-35). */
  readonly spelling: string;
  /** The native frame has said hello and not yet bye. */
  awake: boolean;
  /** Its boot counter went backwards: what it says proves nothing (T-47). */
  doubted: boolean;
  /** The answer a classic frame was given on this connection; repeats get the same (W-22). */
  answer: Outgoing | undefined;
  /** Log lines of a native frame since its last hello. */
  logs: number;
}

/** A message to a frame. */
export interface Outgoing {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1;
}

/** What dialects are handed. */
export interface DialectEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Prefix compiled into classic frames, and base of the addresses native frames get. */
  readonly frameUrl: () => string;
  readonly publicUrl: () => string;
  /** Something was recorded that may be evidence. */
  readonly reported: (serial: string) => void;
  readonly commands: {
    /** Commits a frame's answer to a command. */
    heard(serial: string, reply: Message<'reply'>): Promise<void>;
    /** What a frame that just woke was to be asked while it slept. Each is given once, so it has to be said. */
    atWake(serial: string): Promise<Message<'command'>[]>;
  };
}

/** A dialect. */
export interface Dialect {
  /**
   * Commits what a message says, then returns what to answer. Resolves only after the commit: the acknowledgement that
   * the frame gets rests on it (B-04). Malformed messages are recorded and answered with nothing.
   */
  receive(conversation: Conversation, name: string, payload: Uint8Array): Promise<Outgoing[]>;
  /** What to tell an awake frame to which a picture was just offered. */
  pictureOffered(conversation: Conversation): Promise<Outgoing[]>;
  /** A command to a frame that is awake, nothing to one that is not. Absent where frames know no commands (W-34). */
  command?(conversation: Conversation, command: Message<'command'>): Outgoing[];
}
