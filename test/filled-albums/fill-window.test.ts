/** Albums that sources fill: what hangs, in which order, and what is removed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { albumPicture } from '../../api/drawing/album-picture.ts';
import { readQueue } from '../../api/filled-albums/queue.ts';
import { type FilledWorld, withFilled } from './filled-world.ts';
import { colouredPicture } from './played-source.ts';

const test = suite('filled albums');
const hourMs = 3_600_000;

/** Has the frame wake several times, with the album filled in between. */
async function wakes({ nextWake, fills }: FilledWorld, count: number): Promise<string[]> {
  const shown: string[] = [];
  for (let wake = 0; wake < count; wake++) {
    shown.push(await nextWake());
    await fills();
  }
  return shown;
}

test('FI-3: of a shuffled album each picture hangs once before any comes again, and the next round has another order', () =>
  withFilled(
    async (world) => {
      world.source.add(...Array.from({ length: 12 }, () => ({})));
      await world.adds();
      await world.fills();
      const first = await wakes(world, 12);
      assert.is(new Set(first).size, 12, first.join());
      const second = await wakes(world, 12);
      assert.is(new Set(second).size, 12, second.join());
      assert.is.not(first.join(), second.join());
      assert.is.not(first.at(-1), second[0]);
    },
    { order: 'random' },
  ));

test('FI-1: of many pictures some twenty are here, and the next ones before they are needed', () =>
  withFilled(
    async (world) => {
      const { db, album } = world;
      world.source.add(...Array.from({ length: 100 }, () => ({})));
      await world.adds();
      await world.fills();
      assert.is((await world.queued()).length, 8);
      for (let wake = 0; wake < 16; wake++) {
        await world.nextWake();
        await world.fills();
        const here = await db('sent_pictures').where({ paper_id: album });
        assert.ok(here.length <= 22, `${here.length} after ${wake}`);
      }
    },
    { order: 'random' },
  ));

test('a picture that somebody sends comes next, once, and then the others go on', () =>
  withFilled(async (world) => {
    world.source.add(...Array.from({ length: 12 }, () => ({})));
    await world.adds();
    await world.fills();
    const before = await wakes(world, 2);
    await world.send('#ff0000');
    await world.settles();
    const after = await wakes(world, 3);
    assert.is(after[0], 'sent');
    assert.is(new Set([...before, ...after]).size, 5, [...before, ...after].join());
  }));

test('FI-9: while its source is away the pictures that are here take turns, and the album says since when', () =>
  withFilled(async (world) => {
    const { db } = world;
    world.source.add(...Array.from({ length: 40 }, () => ({})));
    const id = await world.adds();
    await world.fills();
    await wakes(world, 5);
    world.source.fails('away');
    world.passes(hourMs);
    await world.fills();
    const row = await db('album_sources').where({ id }).first();
    assert.is(row.fault_kind, 'away');
    assert.ok(row.fault_since <= world.clock.now());
    const shown = await wakes(world, 16);
    assert.ok(new Set(shown).size >= 8, shown.join());
    assert.ok(
      shown.every((key, at) => at === 0 || key !== shown[at - 1]),
      shown.join(),
    );
    world.source.fails(undefined);
    world.passes(hourMs);
    await world.fills();
    assert.is((await db('album_sources').where({ id }).first()).fault_kind, null);
  }));

test('FI-10: a picture that is removed at its source leaves the album and the glass', () =>
  withFilled(async (world) => {
    const { db, album } = world;
    world.source.add(...Array.from({ length: 12 }, () => ({})));
    await world.adds();
    await world.fills();
    const [hanging = ''] = await wakes(world, 1);
    world.source.pictures.delete(hanging);
    world.passes(hourMs);
    await world.fills();
    assert.is(await db('source_pictures').where({ key: hanging }).first(), undefined);
    const next = await world.shows();
    const { picture_id } = await db('picture_showings').where({ upload_id: next }).first();
    const row = await db('sent_pictures').where({ id: picture_id }).first();
    const { key } = await db('source_pictures').where({ id: row.source_picture }).first();
    assert.is.not(key, hanging);
    assert.not((await world.queued()).includes('gone'));
    const here = await db('sent_pictures').where({ paper_id: album });
    const queue = await db('album_queue').where({ paper_id: album });
    assert.ok(here.every(({ id }) => queue.some((entry) => entry.picture_id === id)));
  }));

test('FI-9: an empty answer where there was plenty removes nothing until a second one an hour later', () =>
  withFilled(async (world) => {
    const { db } = world;
    world.source.add(...Array.from({ length: 12 }, () => ({})));
    const id = await world.adds();
    await world.fills();
    world.source.pictures.clear();
    world.passes(hourMs);
    await world.fills();
    const doubted = await db('album_sources').where({ id }).first();
    assert.equal([doubted.pictures, doubted.doubt_found], [12, 0]);
    assert.ok((await world.queued()).length >= 8);
    world.passes(hourMs);
    await world.fills();
    assert.equal(await world.queued(), []);
    assert.is((await db('album_sources').where({ id }).first()).pictures, 0);
  }));

