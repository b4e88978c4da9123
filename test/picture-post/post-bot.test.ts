/** Pictures that are sent to a bot of Telegram, from the code of the console to the answer that they hang. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { photo } from '../papers/images-world.ts';
import { annaOfBot, botPhoto, familyGroup } from '../picture-bot/bot-world.ts';
import { type FakeTelegram, withTelegram } from '../picture-bot/fake-telegram.ts';
import { type PostWorld, withPost } from './post-world.ts';

const test = suite('pictures by Telegram');
const annasChat = { id: 77, type: 'private' };

interface BotWorld extends PostWorld {
  readonly telegram: FakeTelegram;
  /** Makes a code of the album. */
  code(): Promise<string>;
  /** Sends a message as Anna, and resolves when it was taken. */
  says(message: object): Promise<void>;
  /** The texts that were written into chats. */
  said(): unknown[];
}

/** Opens Telegram, with two files, and an album whose bot asks there. */
function withChat(run: (world: BotWorld) => Promise<void>): Promise<void> {
  return withTelegram(async (telegram) => {
    for (const name of ['red', 'blue']) telegram.files.set(name, await photo(800, 480, name));
    await withPost({ bot: telegram }, (world) =>
      run({
        ...world,
        telegram,
        async code() {
          const answer = await world.call('POST', `/papers/${world.album}/post/codes/`, { as: world.admin });
          if (answer.status !== 200) throw new Error(answer.text);
          return answer.json.code;
        },
        async says(message) {
          const update = telegram.send({ chat: annasChat, from: annaOfBot, ...message });
          await world.until(() => telegram.confirmed() > update);
        },
        said: () =>
          telegram.calls.flatMap(({ method, asked }) =>
            method === 'sendMessage' ? [[asked.chat_id, asked.text]] : [],
          ),
      }),
    );
  });
}

test('a code admits a chat; its picture hangs, and the one answer is edited, once, also when the service is restarted', () =>
  withChat(async ({ telegram, code, says, said, shown, pictured, until, settles, shows, restarts, db }) => {
    await until(async () => (await shown()).bot.name === 'family_frame_bot');
    await says({ text: `/start ${(await code()).toLowerCase()}` });
    assert.match(String(said()[0]), /^77,This chat is connected to “/);
    const [chat] = (await shown()).chats;
    assert.equal([chat.title, chat.isGroup, chat.pictures], ['Anna', false, 0]);
    await says({ photo: botPhoto('red'), caption: 'Lake' });
    const [picture] = await pictured();
    assert.equal([picture.caption, picture.sender], ['Lake', { name: 'Anna', isGuest: false, way: 'telegram' }]);
    assert.match(String(said()[1]), /^77,Your picture is accepted for “/);
    await restarts();
    await settles();
    await shows();
    const edits = () => telegram.calls.filter(({ method }) => method === 'editMessageText');
    await until(async () => (await db('post_receipts').whereNotNull('hung_at')).length === 1);
    await restarts();
    await says({ photo: botPhoto('red') });
    const [edited] = edits();
    assert.is(edits().filter(({ asked }) => asked.message_id === edited?.asked.message_id).length, 1);
    assert.match(String(edits()[0]?.asked.text), /^Your picture hangs in “.*” since \d+:\d\d/);
    assert.is((await pictured()).length, 1, 'the same picture hangs once');
    assert.is((await shown()).chats[0].pictures, 2);
  }));

test('a link of the console opens the bot with the code, which counts once and for 15 minutes', () =>
  withChat(async ({ call, admin, album, says, said, shown, until, passes, code }) => {
    await until(async () => (await shown()).bot.name !== null);
    const { json } = await call('POST', `/papers/${album}/post/codes/`, { as: admin });
    assert.is(json.link, `https://t.me/family_frame_bot?start=${json.code}`);
    await code();
    await says({ text: `/start ${json.code}` });
    assert.equal(said(), [], 'another code has replaced it');
    const late = await code();
    passes(15 * 60_000 + 1);
    await says({ text: `/start ${late}` });
    assert.equal([said(), (await shown()).chats], [[], []]);
    const good = await code();
    await says({ text: good });
    await says({ text: `/start ${good}`, chat: { id: 78, type: 'private' }, from: { ...annaOfBot, id: 78 } });
    assert.equal([said().length, (await shown()).chats.length], [1, 1]);
  }));

