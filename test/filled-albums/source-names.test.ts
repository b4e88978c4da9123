/** Names of pictures that are not shown, and pictures that failed and are tried again. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { leftOutNames, maxNames } from '../../api/filled-albums/source-names.ts';
import { takeListing } from '../../api/filled-albums/take-listing.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { withFilled } from './filled-world.ts';
import { colouredPicture } from './played-source.ts';

const test = suite('pictures that are not shown');
const hourMs = 3_600_000;

test('of each reason the newest names are kept, however many there are', () => {
  const names = leftOutNames();
  for (let at = 0; at < 20_000; at++)
    names.add('video', { name: `clip-${(at * 7) % 20_000}`, arrivedAt: (at * 7) % 20_000 });
  names.add('screenshot', { name: 's'.repeat(5_000) });
  const { video, screenshot } = JSON.parse(names.written());
  assert.equal(
    video,
    Array.from({ length: maxNames }, (_, at) => `clip-${19_999 - at}`),
  );
  assert.equal(
    screenshot.map((name: string) => name.length),
    [200],
  );
});

test('a source lists what it left out and what failed by name, to those who may write the album', () =>
  withFilled(async (world) => {
    const { call, admin, stranger, album } = world;
    const same = await colouredPicture('same');
    world.source.add(
      { key: '2019/one.jpg', name: 'one.jpg', content: same },
      { key: '2019/two.jpg', name: 'two.jpg', content: same },
      { key: 'broken.jpg', content: Buffer.from('no picture at all') },
      { key: 'clip.mp4', name: 'clip.mp4' },
      { key: 'Screenshot_1.png', name: 'Screenshot_1.png' },
    );
    const id = await world.adds();
    await world.fills();
    const path = `/papers/${album}/sources/${id}`;
    const { status, json } = await call('GET', path, { as: admin });
    assert.is(status, 200);
    const { duplicate, ...listed } = json.leftOutNames;
    assert.equal(listed, { video: ['clip.mp4'], screenshot: ['Screenshot_1.png'] });
    assert.ok(['one.jpg', 'two.jpg'].includes(duplicate[0]), duplicate);
    const [{ name, problem, problems }, ...others] = json.failedPictures;
    assert.equal([name, others.length, json.failed], ['broken.jpg.jpg', 0, 1]);
    assert.equal([typeof problem, problems.length], ['string', 1]);
    assert.is((await call('GET', path, { as: stranger })).status, 404);
    assert.is((await call('GET', `/papers/${album}/sources/${'0'.repeat(24)}`, { as: admin })).status, 404);
  }));

test('FI-14: a picture that failed is tried again after a day in the same round, and hangs where it is whole then', () =>
  withFilled(
    async (world) => {
      const { db } = world;
      world.source.add(
        ...Array.from({ length: 40 }, (_, at) => ({ key: `p${at}`, taken: `2001-01-01T10:00:${10 + at}` })),
      );
      world.source.add({ key: 'broken', taken: '2001-01-01T10:00:00', content: Buffer.from('no picture') });
      await world.adds();
      await world.fills();
      const failed = async (): Promise<number | null> =>
        (await db('source_pictures').where({ key: 'broken' }).first()).failed_at;
      const first = await failed();
      assert.type(first, 'number');
      world.source.add({ key: 'broken', taken: '2001-01-01T10:00:00' });
      for (let hour = 0; hour < 22; hour += 2) {
        world.passes(2 * hourMs);
        await world.nextWake();
        await world.filler.settle();
        assert.is(await failed(), first, 'not before');
      }
      world.passes(3 * hourMs);
      await world.nextWake();
      await world.filler.settle();
      assert.is(await failed(), null);
      assert.ok((await world.queued()).includes('broken'));
    },
    { order: 'captured' },
  ));

test('FI-14: a picture that its server answers with an error again and again stops no other', () =>
  withFilled(
    async (world) => {
      const { db } = world;
      world.source.add({ key: 'p0', taken: '2001-01-01T10:00:00', fault: 'away' });
      for (let at = 1; at < 20; at++) world.source.add({ key: `p${at}`, taken: `2001-01-01T10:00:${10 + at}` });
      await world.adds();
      await world.fills();
      world.passes(2 * 60_000);
      await world.fills();
      assert.ok((await world.queued()).length >= 8);
      assert.type((await db('source_pictures').where({ key: 'p0' }).first()).failed_at, 'number');
      assert.is(world.source.fetched.filter((key) => key === 'p0').length, 1);
      assert.is((await db('album_sources').first()).fault_kind, null);
    },
    { order: 'captured' },
  ));

test('an album that had nothing to choose from goes on with the list, also where the service ends right after it', () =>
  withFilled(async (world) => {
    const { db, clock, source } = world;
    await world.adds();
    await world.fills();
    assert.ok((await db('filled_albums').first()).next_at > clock.now(), 'it waits');
    source.add({});
    const row = await db('album_sources').first();
    await takeListing({ db, clock, logger: silentLogger }, row, async () => source.open());
    assert.is((await db('filled_albums').first()).next_at, 0);
  }));

test('the list of papers says since when a source of an album is away', () =>
  withFilled(async (world) => {
    const { call, admin, album } = world;
    world.source.add({});
    await world.adds();
    await world.fills();
    const listed = async () => {
      const { results } = (await call('GET', '/papers/', { as: admin })).json;
      return results.find(({ id }: { id: string }) => id === album).sourcesAwaySince;
    };
    assert.is(await listed(), undefined);
    world.source.fails('away');
    world.passes(hourMs);
    await world.filler.settle();
    assert.ok(Math.abs(Date.parse(await listed()) - world.clock.now()) < 60_000);
    world.source.fails(undefined);
    world.passes(hourMs);
    await world.filler.settle();
    assert.is(await listed(), undefined);
  }));

test.run();
