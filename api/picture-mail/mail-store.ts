/** The memory that the mailbox needs: albums, what was taken already, and what members decided. */
import type { Reason } from '../../reasons/reason.ts';
import type { TrustedServer } from './auth-results.ts';
import type { MailTarget } from './judge-mail.ts';
import type { LeftOutPart } from './mail-parts.ts';

/** How far a mailbox was read. */
export interface MailboxPlace {
  /** A number of up to 32 bits, which another one replaces when the folder was made again. */
  readonly uidValidity: string;
  readonly lastUid: number;
  /** The last message that lay there before the mailbox was followed. */
  readonly oldUntil: number;
}

/** A picture as it came. */
export interface MailPicture {
  readonly mailKey: string;
  /** The SHA-256 of its bytes: with the key of the message it makes the picture once (ML-7). */
  readonly digest: string;
  readonly content: Buffer;
  readonly name: string;
  readonly caption: string;
  readonly sender: string;
  readonly targets: readonly string[];
  /** It stands in the text: below 600 pixels it is a logo (ML-4). */
  readonly isInline: boolean;
  readonly arrivedAt: number;
}

/** The parts of a message that an answer needs. Only messages have them whose sender is invited and proven. */
export interface Answerable {
  readonly to: string;
  readonly subject: string;
  readonly messageId: string | undefined;
  readonly references: readonly string[];
}

/** A message that is dealt with. */
export interface ClosedMail {
  readonly key: string;
  readonly outcome: 'accepted' | 'left out';
  /** Why it was left out as a whole. */
  readonly reason: Reason | undefined;
  readonly sender: string | undefined;
  readonly targets: readonly string[];
  /** The digests of the pictures that were stored. */
  readonly pictures: readonly string[];
  readonly leftOut: readonly LeftOutPart[];
  readonly answer: Answerable | undefined;
}

/** A message that waits for a member's yes. Its pictures stay in the mailbox until then. */
export interface HeldMail {
  readonly key: string;
  readonly sender: string;
  readonly subject: string;
  readonly reason: Reason;
  readonly targets: readonly string[];
  readonly files: number;
  readonly arrivedAt: number;
}

/** A decision about a message that waited. */
export interface DecidedMail {
  readonly key: string;
  /** The targets whose members said yes; none, if they refused it. */
  readonly targets: readonly string[];
  /** Members of other albums have not decided yet, for whom it stays in its folder. */
  readonly stays: boolean;
}

/** The rows behind a mailbox. Every call may be repeated: the process may end between any two. */
export interface MailStore {
  readPlace(): Promise<MailboxPlace | undefined>;
  keepPlace(place: MailboxPlace): Promise<void>;
  /** Reads the server whose results count: the operator's setting, or what `keepTrusted` kept. */
  readTrusted(): Promise<TrustedServer | undefined>;
  keepTrusted(name: string): Promise<void>;
  /** Finds targets by their secrets, which are in lower case. */
  findTargets(secrets: readonly string[]): Promise<readonly MailTarget[]>;
  /** Whether `closeMail` was called for a message, or it is held. */
  isDone(key: string): Promise<boolean>;
  /** Stores a picture, unless it is there; a reason says why it is left out. */
  storePicture(picture: MailPicture): Promise<'stored' | Reason>;
  closeMail(mail: ClosedMail): Promise<void>;
  /** Keeps a message that waits; false when so many wait that it is left out. */
  holdMail(mail: HeldMail): Promise<boolean>;
  /** The decisions about messages that `closeMail` was not called for since. */
  decisions(): Promise<readonly DecidedMail[]>;
}
