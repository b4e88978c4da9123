/** Files that no album can show, and sources that hold everything up. */
import { setImmediate as turn } from 'node:timers/promises';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEntered } from '../../api/filled-albums/sources.ts';
import { SourceFault } from '../../api/picture-sources/source.ts';
import { worldKeys } from '../http/world.ts';
import { withFilled } from './filled-world.ts';
import { playedSource } from './played-source.ts';

const test = suite('what cannot be shown');

/** A PNG of one colour whose header states 30,000 x 10,000 pixels: 300 megapixels. */
async function panorama(): Promise<Buffer> {
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
  png.writeUInt32BE(30_000, 16);
  png.writeUInt32BE(10_000, 20);
  return png;
}

/** A film: the first box of an MP4. */
const film = Buffer.concat([
  Buffer.from('00000018', 'hex'),
  Buffer.from('ftypmp42\0\0\0\0mp42isom'),
  Buffer.alloc(9_000),
]);
/** A raw file of Canon's: a TIFF with a mark of its own. */
const raw = Buffer.concat([Buffer.from('49492a0010000000', 'hex'), Buffer.from('CR\x02\0'), Buffer.alloc(9_000, 7)]);
const heicOfNothing = Buffer.concat([
  Buffer.from('00000018', 'hex'),
  Buffer.from('ftypheic\0\0\0\0mif1heic'),
  Buffer.alloc(9_000),
]);

test('a panorama of 300 megapixels, raw, films and broken HEIC under names of pictures are named, and stop nothing', () =>
  withFilled(async (world) => {
    const { call, admin, album } = world;
    world.source.add(
      { key: 'panorama.jpg', name: 'panorama.jpg', width: undefined, content: await panorama() } as object,
      { key: 'stated.jpg', name: 'stated.jpg', width: 30_000, height: 10_000, content: await panorama() },
      { key: 'film.jpg', name: 'film.jpg', content: film },
      { key: 'raw.jpg', name: 'raw.jpg', content: raw },
      { key: 'broken.heic', name: 'broken.heic', content: heicOfNothing },
      { key: 'empty.jpg', name: 'empty.jpg', content: Buffer.alloc(0) },
      { key: 'IMG_1.CR2', name: 'IMG_1.CR2', sort: 'document' },
      { key: 'IMG_1.MOV', name: 'IMG_1.MOV', sort: 'video' },
      { key: 'good' },
    );
    const id = await world.adds();
    await world.fills();
    assert.equal([...new Set(await world.queued())], ['good']);
    const { json } = await call('GET', `/papers/${album}/sources/${id}`, { as: admin });
    const failed = json.failedPictures.map(({ name }: { name: string }) => name).sort();
    assert.equal(failed, ['broken.heic', 'empty.jpg', 'film.jpg', 'panorama.jpg', 'raw.jpg', 'stated.jpg']);
    assert.ok(json.failedPictures.every(({ problem }: { problem?: string }) => (problem ?? '') !== ''));
    assert.equal(json.leftOutNames, { document: ['IMG_1.CR2'], video: ['IMG_1.MOV'] });
  }));

test('a source that answers a byte now and then delays no other one', () =>
  withFilled(async (world) => {
    const { db } = world;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = playedSource();
    const opened = slow.open();
    await world.adds({
      ...slow,
      open: () => ({
        ...opened,
        async *list() {
          await released;
          yield* opened.list(undefined);
          return {};
        },
      }),
    });
    world.source.add(...Array.from({ length: 12 }, () => ({})));
    await world.adds();
    const settled = world.filler.settle();
    for (let waits = 0; waits < 20_000 && (await db('album_queue')).length < 8; waits++) await turn();
    assert.is((await db('album_queue')).length, 8);
    assert.equal(await db('album_sources').whereNull('listed_at').pluck('title'), ['Source 1']);
    release();
    await settled;
    assert.equal(await db('album_sources').whereNull('listed_at'), []);
  }));

test('what was entered for another organization, or under another key, cannot be used, and the source says so', () =>
  withFilled(async ({ db, adds }) => {
    const id = await adds();
    const row = await db('album_sources').where({ id }).first();
    for (const sealed of ['', 'not sealed', 'AAAA.BBBB.CCCC']) {
      try {
        openEntered({ ...row, sealed }, worldKeys.seal);
        assert.unreachable();
      } catch (error) {
        assert.instance(error, SourceFault, `${error}`);
      }
    }
  }));

test.run();
