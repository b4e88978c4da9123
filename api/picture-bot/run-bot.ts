/** The bot to which people send pictures: it asks for messages, on one node at a time, and opens no port. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { FollowDeps } from '../outgoing/follow-redirects.ts';
import { type ReceiptFacts, receiptLines } from '../picture-mail/receipt-words.ts';
import { SourceFault } from '../picture-sources/source.ts';
import type { BotReceipt, BotStore } from './bot-store.ts';
import type { BotUpdate } from './bot-updates.ts';
import {
  type BotCallDeps,
  editMessage,
  getUpdates,
  MigratedChat,
  OtherPoller,
  readBotName,
  sendBotMessage,
} from './call-bot.ts';
import { UpdateTaker } from './take-updates.ts';

/** The state of the bot, for the console. One that has stopped is started again by hand. */
export type BotState =
  | { readonly state: 'connected' }
  | { readonly state: 'away' | 'stopped'; readonly reason: Reason };

export interface BotDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  readonly follow: FollowDeps;
  readonly token: string;
  /** Where Telegram answers; left out, at its own address. */
  readonly server?: URL;
  readonly store: BotStore;
  /** Hears each change. */
  readonly hear: (state: BotState) => void;
}

/** A bot that is running. */
export interface RunningBot {
  /** Edits a receipt, as when its pictures hang; false where Telegram did not accept it. */
  report(receipt: BotReceipt, facts: ReceiptFacts): Promise<boolean>;
  /** Asks Telegram for the name of the bot; undefined where it gives none. */
  readName(): Promise<string | undefined>;
  /** Resolves when nothing is stored any longer. */
  stop(): Promise<void>;
}

const telegram = new URL('https://api.telegram.org');
/** The time in which the pictures of one album come (TG-5). */
const gatherMs = 2_000;
const maxGatherings = 5;
const firstRetryMs = 2_000;
const lastRetryMs = 5 * 60_000;
const maxWaitSeconds = 3_600;
const maxReceiptWaitMs = 10_000;
/** One message a second and chat, twenty a minute in groups, whose ids are negative (TG-6). */
const spacingMs = (chat: string): number => (chat.startsWith('-') ? 3_000 : 1_000);

/** Begins to ask for messages, and goes on until it is stopped, the token is refused or somebody else asks. */
export function runBot(deps: BotDeps): RunningBot {
  const bot = new Bot(deps);
  const running = bot.follow();
  inBackground(deps.logger, 'ask for messages of the bot', () => running);
  return {
    report: (receipt, facts) => bot.report(receipt, facts),
    readName: () => bot.readName(),
    async stop() {
      bot.stop();
      await running.catch(() => undefined);
    },
  };
}

class Bot {
  readonly #deps: BotDeps;
  readonly #stopping = new AbortController();
  readonly #calls: BotCallDeps;
  readonly #taker: UpdateTaker;
  /** When the next message may be written, by chat. */
  readonly #free = new BoundedMap<string, number>(10_000);
  #failures = 0;
  #state: BotState['state'] | undefined;

  constructor(deps: BotDeps) {
    const { follow, token, server = telegram, store, clock } = deps;
    this.#deps = deps;
    this.#calls = { follow, token, server, sharer: ['telegram'], signal: this.#stopping.signal };
    this.#taker = new UpdateTaker({ clock, store, calls: this.#calls, say: (chat, text) => this.#say(chat, text) });
  }

  stop(): void {
    this.#stopping.abort();
  }

  async follow(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#pass();
        this.#failures = 0;
        this.#hear({ state: 'connected' });
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        const reason = error instanceof SourceFault ? error.reason : reasonOf('network');
        if (error instanceof SourceFault && error.kind === 'denied') return this.#hear({ state: 'stopped', reason });
        if (!(error instanceof SourceFault)) {
          this.#deps.logger.error({ task: 'store pictures of the bot', error }, 'work in the background failed');
        }
        this.#hear({ state: 'away', reason });
        const waits = error instanceof SourceFault ? error.waitSeconds : undefined;
        const backoff = Math.min(lastRetryMs, firstRetryMs * 2 ** this.#failures++);
        await this.#pause(waits === undefined ? backoff : Math.min(waits, maxWaitSeconds) * 1000);
      }
    }
  }

  async report({ chat, message }: BotReceipt, facts: ReceiptFacts): Promise<boolean> {
    try {
      await editMessage(this.#calls, { chat, message }, receiptLines(facts).join('\n'));
      return true;
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      if (error instanceof MigratedChat) await this.#deps.store.moveChat(chat, error.chat);
      return false;
    }
  }

  async readName(): Promise<string | undefined> {
    try {
      return await readBotName(this.#calls);
    } catch (error) {
      if (error instanceof SourceFault || this.#stopping.signal.aborted) return undefined;
      throw error;
    }
  }

  /** Asks once, takes what came, and only then moves the offset that confirms it (TG-1). */
  async #pass(): Promise<void> {
    const { store } = this.#deps;
    const offset = await store.readOffset();
    const updates = await this.#gathered(offset);
    const last = updates.at(-1);
    if (last === undefined) return;
    await this.#taker.take(updates);
    await store.keepOffset(last.update_id + 1);
  }

  /** Asks again while an album may be incomplete: what is not confirmed comes again, with what came since. */
  async #gathered(offset: number): Promise<readonly BotUpdate[]> {
    let updates = await getUpdates(this.#calls, offset);
    for (let times = 0; times < maxGatherings; times++) {
      if (updates.at(-1)?.message?.media_group_id === undefined) break;
      await this.#pause(gatherMs);
      const again = await getUpdates(this.#calls, offset);
      if (again.length <= updates.length) break;
      updates = again;
    }
    // A server that repeats what was confirmed is not believed.
    return updates.filter((one) => one.update_id >= offset);
  }

  async #say(chat: string, text: string): Promise<number | undefined> {
    const { clock, logger, store } = this.#deps;
    const now = clock.now();
    const at = Math.max(now, this.#free.get(chat) ?? now);
    // A chat that has to wait for long gets no receipt: its pictures keep nobody else waiting.
    if (at - now > maxReceiptWaitMs) return undefined;
    this.#free.set(chat, at + spacingMs(chat));
    if (at > now) await this.#pause(at - now);
    try {
      return await sendBotMessage(this.#calls, chat, text);
    } catch (error) {
      // A receipt is not worth taking the pictures again.
      if (!(error instanceof SourceFault) || error instanceof OtherPoller) throw error;
      if (error instanceof MigratedChat) await store.moveChat(chat, error.chat);
      if (error.waitSeconds !== undefined)
        this.#free.set(chat, now + Math.min(error.waitSeconds, maxWaitSeconds) * 1000);
      logger.info({ reason: error.reason.code }, 'a receipt of the bot was not sent');
      return undefined;
    }
  }

  #hear(state: BotState): void {
    if (state.state === this.#state) return;
    this.#state = state.state;
    this.#deps.hear(state);
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = this.#deps.clock.after(ms, end);
      signal.addEventListener('abort', end, { once: true });
    });
  }
}
