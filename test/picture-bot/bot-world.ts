/** A bot for pictures over a fake Bot API. */
import * as assert from 'uvu/assert';
import type { BotChat, BotPicture, BotReceipt, BotStore } from '../../api/picture-bot/bot-store.ts';
import { type BotState, type RunningBot, runBot } from '../../api/picture-bot/run-bot.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type FakeTelegram, fakeToken, withTelegram } from './fake-telegram.ts';

/** A running bot, with memory in place of tables. */
export interface BotWorld extends FakeTelegram {
  readonly bot: RunningBot;
  readonly states: BotState[];
  readonly pictures: Map<string, BotPicture>;
  readonly receipts: BotReceipt[];
  readonly chats: Map<string, BotChat>;
  readonly logged: string[];
  /** The texts that were written, as `chat text`. */
  said(): string[];
  /** Resolves when every update is confirmed. */
  settled(): Promise<void>;
}

export const annaOfBot = { id: 77, is_bot: false, first_name: 'Anna' };
export const familyGroup = { id: -1_001_234_567_890_123, type: 'supergroup', title: 'Family' };
/** A photo as Telegram sends it: the smallest size first. */
export const botPhoto = (name: string) => [
  { file_id: `${name}-small`, file_unique_id: `${name}-s` },
  { file_id: name, file_unique_id: `${name}-u`, file_size: 100 },
];
export const kitchenOfBot = { target: 'kitchen', place: 'Kitchen', language: 'en', timeZone: 'Europe/Berlin' } as const;

/** Waits until something is true. */
export async function untilTrue(when: () => boolean): Promise<void> {
  while (!when()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Runs a bot over a server that was prepared, and looks that the token got nowhere. */
export function withBot(
  prepare: (telegram: FakeTelegram) => void,
  run: (world: BotWorld) => Promise<void>,
): Promise<void> {
  return withTelegram(async (telegram) => {
    const states: BotState[] = [];
    const pictures: BotWorld['pictures'] = new Map();
    const receipts: BotReceipt[] = [];
    const chats: BotWorld['chats'] = new Map([['77', { chat: '77', members: undefined, ...kitchenOfBot }]]);
    const logged: string[] = [];
    const log = (...line: unknown[]) =>
      void logged.push(JSON.stringify(line, (_, value) => (value instanceof Error ? `${value.stack}` : value)));
    let [offset, last] = [0, 0];
    for (const name of ['one', 'two', 'three']) telegram.files.set(name, Buffer.from(`picture ${name}`));
    const store: BotStore = {
      readOffset: async () => offset,
      async keepOffset(value) {
        offset = value;
      },
      findChat: async (chat) => chats.get(chat),
      async admitChat({ code, chat, isGroup, sender }) {
        if (code !== 'WALL-2026') return undefined;
        chats.set(chat, { chat, members: isGroup ? [sender] : undefined, ...kitchenOfBot });
        return chats.get(chat);
      },
      async moveChat(from, to) {
        const chat = chats.get(from);
        chats.delete(from);
        if (chat !== undefined) chats.set(to, { ...chat, chat: to });
      },
      async storePicture(picture) {
        pictures.set(`${picture.chat} ${picture.unique}`, picture);
        return 'stored';
      },
      hasReceipt: async (gathering) => receipts.some((one) => one.gathering === gathering),
      keepReceipt: async (receipt) => void receipts.push(receipt),
    };
    const send = (message: Record<string, unknown>): number => {
      last = telegram.send({ chat: { id: 77, type: 'private' }, from: annaOfBot, ...message });
      return last;
    };
    const { follow, server } = telegram;
    const world = { ...telegram, send };
    prepare(world);
    const bot = runBot({
      follow,
      server,
      store,
      token: fakeToken,
      hear: (state) => states.push(state),
      clock: { now: systemClock.now, after: (ms, wake) => systemClock.after(Math.min(ms, 20), wake) },
      logger: { debug: log, info: log, warn: log, error: log },
    });
    try {
      const said = (): string[] =>
        telegram.calls.flatMap(({ method, asked }) =>
          method === 'sendMessage' ? [`${asked.chat_id} ${asked.text}`] : [],
        );
      await run({
        ...world,
        bot,
        states,
        pictures,
        receipts,
        chats,
        logged,
        said,
        settled: () => untilTrue(() => telegram.confirmed() > last),
      });
    } finally {
      await bot.stop();
    }
    for (const text of [...logged, ...states.map((state) => ('reason' in state ? wordsOf(state.reason) : ''))]) {
      assert.not.match(text, /AAbbCC/);
    }
  });
}