test('after five wrong codes a chat has to wait for an hour, and others do not', () =>
  withChat(async ({ code, says, said, passes }) => {
    for (let tries = 0; tries < 5; tries++) await says({ text: `/start WRONG-CODE-${tries}` });
    const good = await code();
    await says({ text: `/start ${good}` });
    assert.equal(said(), []);
    passes(3_600_001);
    await says({ text: `/start ${good}` });
    assert.equal(said(), [], 'the code has expired meanwhile');
    await says({ text: `/start ${await code()}` });
    assert.is(said().length, 1);
  }));

test('in a group of 500 the bot is silent, but for those who sent a code', () =>
  withChat(async ({ telegram, code, says, said, pictured, shown, until }) => {
    const inGroup = { chat: familyGroup };
    for (let person = 1; person <= 500; person++) {
      telegram.send({ ...inGroup, from: { id: 1_000 + person }, text: 'hello there', photo: botPhoto('blue') });
    }
    await says({ ...inGroup, text: 'hello' });
    assert.equal([said(), await pictured()], [[], []]);
    await says({ ...inGroup, text: `/start@family_frame_bot ${await code()}` });
    await says({ ...inGroup, from: { id: 1_001 }, photo: botPhoto('blue') });
    await says({ ...inGroup, photo: botPhoto('red') });
    assert.is((await pictured()).length, 1);
    const bert = { id: 1_001, first_name: 'Bert' };
    await says({ ...inGroup, from: bert, text: `/start ${await code()}` });
    await says({ ...inGroup, from: bert, photo: botPhoto('blue') });
    await until(async () => (await pictured()).length === 2);
    const [chat, ...others] = (await shown()).chats;
    assert.equal([chat.title, chat.isGroup, others], ['Family', true, []]);
  }));

test('a group that was made a supergroup goes on; a chat that was removed is passed over', () =>
  withChat(async ({ call, admin, album, code, says, said, pictured, shown }) => {
    const small = { chat: { id: -50, type: 'group', title: 'Small' } };
    await says({ ...small, text: `/start ${await code()}` });
    await says({ ...small, migrate_to_chat_id: familyGroup.id });
    await says({ chat: familyGroup, photo: botPhoto('red') });
    assert.is((await pictured()).length, 1);
    const [{ id }] = (await shown()).chats;
    const path = `/papers/${album}/post/chats/${id}`;
    assert.is((await call('DELETE', path, { as: admin })).status, 204);
    assert.is((await call('DELETE', path, { as: admin })).status, 404);
    const before = said().length;
    await says({ chat: familyGroup, photo: botPhoto('blue') });
    assert.equal([said().length, (await pictured()).length], [before, 1]);
  }));

test('a chat of an album that moved to another organization is passed over, and its codes count no longer', () =>
  withChat(async ({ code, says, said, db, album, stranger, call }) => {
    await says({ text: `/start ${await code()}` });
    const open = await code();
    await db('papers').where({ id: album }).update({ organization_id: stranger.organizationId });
    await says({ photo: botPhoto('red') });
    await says({ text: `/start ${open}`, chat: { id: 78, type: 'private' }, from: { ...annaOfBot, id: 78 } });
    assert.is(said().length, 1);
    assert.equal(await db('sent_pictures'), []);
    assert.equal((await call('GET', `/papers/${album}/post/`, { as: stranger })).json.chats, []);
  }));

test('where another program asks for the messages, members see that the bot stopped, and why', () =>
  withChat(async ({ telegram, shown, until }) => {
    const conflict = { status: 409, answer: { ok: false, error_code: 409 } };
    telegram.faults.set(
      'getUpdates',
      Array.from({ length: 1_000 }, () => conflict),
    );
    await until(async () => (await shown()).bot.state === 'stopped');
    const { bot } = await shown();
    assert.is(bot.problems[0].code, 'album-source-bot-other-poller');
    telegram.faults.set('getUpdates', []);
    await until(async () => (await shown()).bot.state === 'connected');
  }));

test('a video and a broken file are named in the answer, and the pictures next to them are stored', () =>
  withChat(async ({ telegram, code, says, said, pictured }) => {
    await says({ text: `/start ${await code()}` });
    telegram.files.set('broken', Buffer.from('\xff\xd8\xff nothing', 'latin1'));
    telegram.send({ chat: annasChat, from: annaOfBot, media_group_id: 'g', photo: botPhoto('red') });
    telegram.send({ chat: annasChat, from: annaOfBot, media_group_id: 'g', photo: botPhoto('broken') });
    await says({ media_group_id: 'g', video: {} });
    assert.is((await pictured()).length, 1);
    const [, answer] = said() as [unknown, unknown[]];
    assert.match(
      String(answer?.[1]),
      /is accepted[\s\S]*Left out: … \(it is not a picture that can be shown\)[\s\S]*videos cannot be shown/,
    );
  }));

test.run();
