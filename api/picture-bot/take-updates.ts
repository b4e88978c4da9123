/** Takes the messages of one answer: what was sent together becomes one gathering with one receipt (TG-5). */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { captionOf } from '../picture-mail/mail-caption.ts';
import { type ReceiptFacts, receiptLines } from '../picture-mail/receipt-words.ts';
import { SourceFault } from '../picture-sources/source.ts';
import { serviceText } from '../words/service-words.ts';
import type { BotChat, BotStore } from './bot-store.ts';
import type { BotMessage, BotUpdate } from './bot-updates.ts';
import { type BotCallDeps, fetchBotFile } from './call-bot.ts';
import { type BotFile, judgeUpdate } from './judge-update.ts';

export interface TakeUpdatesDeps extends Pick<CommonDeps, 'clock'> {
  readonly calls: BotCallDeps;
  readonly store: BotStore;
  /** Writes into a chat, within Telegram's limits; undefined where that failed. */
  readonly say: (chat: string, text: string) => Promise<number | undefined>;
}

/** Pictures that were sent together. */
interface Gathering {
  readonly chat: BotChat;
  count: number;
  readonly leftOut: ReceiptFacts['leftOut'][number][];
}

const maxTries = 3;
const maxNamed = 20;

/** Takes updates in their order, and remembers what spans several answers. */
export class UpdateTaker {
  readonly #deps: TakeUpdatesDeps;
  readonly #captions = new BoundedMap<string, string>(1_000);
  /** The tries of files that could not be fetched. */
  readonly #tries = new BoundedMap<string, number>(1_000);

  constructor(deps: TakeUpdatesDeps) {
    this.#deps = deps;
  }

  /**
   * Takes all of them. When it resolves, everything is stored and they may be confirmed.
   * @throws SourceFault or the error of a store: they have to come again
   */
  async take(updates: readonly BotUpdate[]): Promise<void> {
    const gatherings = new Map<string, Gathering>();
    for (const { message } of updates) {
      // The caption stands on one message of an album, mostly but not always the first.
      if (message?.caption !== undefined) this.#captions.set(gatheringOf(message), captionOf(message.caption, ''));
    }
    for (const { message } of updates) if (message !== undefined) await this.#takeMessage(message, gatherings);
    for (const [name, gathering] of gatherings) await this.#giveReceipt(name, gathering);
  }

  async #takeMessage(message: BotMessage, gatherings: Map<string, Gathering>): Promise<void> {
    const { store, say } = this.#deps;
    const chat = await store.findChat(message.chat.id);
    const judged = judgeUpdate(message, chat);
    if (judged.verdict === 'code') {
      const { id, type, title = message.from?.first_name ?? '' } = message.chat;
      const [sender, isGroup] = [message.from?.id ?? '', type !== 'private'];
      const admitted = await store.admitChat({
        code: judged.code,
        chat: id,
        sender,
        title: captionOf(title, ''),
        isGroup,
      });
      if (admitted === undefined) return;
      await say(id, serviceText(admitted.language, 'receipt.admitted', { place: admitted.place }));
    } else if (judged.verdict === 'migrated') await store.moveChat(message.chat.id, judged.to);
    else if (chat !== undefined && judged.verdict !== 'silence') {
      const gathering = gatherings.get(gatheringOf(message)) ?? { chat, count: 0, leftOut: [] };
      gatherings.set(gatheringOf(message), gathering);
      const reason =
        judged.verdict === 'picture' ? await this.#storePicture(message, chat, judged.picture) : judged.reason;
      if (reason === undefined) gathering.count++;
      else if (gathering.leftOut.length < maxNamed) {
        gathering.leftOut.push({ name: judged.verdict === 'picture' ? judged.picture.name : judged.name, reason });
      }
    }
  }

  /** Fetches and stores a picture; returns why it is left out. */
  async #storePicture(message: BotMessage, chat: BotChat, picture: BotFile): Promise<Reason | undefined> {
    const { file, unique, name, sort } = picture;
    const content = await this.#fileOf(file, unique);
    if (content === undefined) return reasonOf('album-source-bot-file-gone');
    const gathering = gatheringOf(message);
    const stored = await this.#deps.store.storePicture({
      chat: chat.chat,
      target: chat.target,
      gathering,
      unique,
      content,
      name,
      sort,
      sender: message.from?.id ?? '',
      senderName: captionOf(message.from?.first_name ?? '', ''),
      caption: this.#captions.get(gathering) ?? '',
      sentAt: message.date * 1000,
    });
    return stored === 'stored' ? undefined : stored;
  }

  /** A file that Telegram does not give three times keeps nobody else waiting. */
  async #fileOf(file: string, unique: string): Promise<Buffer | undefined> {
    try {
      return await fetchBotFile(this.#deps.calls, file);
    } catch (error) {
      const isAway = error instanceof SourceFault && error.kind === 'away' && error.waitSeconds === undefined;
      if (!isAway || this.#deps.calls.signal.aborted) throw error;
      const tries = (this.#tries.get(unique) ?? 0) + 1;
      this.#tries.set(unique, tries);
      if (tries < maxTries) throw error;
      return undefined;
    }
  }

  async #giveReceipt(name: string, { chat, count, leftOut }: Gathering): Promise<void> {
    const { store, say, clock } = this.#deps;
    if (await store.hasReceipt(name)) return;
    const { language, timeZone, place } = chat;
    const lines = receiptLines({ language, timeZone, place, count, leftOut, hungAt: undefined, now: clock.now() });
    const message = await say(chat.chat, lines.join('\n'));
    if (message !== undefined) await store.keepReceipt({ chat: chat.chat, gathering: name, message, leftOut });
  }
}

/** Returns the name of what was sent together: an album, or one message. */
function gatheringOf({ chat, media_group_id: group, message_id: message }: BotMessage): string {
  return `${chat.id}/${group === undefined ? `message ${message}` : `album ${group.slice(0, 100)}`}`;
}