test('FI-8: two portraits hang next to each other on a panel that lies, with the words of both', () =>
  withFilled(
    async (world) => {
      const { db, clock, album } = world;
      const portrait = { width: 600, height: 900 };
      world.source.add(
        { key: 'a', ...portrait, taken: '2019-07-01T10:00:00', place: 'Lisbon', caption: 'Tram' },
        { key: 'b', ...portrait, taken: '2019-07-02T10:00:00', place: 'Porto' },
        { key: 'c', ...portrait, taken: '2031-01-02T10:00:00' },
        { key: 'd', width: 900, height: 600, taken: '2019-07-01T11:00:00' },
      );
      await world.adds();
      await world.fills();
      const paper = await db('papers').where({ id: album }).first();
      const queue = await readQueue(db, album);
      const pictures = await Promise.all(
        queue.map(({ place }) => albumPicture({ db, clock }, paper, { position: place, isPart: false })),
      );
      const pair = pictures.find((one) => one?.beside !== undefined);
      const taken = [pair?.row.taken, pair?.beside?.taken].sort();
      assert.equal(taken, ['2019-07-01T10:00:00', '2019-07-02T10:00:00'], 'the one that was taken nearest');
      const { lines = [], beside = [] } = pair?.picture.words ?? {};
      assert.equal([lines, beside].sort(), [['1 July 2019 · Lisbon'], ['2 July 2019 · Porto']], 'each has its own');
      const wide = pictures.find((one) => one?.row.taken === '2019-07-01T11:00:00');
      assert.equal([wide?.beside, wide?.picture.words?.lines], [undefined, ['1 July 2019']]);
      await world.wakesSoon();
      assert.type(await world.shows(), 'string', 'and it is drawn');
    },
    { order: 'captured', pairs: true, words: ['date', 'place'] },
  ));

test('FI-4: on this day hang pictures of the day in other years, by the date of the camera', () =>
  withFilled(
    async (world) => {
      const [year, month, day] = new Date(world.clock.now()).toISOString().slice(0, 10).split('-').map(Number);
      const dated = (years: number, days: number): string =>
        new Date(Date.UTC((year ?? 0) - years, (month ?? 1) - 1, (day ?? 1) + days, 23, 30)).toISOString().slice(0, 19);
      world.source.add(
        { key: 'today', taken: dated(3, 0) },
        { key: 'this year', taken: dated(0, 0) },
        { key: 'near', taken: dated(4, 2) },
        { key: 'far', taken: dated(4, 40) },
      );
      await world.adds();
      await world.fills();
      assert.equal([...new Set(await world.queued())], ['today']);
      world.passes(24 * hourMs);
      await world.fills();
      const ahead = (await world.queued()).slice(-4);
      assert.equal([...new Set(ahead)].sort(), ['near', 'today'], 'without one of the day, those around it');
    },
    { order: 'onThisDay' },
  ));

test('FI-2: as taken, the oldest comes first, and the newest first where the album has its pictures in turn', () =>
  withFilled(
    async (world) => {
      const { db, album } = world;
      world.source.add(
        { key: 'b', taken: '2012-01-01T10:00:00', arrivedAt: 3 },
        { key: 'c', taken: '2013-01-01T10:00:00', arrivedAt: 1 },
        { key: 'a', taken: '2011-01-01T10:00:00', arrivedAt: 2 },
      );
      await world.adds();
      await world.fills();
      assert.equal((await world.queued()).slice(0, 4), ['a', 'b', 'c', 'a']);
      await db('papers').where({ id: album }).update({ meta: '{"orientation":"landscape"}' });
      world.passes(hourMs);
      await world.fills();
      const [first = '', ...next] = await world.queued();
      assert.ok('abc'.includes(first));
      assert.equal(next.slice(-8).slice(0, 3).sort(), ['a', 'b', 'c']);
    },
    { order: 'captured' },
  ));

test('FI-6, FI-7, FI-14: what is there twice, left out by rule or broken is counted and never stops the album', () =>
  withFilled(async (world) => {
    const { db } = world;
    const same = await colouredPicture('same');
    world.source.add(
      { key: 'one', content: same },
      { key: 'two', content: same },
      { key: 'broken', content: Buffer.from('no picture at all') },
      { key: 'video.mp4', name: 'video.mp4' },
      { key: 'small', width: 100, height: 100 },
      { key: 'Screenshot_1.png', name: 'Screenshot_1.png' },
      { key: 'good' },
    );
    await world.adds();
    await world.fills();
    assert.equal(new Set(await world.queued()).size, 2);
    const rows = await db('source_pictures').orderBy('key');
    const states = Object.fromEntries(
      rows.map((row) => [row.key, row.left_out ?? (row.failed_at === null ? 'shown' : 'failed')]),
    );
    assert.is(states.broken, 'failed');
    assert.is(states.good, 'shown');
    assert.equal([states.one, states.two].sort(), ['duplicate', 'shown']);
    const { left_out } = await db('album_sources').first();
    assert.equal(JSON.parse(left_out), { video: 1, small: 1, screenshot: 1 });
  }));

test.run();
