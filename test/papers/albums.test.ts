/** Albums: who sent what, what is shown next, and what proves that it is on the glass. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LineDeps } from '../../api/delivery/line-deps.ts';
import { markDuePictures } from '../../api/delivery/mark-due-pictures.ts';
import { isTimeForNext } from '../../api/papers/album-pace.ts';
import { albumLimits, albumPictureAt, forgetShowings, type SentPictureRow } from '../../api/papers/sent-pictures.ts';
import { heldBack } from '../database.ts';
import { type AlbumWorld, pictureFormOf, withAlbum } from './album-world.ts';
import { bomb, fetched, photo } from './images-world.ts';

const test = suite('albums');

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly since: string | null;
  readonly sender: { readonly name: string; readonly isGuest: boolean };
  readonly caption: string;
}

const listed = async ({ call, admin, album }: AlbumWorld): Promise<Shown[]> =>
  (await call('GET', `/papers/${album}/pictures/`, { as: admin })).json;

const statesOf = async (world: AlbumWorld): Promise<string[]> => (await listed(world)).map(({ state }) => state);

test('an album shows what was sent last, and members see who sent it, when, and with which words', () =>
  withAlbum(async (world) => {
    const { send, user, admin, call, album } = world;
    const sent = await send('#ff0000', { caption: 'The sea <b>&</b> 🌊', as: user });
    assert.is(sent.status, 201, sent.text);
    assert.equal(sent.json.sender, { name: 'Uma', isGuest: false, way: 'member' });
    assert.is((await send('#00ff00', { as: admin })).status, 201);
    const [newest, oldest] = await listed(world);
    assert.equal([newest?.sender.name, oldest?.sender.name, oldest?.caption], ['Ada', 'Uma', 'The sea <b>&</b> 🌊']);
    const { url } = (await call('GET', `/papers/${album}/pictures/${oldest?.id}`, { as: admin })).json;
    assert.is((await fetched(url)).type, 'image/jpeg');
    const again = (await call('GET', `/papers/${album}/pictures/${oldest?.id}`, { as: admin })).json.url;
    assert.is(new URL(again).pathname.split('.')[0], new URL(url).pathname.split('.')[0], 'it is made once');
    const whole = await call('GET', `/papers/${album}/pictures/${oldest?.id}?kind=original.png`, { as: admin });
    assert.is((await fetched(whole.json.url)).type, 'image/png');
  }));

test('an album that no device shows has the picture that would come first, small and as the panel shows it', () =>
  withAlbum(async (world) => {
    const { send, admin, call, album, deviceId, settles } = world;
    await call('POST', `/devices/${deviceId}`, { as: admin, json: { paper: null } });
    const imageOf = async (kind: string): Promise<Buffer | undefined> => {
      const { json } = await call('POST', `/papers/image/${album}?kind=${kind}`, { as: admin });
      return json.signedUrl && (await fetched(json.signedUrl)).bytes;
    };
    assert.is(await imageOf('.png'), undefined, 'there is nothing in it yet');
    await send('#ff0000');
    await send('#0000ff');
    await settles();
    for (const kind of ['.png', 'thumbnail.jpg']) {
      const { channels } = await sharp(await imageOf(kind)).stats();
      const [red = 0, , blue = 0] = channels.map(({ mean }) => mean);
      assert.ok(blue > red, `${kind}: ${red} red, ${blue} blue`);
    }
  }));

test('C-62: what was sent last stays until the frame has taken it, then the others follow, and only proofs count', () =>
  withAlbum(async (world) => {
    const { send, settles, shows, wakesSoon } = world;
    await send('#ff0000');
    await settles();
    assert.equal(await statesOf(world), ['on-its-way']);
    await send('#0000ff');
    await settles();
    assert.equal(await statesOf(world), ['on-its-way', 'accepted'], 'the newer one goes first');
    await wakesSoon();
    assert.equal(await statesOf(world), ['on-its-way', 'accepted'], 'and stays until the frame has it');
    await shows(false);
    assert.equal(await statesOf(world), ['on-its-way', 'accepted'], 'a report alone proves nothing');
    await shows();
    assert.equal(await statesOf(world), ['on-glass', 'accepted']);
    assert.type((await listed(world))[0]?.since, 'string');
    await wakesSoon();
    assert.equal(await statesOf(world), ['on-glass', 'on-its-way']);
    await shows();
    assert.equal(await statesOf(world), ['was-on-glass', 'on-glass']);
    await wakesSoon();
    assert.equal(await statesOf(world), ['on-its-way', 'on-glass'], 'they go round');
  }));

test('an album with a pace stays with a picture for a day, or for its hours, however often the frame wakes', () =>
  withAlbum(async (world) => {
    const { send, settles, shows, call, admin, album, db, clock, passes, serial } = world;
    const { organization_id: organization, device_id: deviceId } = await db('papers').where({ id: album }).first();
    const pace = (every: unknown) =>
      call('POST', `/papers/${album}`, {
        as: admin,
        json: { organization, deviceId, kind: 'album', meta: { every, timezone: 'UTC' } },
      });
    const wakesAfter = async (hours: number): Promise<void> => {
      passes(hours * 3_600_000);
      await db('frames')
        .where({ serial })
        .update({ asleep_until: clock.now() + 60_000 });
      await markDuePictures({ db, clock } as LineDeps);
      await settles();
      await shows();
    };
    assert.match((await pace('fortnight')).text, /day, a whole number of hours from 1 to 168/);
    assert.is((await pace(3)).status, 200);
    for (const colour of ['#ff0000', '#00ff00']) await send(colour);
    await settles();
    await shows();
    await wakesAfter(1);
    assert.equal(await statesOf(world), ['on-glass', 'accepted'], 'three hours are not over');
    await wakesAfter(2);
    assert.equal(await statesOf(world), ['was-on-glass', 'on-glass']);
    await wakesAfter(2);
    assert.equal(await statesOf(world), ['was-on-glass', 'on-glass'], 'they begin anew with each picture');
    await wakesAfter(1);
    assert.equal(await statesOf(world), ['on-glass', 'was-on-glass']);
  }));

test('a day is over at midnight in the zone of the album, and a pace of no kind is over at once', () => {
  const at = (time: string): number => Date.parse(time);
  const daily = { every: 'day', timezone: 'Europe/Berlin' };
  assert.not(isTimeForNext(daily, at('2026-11-27T05:00:00Z'), at('2026-11-27T22:59:00Z')));
  assert.ok(isTimeForNext(daily, at('2026-11-27T22:59:00Z'), at('2026-11-27T23:01:00Z')));
  assert.ok(
    isTimeForNext({ ...daily, timezone: 'Nowhere/Land' }, at('2026-11-27T23:59:00Z'), at('2026-11-28T00:01:00Z')),
  );
  assert.ok(isTimeForNext({}, 0, 1));
});

test('the same picture twice is on the glass once for both', () =>
  withAlbum(async (world) => {
    const { send, settles, shows } = world;
    await send('#ff0000');
    await settles();
    await shows();
    await send('#ff0000');
    await settles();
    assert.equal(await statesOf(world), ['on-glass', 'on-glass']);
  }));

test('a picture that is taken out is gone from the list and from the frame, and an order is kept', () =>
  withAlbum(async (world) => {
    const { send, settles, shows, call, admin, album, db } = world;
    for (const colour of ['#ff0000', '#00ff00', '#0000ff']) await send(colour);
    await settles();
    await shows();
    const [c, b, a] = (await listed(world)).map(({ id }) => id);
    const ordered = await call('POST', `/papers/${album}/pictures/order`, {
      as: admin,
      json: { pictures: [a, b, a, 'f'.repeat(24)] },
    });
    assert.is(ordered.status, 204, ordered.text);
    assert.equal(
      (await listed(world)).map(({ id }) => id),
      [c, a, b],
      'what is not named, because it came meanwhile, stays in front',
    );
    const removed = await call('DELETE', `/papers/${album}/pictures/${c}`, { as: admin });
    assert.is(removed.status, 204, removed.text);
    assert.is((await call('DELETE', `/papers/${album}/pictures/${c}`, { as: admin })).status, 404);
    await settles();
    assert.equal(await statesOf(world), ['on-its-way', 'accepted']);
    assert.equal(await db('picture_showings').where({ picture_id: c }), []);
    for (const id of [a, b]) await call('DELETE', `/papers/${album}/pictures/${id}`, { as: admin });
    await settles();
    const why = await db('shown_pictures').where({ paper_id: album }).first('problem');
    assert.is(why.problem, null, 'an empty album has a picture of its own');
  }));

test('INV-05, INV-06: a repetition is answered with the picture that came first, another picture is refused', () =>
  withAlbum(async (world) => {
    const { send, db, album } = world;
    const first = await send('#ff0000', { messageId: 'm-1' });
    const again = await send('#ff0000', { messageId: 'm-1' });
    assert.equal([again.status, again.json.id], [201, first.json.id]);
    const other = await send('#00ff00', { messageId: 'm-1' });
    assert.equal([other.status, other.json.code], [409, 'message-id-used']);
    const { ended } = await heldBack(db, 'papers', { id: album }, 2, () =>
      Promise.all([send('#0000ff', { messageId: 'm-2' }), send('#0000ff', { messageId: 'm-2' })]),
    );
    const [one, two] = await ended;
    assert.is(one?.json.id, two?.json.id, 'two at once are one');
    assert.is((await listed(world)).length, 2);
  }));

test('T-71: a full album says so before a picture is decoded, and what cannot be taken is refused as elsewhere', () =>
  withAlbum(async (world) => {
    const { send, call, user, album, db } = world;
    const post = (bytes: Buffer) =>
      call('POST', `/papers/${album}/pictures/`, { as: user, body: pictureFormOf(bytes) });
    const refused: readonly (readonly [string, Buffer, string])[] = [
      ['a HEIC without its picture', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), 'invalid-image'],
      ['PDF', Buffer.from('%PDF-1.7\n'), 'unsupported-image'],
      ['200 megapixels', bomb(20_000, 10_000), 'unsupported-image'],
      ['half a picture', (await photo(800, 480)).subarray(0, 300), 'invalid-image'],
    ];
    for (const [name, bytes, code] of refused) assert.is((await post(bytes)).json.code, code, name);
    const nothing = await call('POST', `/papers/${album}/pictures/`, { as: user, body: '' });
    assert.is(nothing.status, 400);
    const long = await send('#ff0000', { caption: 'x'.repeat(10_000) });
    assert.is(long.status, 400);
    await send('#ff0000');
    await db('sent_pictures').update({ bytes: albumLimits.bytes - 10 });
    const heavy = await send('#00ff00');
    assert.equal([heavy.status, heavy.json.code], [409, 'album-full']);
    const [row] = await db('sent_pictures');
    for (let count = 1; count < albumLimits.pictures; count++) {
      await db('sent_pictures').insert({ ...row, id: `p${count}`, message_id: null, bytes: 1 });
    }
    const full = await post(Buffer.from('%PDF-1.7\n'));
    assert.equal([full.status, full.json.code], [409, 'album-full']);
    assert.match(full.json.hint, /remove/);
  }));

test('an album takes pictures one by one: other ways of uploading lead there', () =>
  withAlbum(async ({ call, user, album }) => {
    const answer = await call('POST', `/papers/uploadSingleImage/${album}`, {
      as: user,
      body: pictureFormOf(await photo(80, 48)),
    });
    assert.is(answer.status, 400);
    assert.match(answer.json.hint, `POST /papers/${album}/pictures/`);
    const body = pictureFormOf(await photo(80, 48));
    body.append('showUntil', new Date(Date.now() + 86_400_000).toISOString());
    const timed = await call('POST', `/papers/uploadSingleImage/${album}`, { as: user, body });
    assert.equal([timed.status, timed.json.message], [400, 'This paper is an album']);
    const plain = await call('POST', '/papers', {
      as: user,
      json: {
        organization: user.organizationId,
        deviceId: (await call('GET', `/papers/${album}`, { as: user })).json.deviceId,
        kind: 'text',
      },
    });
    const wrong = await call('GET', `/papers/${plain.json.id}/pictures/`, { as: user });
    assert.equal([wrong.status, wrong.json.code], [400, 'invalid-request']);
  }));

test('a picture of an album is dithered as its sender saw it in the preview', () =>
  withAlbum(async (world) => {
    const { call, user, album, settles, db } = world;
    const { data, info } = await sharp(await photo(800, 480, '#7fa0d0'))
      .raw()
      .toBuffer({ resolveWithObject: true });
    for (let at = 0; at < data.length; at++) data[at] = (data[at] ?? 0) ^ (at % 97);
    const file = await sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
      .png()
      .toBuffer();
    const digests = new Set<string>();
    for (const intent of ['photo', 'text']) {
      const body = pictureFormOf(file);
      body.append('intent', intent);
      const sent = await call('POST', `/papers/${album}/pictures/`, { as: user, body });
      assert.is(sent.status, 201, sent.text);
      await settles();
      digests.add((await db('uploads').whereNull('replaced_at').first('picture_sha256')).picture_sha256);
    }
    assert.is(digests.size, 2);
    const body = pictureFormOf(file);
    body.append('intent', 'beauty');
    assert.is((await call('POST', `/papers/${album}/pictures/`, { as: user, body })).status, 400);
  }));

test('removing an album takes its pictures along, and what offers showed is forgotten with the offers', () =>
  withAlbum(async (world) => {
    const { send, settles, call, admin, album, deviceId, db, link } = world;
    await send('#ff0000');
    await link();
    await settles();
    assert.is(await forgetShowings(db), 0);
    assert.is((await db('picture_showings')).length, 1);
    await call('POST', `/devices/${deviceId}`, { as: admin, json: { paper: null } });
    assert.is((await call('DELETE', `/papers/${album}`, { as: admin })).status, 200);
    for (const table of ['sent_pictures', 'guest_links', 'picture_showings']) assert.equal(await db(table), [], table);
    await db('picture_showings').insert({ upload_id: 'gone', picture_id: 'p' });
    assert.is(await forgetShowings(db), 1);
  }));

test('the order of an album: all in turn from the newest, shuffled after it, or the newest alone', () => {
  const pictures = ['d', 'c', 'b', 'a'].map(
    (id, at) => ({ id, created_at: id === 'c' ? 9 : 4 - at }) as SentPictureRow,
  );
  const shown = (meta: object, turns = 8): string =>
    Array.from({ length: turns }, (_, turn) => albumPictureAt(pictures, { ...meta }, 'seed', turn).id).join('');
  assert.is(shown({}), 'dcbadcba');
  assert.is(shown({ currentSlide: 2 }), 'dcbadcba', 'what slides keep is none of an album');
  assert.is(shown({ order: 'newest' }), 'cccccccc');
  const dealt = shown({ order: 'random' }, 400);
  assert.is(dealt[0], 'd', 'what was sent last is seen first');
  assert.equal([...new Set(dealt)].sort(), ['a', 'b', 'c', 'd']);
});

test.run();
