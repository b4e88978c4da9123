/** Dates of capture that stand in the files of a folder alone, and words that say of which day a picture is. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { albumPicture } from '../../api/drawing/album-picture.ts';
import { readQueue } from '../../api/filled-albums/queue.ts';
import { headsOfListing } from '../../api/filled-albums/read-captures.ts';
import { jpegWith, madeExif } from '../picture-sources/exif-files.ts';
import { type FilledWorld, withFilled } from './filled-world.ts';
import { colouredPicture, playedSource } from './played-source.ts';

const test = suite('dates of capture');
const hourMs = 3_600_000;

/** The beginning of a file that was taken at a local time. */
const headOf = (taken: string, size: [number, number] = [800, 600]): Buffer =>
  jpegWith(madeExif({ details: { 36867: taken.replaceAll('-', ':').replace('T', ' ') } }), size);

const rowOf = async ({ db }: FilledWorld, key: string) => db('source_pictures').where({ key }).first();

test('FI-12, WD-9: a folder is ordered by the dates in its files before they are fetched, and each is read once', () =>
  withFilled(
    async (world) => {
      const folder = playedSource({ isFolder: true });
      const unsized = { width: undefined, height: undefined } as object;
      const content = await colouredPicture('late', { width: 600, height: 900 });
      folder.add(
        { key: 'late', arrivedAt: 1, content, head: headOf('2020-05-01T10:00:00', [600, 900]), ...unsized },
        { key: 'early', arrivedAt: 2, head: headOf('2001-05-01T23:30:00') },
        { key: 'stated', arrivedAt: 3, taken: '2010-01-01T10:00:00' },
        { key: 'dateless', arrivedAt: 4 },
        { key: 'video.mp4', name: 'video.mp4', arrivedAt: 5, sort: 'video' },
      );
      await world.adds(folder);
      await world.fills();
      // The album is filled while its source is listed, and may come to a picture first.
      const read = folder.heads.length;
      assert.equal(
        [...new Set(folder.heads)].sort(),
        ['dateless', 'early', 'late'],
        'what is stated is not looked for',
      );
      const inOrder = await world.db('source_pictures').orderBy('taken').pluck('key');
      assert.equal(inOrder, ['dateless', 'early', 'stated', 'late']);
      const late = await rowOf(world, 'late');
      assert.equal([late.is_guessed, late.day, late.width, late.height], [0, 501, 600, 900]);
      assert.is((await rowOf(world, 'dateless')).is_guessed, 1);
      for (let hour = 0; hour < 3; hour++) {
        world.passes(hourMs);
        await world.filler.settle();
      }
      assert.is(folder.heads.length, read, 'remembered');
      const changed = { ...folder.pictures.get('early'), mark: '2', head: headOf('2022-05-01T10:00:00') };
      folder.add({ key: 'early', ...changed });
      world.passes(hourMs);
      await world.filler.settle();
      assert.equal(folder.heads.slice(read), ['early'], 'and read again where the file changed');
      assert.is(new Date((await rowOf(world, 'early')).taken).toISOString().slice(0, 10), '2022-05-01');
    },
    { order: 'captured' },
  ));

test('of a large folder some are read with each listing, until all are; an order that needs no dates reads none', () =>
  withFilled(
    async (world) => {
      const { db, album } = world;
      const folder = playedSource({ isFolder: true });
      folder.add(
        ...Array.from({ length: headsOfListing + 50 }, (_, at) => ({
          arrivedAt: at,
          head: headOf('2020-05-01T10:00:00'),
        })),
      );
      await world.adds(folder);
      const listings = async (): Promise<void> => {
        world.passes(hourMs);
        await world.filler.settle();
      };
      await world.filler.settle();
      assert.is(folder.heads.length, folder.fetched.length, 'of those that come alone');
      await db('papers')
        .where({ id: album })
        .update({ meta: JSON.stringify({ order: 'captured' }) });
      const before = folder.heads.length;
      await listings();
      assert.ok(folder.heads.length - before <= headsOfListing + 16, `${folder.heads.length}`);
      assert.ok(folder.heads.length < headsOfListing + 50);
      await listings();
      assert.is(folder.heads.length, headsOfListing + 50);
      await listings();
      assert.is(folder.heads.length, headsOfListing + 50);
    },
    { order: 'random' },
  ));

test('a file that cannot be read has a guessed date, and a source that stops answering is not taken for a file without one', () =>
  withFilled(
    async (world) => {
      const folder = playedSource({ isFolder: true });
      folder.add(
        { key: 'broken', head: Buffer.from('no picture') },
        { key: 'good', head: headOf('2020-05-01T10:00:00') },
      );
      await world.adds({
        ...folder,
        open: () => ({
          ...folder.open(),
          async fetchHead(key) {
            folder.fails('away');
            return folder.open().fetchHead?.(key);
          },
        }),
      });
      await world.filler.settle();
      assert.is((await rowOf(world, 'good')).is_read, 0);
      folder.fails(undefined);
      world.passes(hourMs);
      await world.filler.settle();
      assert.is((await rowOf(world, 'good')).is_guessed, 1, 'away again at the first file');
    },
    { order: 'captured' },
  ));

test('FI-4: a picture of another day says so, one of this day and one that a person sent do not', () =>
  withFilled(
    async (world) => {
      const { db, clock, album } = world;
      const folder = playedSource({ isFolder: true });
      const today = new Date(clock.now()).toISOString().slice(5, 10);
      folder.add({ key: 'other', head: headOf('2019-02-11T10:00:00') });
      await world.adds(folder);
      await world.fills();
      const linesOf = async (seenAt?: number): Promise<readonly string[]> => {
        const paper = await db('papers').where({ id: album }).first();
        const [entry] = await readQueue(db, album);
        const drawn = await albumPicture({ db, clock }, paper, { position: entry?.place ?? 0, isPart: false, seenAt });
        return drawn?.picture.words?.lines ?? [];
      };
      assert.not.equal(today, '02-11');
      assert.equal(await linesOf(), ['11. Februar 2019 · von einem anderen Tag']);
      const year = new Date(clock.now()).getUTCFullYear() + 1;
      assert.equal(await linesOf(Date.parse(`${year}-02-11T12:00:00Z`)), ['11. Februar 2019']);
      assert.equal(await linesOf(Date.parse('2019-02-11T12:00:00Z')), ['11. Februar 2019 · von einem anderen Tag']);
      await world.send('#ff0000', { caption: 'By the sea' });
      await db('album_queue').where({ is_front: 0 }).delete();
      assert.equal(await linesOf(), ['By the sea']);
    },
    { order: 'onThisDay', words: ['date', 'caption'], language: 'de' },
  ));

test('29 February is of the 28th in years without one', () =>
  withFilled(
    async (world) => {
      const folder = playedSource({ isFolder: true });
      folder.add({ key: 'leap', head: headOf('2020-02-29T10:00:00') });
      await world.adds(folder);
      await world.fills();
      const { db, clock, album } = world;
      const paper = await db('papers').where({ id: album }).first();
      const at = async (day: string): Promise<boolean> => {
        const seenAt = Date.parse(`${day}T12:00:00Z`);
        const drawn = await albumPicture({ db, clock }, paper, { position: 1, isPart: false, seenAt });
        return drawn?.picture.words?.lines[0]?.endsWith('from another day') === true;
      };
      assert.equal(await Promise.all(['2027-02-28', '2028-02-28', '2028-02-29'].map(at)), [false, true, false]);
    },
    { order: 'onThisDay', words: ['date'] },
  ));

test.run();
