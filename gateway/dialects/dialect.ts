/**
 * The interface of dialects. A dialect turns a frame's messages into records, and records into messages. Nothing above
 * this room knows which dialect a frame speaks, only its traits. docs/dialects.md says how to add a dialect.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Message } from '../../firmware-protocol/messages.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import type { FirmwareOffers } from '../firmware/offer-firmware.ts';
import type { DialectTraits } from '../frames/dialect-traits.ts';
import type { Telling } from '../frames/expect-wake.ts';
import type { KindNamed } from '../frames/frame-kinds.ts';
import type { FrameMeter } from '../frames/frame-measures.ts';
import type { Admission } from '../identity/admit-frame.ts';
import type { IsOwnDownload, SendPicture } from '../pictures/download.ts';

/** One connection of one frame, from login to close. A dialect keeps here the state that must not outlive a connection. */
export interface Conversation {
  /** The key of the frame in the registry. */
  readonly serial: string;
  /** The client id as this frame sent it; its topics contain it in this spelling (W-35). */
  readonly clientId: string;
  /** The number of this session, which no other session at its gateway has. */
  readonly session: number;
  /** The remote address; undefined when the connection was gone already. */
  readonly address: string | undefined;
  /** Time of the last packet from the frame, epoch milliseconds. */
  lastSeenAt: number;
  /** True between `hello` and `bye` of a native frame. */
  awake: boolean;
  /** True when the frame's boot counter went backwards: its reports prove nothing (T-47). */
  suspect: boolean;
  /** The frame's `session_epoch` at the last wake of this session, or at its login before that. */
  epoch: number;
  /** True when the session was ended because its frame came to another node. */
  isOver?: boolean;
  /** The answer that a classic frame got on this connection; repeated reports get the same one (W-22). */
  answer: Outgoing | undefined;
  /** Number of log lines of a native frame since its last hello. */
  logs: number;
  /** The last sleep that a native frame was sent in its present wake. */
  telling?: Telling | undefined;
}

/** A message to a frame. */
export interface Outgoing {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1;
}

export interface DialectDeps extends CommonDeps {
  readonly meter?: FrameMeter | undefined;
  /** The prefix that is compiled into classic frames. */
  readonly frameUrl: () => string;
  /** The base of the addresses that native frames get. */
  readonly publicUrl: () => string;
  /** Called when something was recorded that may be evidence. */
  readonly reported: (serial: string) => void;
  /** Returns whether a picture for a frame is being made just now. */
  readonly isBeingMade?: ((serial: string) => boolean) | undefined;
  /** Called when a frame said how long it sleeps, and nothing that may be evidence. */
  readonly slept?: ((serial: string) => void) | undefined;
  /** Called when a wake report gave the frame another kind, in the transaction that recorded it. */
  readonly kindNamed?: KindNamed | undefined;
  readonly commands: {
    /** Commits a frame's answer to a command. */
    replied(serial: string, reply: Message<'reply'>): Promise<void>;
    /** True when a command waits for a frame. It is called in the transaction that records the frame's wake. */
    anyWaiting(trx: Transaction, serial: string): Promise<boolean>;
    /** Takes the commands that wait for a frame that just woke. Each is returned once, so it has to be sent. */
    atWake(serial: string): Promise<Message<'command'>[]>;
  };
  readonly firmware: FirmwareOffers;
}

/** A dialect that is spoken through the broker. */
export interface Dialect {
  readonly traits: DialectTraits;
  /** Name of the message that opens a wake. It is handed in after the downloads that the frame ended before are recorded. */
  readonly opensWake: string;
  /**
   * Commits a message, then returns the answers. It resolves only after the commit, because the frame gets its
   * acknowledgement then (B-04). Malformed messages are recorded and not answered.
   */
  receive(conversation: Conversation, name: string, payload: Uint8Array): Promise<Outgoing[]>;
  /** Returns the messages to an awake frame to which a picture was just offered. */
  pictureOffered(conversation: Conversation): Promise<Outgoing[]>;
  /** Returns the messages to an awake frame that has just had a setting changed. */
  settingsChanged(conversation: Conversation): Promise<Outgoing[]>;
  /** Returns a command's message when the frame is awake, and nothing otherwise. Absent where frames know no commands (W-34). */
  command?(conversation: Conversation, command: Message<'command'>): Outgoing[];
}

/**
 * Answers a request of a frame. It returns false, and leaves the request untouched, when the request is not for this
 * dialect. It must neither throw nor reject.
 */
export type FrameHttpHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Gives a frame that asks for its key an owner, where one waits for any that asks. */
export type AsksForKey = (
  trx: Transaction,
  asking: { readonly serial: string; readonly address: string | undefined },
) => Promise<boolean>;

export interface PolledDeps extends DialectDeps {
  /**
   * Checks a frame's password, within the same limits and with the same alerts as at the broker. The request must have
   * come over HTTPS, which ends in front of the service.
   */
  readonly admit: (serial: string, password: string) => Promise<Admission>;
  /** The base of the addresses in the answer to a request: where the operator named none, the one that was asked. */
  readonly toldAddress: (request: IncomingMessage) => string;
  /** Resolves when the downloads that a frame has ended are recorded. The dialect awaits it before it records a wake. */
  readonly downloadsRecorded: (serial: string) => Promise<unknown> | undefined;
  /** Sends the picture of an offer in answer to a poll; only this records that a frame took it. */
  readonly sendPicture: SendPicture;
  /**
   * Called when a frame without an owner asks for its key, in the transaction of its call.
   * @returns true when somebody has adopted it by this
   */
  readonly asksForKey?: AsksForKey | undefined;
  /** The address of the caller of a request; left out where no setting names the trusted proxies. */
  readonly addressOf?: ((request: IncomingMessage) => string | undefined) | undefined;
}

/** A dialect of frames that hold no connection: they send an HTTP request when they wake, and are answered at once. */
export interface PolledDialect {
  /** The value of `dialect` in its wake reports. It must differ from the names of the other dialects. */
  readonly name: string;
  readonly traits: DialectTraits;
  /**
   * Whether a download of a picture was made by its frame. Other downloads are answered, and count for nothing. Absent
   * where frames do not identify themselves as they download.
   */
  readonly isOwnDownload?: IsOwnDownload;
  open(deps: PolledDeps): FrameHttpHandler;
}
