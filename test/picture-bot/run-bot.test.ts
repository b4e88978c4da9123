/** The bot that takes pictures: who is heard, what is stored, and how it bears a broken server (TG-1 to TG-6). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BotChat, BotPicture, BotReceipt, BotStore } from '../../api/picture-bot/bot-store.ts';
import { isBotToken } from '../../api/picture-bot/call-bot.ts';
import { codeOf } from '../../api/picture-bot/judge-update.ts';
import { type BotState, type RunningBot, runBot } from '../../api/picture-bot/run-bot.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type FakeTelegram, fakeToken, withTelegram } from './fake-telegram.ts';

const test = suite('the bot for pictures');

interface World extends FakeTelegram {
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

const anna = { id: 77, is_bot: false, first_name: 'Anna' };
const family = { id: -1_001_234_567_890_123, type: 'supergroup', title: 'Family' };
const photo = (name: string) => [
  { file_id: `${name}-small`, file_unique_id: `${name}-s` },
  { file_id: name, file_unique_id: `${name}-u`, file_size: 100 },
];
const kitchen = { target: 'kitchen', place: 'Kitchen', language: 'en', timeZone: 'Europe/Berlin' } as const;

async function waitFor(when: () => boolean): Promise<void> {
  while (!when()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function withBot(prepare: (telegram: FakeTelegram) => void, run: (world: World) => Promise<void>): Promise<void> {
  return withTelegram(async (telegram) => {
    const states: BotState[] = [];
    const pictures: World['pictures'] = new Map();
    const receipts: BotReceipt[] = [];
    const chats: World['chats'] = new Map([['77', { chat: '77', members: undefined, ...kitchen }]]);
    const logged: string[] = [];
    const log = (...line: unknown[]) =>
      void logged.push(JSON.stringify(line, (_, value) => (value instanceof Error ? `${value.stack}` : value)));
    let [offset, last] = [0, 0];
    for (const name of ['one', 'two', 'three']) telegram.files.set(name, Buffer.from(`picture ${name}`));
    const store: BotStore = {
      readOffset: async () => offset,
      keepOffset: async (value) => void (offset = value),
      findChat: async (chat) => chats.get(chat),
      async admitChat({ code, chat, isGroup, sender }) {
        if (code !== 'WALL-2026') return undefined;
        chats.set(chat, { chat, members: isGroup ? [sender] : undefined, ...kitchen });
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
      last = telegram.send({ chat: { id: 77, type: 'private' }, from: anna, ...message });
      return last;
    };
    const { follow, server } = telegram;
    const world = { ...telegram, send };
    prepare(world);
    const bot = runBot({
      ...{ follow, server, store, token: fakeToken, hear: (state) => states.push(state) },
      clock: { now: systemClock.now, after: (ms, wake) => systemClock.after(Math.min(ms, 20), wake) },
      logger: { debug: log, info: log, warn: log, error: log },
    });
    try {
      const said = (): string[] =>
        telegram.calls.flatMap(({ method, asked }) =>
          method === 'sendMessage' ? [`${asked.chat_id} ${asked.text}`] : [],
        );
      await run({
        ...{ ...world, bot, states, pictures, receipts, chats, logged, said },
        settled: () => waitFor(() => telegram.confirmed() > last),
      });
    } finally {
      await bot.stop();
    }
    for (const text of [...logged, ...states.map((state) => ('reason' in state ? wordsOf(state.reason) : ''))]) {
      assert.not.match(text, /AAbbCC/);
    }
  });
}

test('a photo is stored in its largest size, and its receipt is edited when it hangs', async () => {
  const prepare = (telegram: FakeTelegram) => void telegram.send({ photo: photo('one'), caption: ' At the\nlake ' });
  await withBot(prepare, async ({ settled, pictures, receipts, said, bot, calls }) => {
    await settled();
    const [picture] = pictures.values();
    assert.is(picture?.content.toString(), 'picture one');
    assert.equal([picture?.caption, picture?.sort, picture?.sender], ['At the lake', 'photo', '77']);
    assert.equal(said(), ['77 Your picture is accepted for “Kitchen”.']);
    const hungAt = Date.UTC(2026, 0, 10, 8, 14);
    const facts = { ...kitchen, count: 1, leftOut: [], hungAt, now: hungAt + 60_000 };
    const [receipt] = receipts;
    assert.ok(receipt !== undefined && (await bot.report(receipt, facts)));
    const { asked, method } = calls.at(-1) ?? {};
    assert.is(method === 'editMessageText' && asked?.text, 'Your picture hangs in “Kitchen” since 9:14.');
  });
});

test('an album has one caption and one receipt, also when its pictures come one after the other', async () => {
  const album = (name: string, more = {}) => ({ photo: photo(name), media_group_id: 'g1', ...more });
  const prepare = (telegram: FakeTelegram) => void telegram.send(album('one', { caption: 'Lake' }));
  await withBot(prepare, async ({ send, settled, pictures, said, calls }) => {
    await waitFor(() => calls.some(({ method }) => method === 'getUpdates'));
    send(album('two'));
    send(album('three'));
    await settled();
    assert.equal(
      [...pictures.values()].map(({ caption }) => caption),
      ['Lake', 'Lake', 'Lake'],
    );
    assert.equal(said(), ['77 Your 3 pictures are accepted for “Kitchen”.']);
  });
});

test('files of pictures are taken; films, stickers and other files are left out with a word', async () => {
  const document = (mime_type: string, more = {}) => ({
    document: { file_id: 'two', file_unique_id: 'two-u', file_name: 'IMG.HEIC', mime_type, ...more },
  });
  const prepare = (telegram: FakeTelegram) => {
    telegram.send(document('image/heic'));
    telegram.send(document('application/pdf'));
    telegram.send(document('image/png', { file_size: 21 * 1024 * 1024 }));
    telegram.send({ ...document('video/mp4'), animation: {} });
    telegram.send({ video: { duration: 5 } });
    telegram.send({ sticker: {} });
    telegram.send({ photo: photo('gone') });
    telegram.send({ text: 'Hello' });
    telegram.send({ photo: 'broken', document: 5, date: 1 });
  };
  await withBot(prepare, async ({ settled, pictures, said }) => {
    await settled();
    assert.equal(
      [...pictures.values()].map(({ name, sort }) => `${name} ${sort}`),
      ['IMG.HEIC document'],
    );
    assert.equal(
      said().map((text) => text.slice(3)),
      [
        'Your picture is accepted for “Kitchen”.',
        'Left out: IMG.HEIC (it is not a picture that can be shown).',
        'Left out: IMG.HEIC (the file is too large).',
        'Left out: … (stickers and animations cannot be shown).',
        'Left out: … (videos cannot be shown).',
        'Left out: … (stickers and animations cannot be shown).',
        'Left out: … (it is not a picture that can be shown).',
      ],
    );
  });
});

test('strangers get nothing, a code admits a chat, and in a group its members alone are heard', async () => {
  const prepare = (telegram: FakeTelegram) => {
    const stranger = { chat: { id: 99, type: 'private' }, from: { id: 99 } };
    for (const text of ['Hello', '/start', '/start WRONG-CODE', 'WRONG-CODE']) telegram.send({ ...stranger, text });
    telegram.send({ ...stranger, photo: photo('one') });
    for (let id = 1_000; id < 1_500; id++) telegram.send({ chat: family, from: { id }, photo: photo('one') });
    telegram.send({ chat: family, from: anna, text: '/start@wall_bot wall-2026' });
    telegram.send({ chat: family, from: { id: 1_000 }, photo: photo('one') });
    telegram.send({ chat: family, from: undefined, photo: photo('one') });
    telegram.send({ chat: family, from: { ...anna, is_bot: true }, photo: photo('one') });
    telegram.send({ chat: family, from: anna, photo: photo('two') });
  };
  await withBot(prepare, async ({ settled, pictures, said }) => {
    await settled();
    assert.equal([...pictures.keys()], ['-1001234567890123 two-u']);
    assert.equal(said(), [
      '-1001234567890123 This chat is connected to “Kitchen”. Pictures sent here hang there soon.',
      '-1001234567890123 Your picture is accepted for “Kitchen”.',
    ]);
  });
});

test('a group that became a supergroup keeps its album', async () => {
  const prepare = (telegram: FakeTelegram) => {
    telegram.send({ from: undefined, migrate_to_chat_id: family.id });
    telegram.send({ chat: family, photo: photo('one') });
  };
  await withBot(prepare, async ({ settled, pictures, chats }) => {
    await settled();
    assert.equal([[...chats.keys()], [...pictures.keys()]], [[String(family.id)], [`${family.id} one-u`]]);
  });
});

test('TG-1: what broke before it was stored comes again, and makes nothing twice', async () => {
  const prepare = (telegram: FakeTelegram) => {
    telegram.send({ photo: photo('one') });
    telegram.send({ photo: photo('two') });
    telegram.faults.set('getUpdates', ['cut', 'not JSON', { status: 502, answer: {} }]);
    telegram.faults.set('getFile', [
      { status: 429, answer: { ok: false, error_code: 429, parameters: { retry_after: 7 } } },
    ]);
    telegram.faults.set('file', ['cut', { status: 500, answer: {} }]);
  };
  await withBot(prepare, async ({ settled, pictures, said, states }) => {
    await settled();
    assert.is(pictures.size, 2);
    assert.is(said().length, 2);
    assert.equal([...new Set(states.map(({ state }) => state))], ['away', 'connected']);
  });
});

test('repeated updates and receipts that are refused change nothing', async () => {
  const prepare = (telegram: FakeTelegram) => {
    telegram.send({ photo: photo('one') });
    telegram.faults.set('sendMessage', [
      { status: 429, answer: { ok: false, error_code: 429, parameters: { retry_after: 900 } } },
    ]);
  };
  await withBot(prepare, async (world) => {
    await world.settled();
    world.repeats = true;
    const before = world.calls.length;
    await waitFor(() => world.calls.length > before + 3);
    assert.is(world.pictures.size, 1);
    assert.is(world.said().length, 1);
    assert.equal(world.receipts, []);
  });
});

test('a second program that asks, or a refused token, stops the bot with a sentence', async () => {
  for (const [status, said] of [
    [409, /another program asks/],
    [401, /refuses the token/],
    [404, /refuses the token/],
  ] as const) {
    const prepare = (telegram: FakeTelegram) =>
      void telegram.faults.set('getUpdates', [
        { status, answer: { ok: false, error_code: status, description: fakeToken } },
      ]);
    await withBot(prepare, async ({ states, calls }) => {
      await waitFor(() => states.length > 0);
      const [state] = states;
      assert.is(state?.state, 'stopped');
      assert.match(state !== undefined && 'reason' in state ? wordsOf(state.reason) : '', said);
      await new Promise((resolve) => setTimeout(resolve, 60));
      assert.is(calls.length, 1);
    });
  }
});

test('codes and tokens are read strictly', () => {
  const codes: readonly (readonly [text: string, code: string | undefined])[] = [
    ['/start wall-2026', 'WALL-2026'],
    ['/start@wall_bot WALL-2026 ', 'WALL-2026'],
    ['wall-2026', 'WALL-2026'],
    ['/start', undefined],
    ['/start a b', undefined],
    ['short', undefined],
    ['wall-2026 please', undefined],
    ['x'.repeat(100_000), undefined],
  ];
  for (const [text, code] of codes) assert.is(codeOf(text), code, text.slice(0, 40));
  assert.ok(isBotToken(fakeToken));
  for (const text of ['', '1:a', '123456:AAbb/../getMe', `${fakeToken}/x`, ` ${fakeToken}`])
    assert.not(isBotToken(text));
});

test.run();
