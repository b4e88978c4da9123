/**
 * What a dialect is: it turns a frame's messages into records, and records into messages. Nothing above this room
 * knows which dialect a frame speaks, only its traits. How to add one: docs/dialects.md.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Message } from '../../firmware-protocol/messages.ts';
import type { Admission } from '../broker/admit-frame.ts';
import type { FirmwareTalk } from '../firmware/offer-firmware.ts';
import type { DialectTraits } from '../frames/dialect-traits.ts';
import type { KindNamed } from '../frames/frame-kinds.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Database, Transaction } from '../runtime/database.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Meter } from '../runtime/meter.ts';
import type { Random } from '../runtime/random.ts';

/** One connection of one frame, from login to close. A dialect keeps here what must not outlive it. */
export interface Conversation {
  /** The registry's key. */
  readonly serial: string;
  /** The identity as this frame writes it; topics are spelled with it (W-35). */
  readonly spelling: string;
  /** Tells this session from others at its gateway, before and after it. */
  readonly session: number;
  /** Where it comes from, if that was still to be seen. */
  readonly address: string | undefined;
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
  readonly meter?: Meter | undefined;
  /** Prefix compiled into classic frames, and base of the addresses native frames get. */
  readonly frameUrl: () => string;
  readonly publicUrl: () => string;
  /** Something was recorded that may be evidence. */
  readonly reported: (serial: string) => void;
  /** A wake report made the frame one of another kind; called in the transaction that recorded it. */
  readonly kindNamed?: KindNamed | undefined;
  readonly commands: {
    /** Commits a frame's answer to a command. */
    heard(serial: string, reply: Message<'reply'>): Promise<void>;
    /** Whether a command waits for a frame; asked in the transaction that records its wake. */
    anyWaiting(trx: Transaction, serial: string): Promise<boolean>;
    /** What a frame that just woke was to be asked while it slept. Each is given once, so it has to be said. */
    atWake(serial: string): Promise<Message<'command'>[]>;
  };
  readonly firmware: FirmwareTalk;
}

/** A dialect that is spoken through the broker. */
export interface Dialect {
  readonly traits: DialectTraits;
  /** Name of the message that opens a wake. It is handed in once the downloads that the frame ended before are recorded. */
  readonly opensWake: string;
  /**
   * Commits what a message says, then returns what to answer. Resolves only after the commit: the acknowledgement that
   * the frame gets rests on it (B-04). Malformed messages are recorded and answered with nothing.
   */
  receive(conversation: Conversation, name: string, payload: Uint8Array): Promise<Outgoing[]>;
  /** What to tell an awake frame to which a picture was just offered. */
  pictureOffered(conversation: Conversation): Promise<Outgoing[]>;
  /** What to tell an awake frame of which a setting was just changed. */
  settingsChanged(conversation: Conversation): Promise<Outgoing[]>;
  /** A command to a frame that is awake, nothing to one that is not. Absent where frames know no commands (W-34). */
  command?(conversation: Conversation, command: Message<'command'>): Outgoing[];
}

/** Answers a request of a frame; false, and untouched, when it is for somebody else. Nothing may throw or reject. */
export type FrameDoor = (request: IncomingMessage, response: ServerResponse) => boolean;

/** What a polled dialect is handed besides. */
export interface PolledEdges extends DialectEdges {
  /**
   * Checks a frame's password, within the same limits and with the same alerts as at the broker. The request must have
   * come over HTTPS, which ends in front of the service.
   */
  readonly admit: (serial: string, password: string) => Promise<Admission>;
  /** Resolves when the downloads that a frame has ended are recorded: to be awaited before its wake is weighed. */
  readonly downloadsRecorded: (serial: string) => Promise<unknown> | undefined;
}

/** A dialect of frames that are never connected: they come when they wake, ask over HTTP, and are answered at once. */
export interface PolledDialect {
  /** What its wake reports carry as `dialect`. Other than those of the other dialects. */
  readonly name: string;
  readonly traits: DialectTraits;
  open(edges: PolledEdges): FrameDoor;
}
