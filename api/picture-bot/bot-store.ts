/** The memory that the bot needs. Every call may be repeated: updates that are not confirmed come again. */
import type { Reason } from '../../reasons/reason.ts';
import type { ReceiptFacts } from '../picture-mail/receipt-words.ts';
import type { WordedLanguage } from '../words/service-words.ts';
import type { AdmittedChat } from './judge-update.ts';

/** A chat with the album or frame that its pictures go to. */
export interface BotChat extends AdmittedChat {
  readonly target: string;
  /** The name of the target, for receipts. */
  readonly place: string;
  readonly language: WordedLanguage;
  readonly timeZone: string;
}

/** A picture as it came. */
export interface BotPicture {
  readonly chat: string;
  readonly sender: string;
  /** The first name of the person who wrote; empty where Telegram gives none. */
  readonly senderName: string;
  readonly target: string;
  /** Names the pictures that were sent together; a receipt is for all of them. */
  readonly gathering: string;
  /** The same for the same file (FI-6). */
  readonly unique: string;
  readonly content: Buffer;
  readonly name: string;
  readonly caption: string;
  /** When it was sent, epoch milliseconds; for photos the only date that there is. */
  readonly sentAt: number;
  readonly sort: 'photo' | 'document';
}

/** The message of a receipt, which is edited when the pictures hang. */
export interface BotReceipt {
  readonly chat: string;
  readonly gathering: string;
  readonly message: number;
}

/** The rows behind a bot. */
export interface BotStore {
  /** Reads the first update that is not confirmed; 0 at first. */
  readOffset(): Promise<number>;
  keepOffset(offset: number): Promise<void>;
  findChat(chat: string): Promise<BotChat | undefined>;
  /** Admits a chat by a code of the console, which counts once; undefined for a wrong or an old one. */
  admitChat(asking: {
    readonly code: string;
    readonly chat: string;
    readonly sender: string;
    /** That of a group; of a chat with one person, their first name. */
    readonly title: string;
    readonly isGroup: boolean;
  }): Promise<BotChat | undefined>;
  /** A group was made a supergroup, whose id is another one. */
  moveChat(from: string, to: string): Promise<void>;
  /** Stores a picture, unless it is there; a reason says why it is left out. */
  storePicture(picture: BotPicture): Promise<'stored' | Reason>;
  /** Whether a gathering has its receipt. */
  hasReceipt(gathering: string): Promise<boolean>;
  /** Keeps a receipt with what it names as left out, so that an edit names it again. */
  keepReceipt(receipt: BotReceipt & Pick<ReceiptFacts, 'leftOut'>): Promise<void>;
}
