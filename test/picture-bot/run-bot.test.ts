/** The bot that takes pictures: who is heard, what is stored, and how it bears a broken server (TG-1 to TG-6). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isBotToken } from '../../api/picture-bot/call-bot.ts';
import { codeOf } from '../../api/picture-bot/judge-update.ts';
import { wordsOf } from '../../reasons/words.ts';
import { annaOfBot, botPhoto, familyGroup, kitchenOfBot, untilTrue, withBot } from './bot-world.ts';
import { type FakeTelegram, fakeToken } from './fake-telegram.ts';

const test = suite('the bot for pictures');

test('a photo is stored in its largest size, and its receipt is edited when it hangs', async () => {
  const prepare = (telegram: FakeTelegram) => void telegram.send({ photo: botPhoto('one'), caption: ' At the\nlake ' });
  await withBot(prepare, async ({ settled, pictures, receipts, said, bot, calls }) => {
    await settled();
    const [picture] = pictures.values();
    assert.is(picture?.content.toString(), 'picture one');
    assert.equal([picture?.caption, picture?.sort, picture?.sender], ['At the lake', 'photo', '77']);
    assert.equal(said(), ['77 Your picture is accepted for “Kitchen”.']);
    const hungAt = Date.UTC(2026, 0, 10, 8, 14);
    const facts = { ...kitchenOfBot, count: 1, leftOut: [], hungAt, now: hungAt + 60_000 };
    const [receipt] = receipts;
    assert.ok(receipt !== undefined && (await bot.report(receipt, facts)));
    const edited = calls.find(({ method }) => method === 'editMessageText');
    assert.is(edited?.asked.text, 'Your picture hangs in “Kitchen” since 9:14.');
  });
});

test('an album has one caption and one receipt, also when its pictures come one after the other', async () => {
  const album = (name: string, more = {}) => ({ photo: botPhoto(name), media_group_id: 'g1', ...more });
  const prepare = (telegram: FakeTelegram) => void telegram.send(album('one', { caption: 'Lake' }));
  await withBot(prepare, async ({ send, settled, pictures, said, calls }) => {
    await untilTrue(() => calls.some(({ method }) => method === 'getUpdates'));
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
    telegram.send({ photo: botPhoto('gone') });
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
    telegram.send({ ...stranger, photo: botPhoto('one') });
    for (let id = 1_000; id < 1_500; id++) telegram.send({ chat: familyGroup, from: { id }, photo: botPhoto('one') });
    telegram.send({ chat: familyGroup, from: annaOfBot, text: '/start@wall_bot wall-2026' });
    telegram.send({ chat: familyGroup, from: { id: 1_000 }, photo: botPhoto('one') });
    telegram.send({ chat: familyGroup, from: undefined, photo: botPhoto('one') });
    telegram.send({ chat: familyGroup, from: { ...annaOfBot, is_bot: true }, photo: botPhoto('one') });
    telegram.send({ chat: familyGroup, from: annaOfBot, photo: botPhoto('two') });
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
    telegram.send({ from: undefined, migrate_to_chat_id: familyGroup.id });
    telegram.send({ chat: familyGroup, photo: botPhoto('one') });
  };
  await withBot(prepare, async ({ settled, pictures, chats }) => {
    await settled();
    assert.equal([[...chats.keys()], [...pictures.keys()]], [[String(familyGroup.id)], [`${familyGroup.id} one-u`]]);
  });
});

test('TG-1: what broke before it was stored comes again, and makes nothing twice', async () => {
  const prepare = (telegram: FakeTelegram) => {
    telegram.send({ photo: botPhoto('one') });
    telegram.send({ photo: botPhoto('two') });
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
    telegram.send({ photo: botPhoto('one') });
    telegram.faults.set('sendMessage', [
      { status: 429, answer: { ok: false, error_code: 429, parameters: { retry_after: 900 } } },
    ]);
  };
  await withBot(prepare, async (world) => {
    await world.settled();
    world.repeats = true;
    const before = world.calls.length;
    await untilTrue(() => world.calls.length > before + 3);
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
      await untilTrue(() => states.length > 0);
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
