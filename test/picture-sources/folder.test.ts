/** A folder of this machine as a source of pictures. */
import { mkdir, mkdtemp, rename, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { noWayOut } from '../../api/outgoing/way-out.ts';
import { type FolderSettings, openFolderSource } from '../../api/picture-sources/folder/folder-source.ts';
import type { PictureSource, SourceDeps } from '../../api/picture-sources/source.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { longTest } from '../some-times.ts';
import { faultFrom, listWhole } from './file-world.ts';

const test = suite('pictures of a folder');

interface Place {
  /** The operator's folder, next to which the data folder lies. */
  readonly root: string;
  readonly data: string;
  write(path: string, content?: string): Promise<void>;
  /** Opens the folder as it is seen some milliseconds later; the pause between two scans takes no time. */
  open(settings?: Partial<FolderSettings>, laterMs?: number): PictureSource;
}

const later = (ms: number): Clock => ({
  now: () => systemClock.now() + ms,
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs === 3_000 ? 1 : delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
});

async function withPlace(run: (place: Place) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'pictures-'));
  const [root, data] = [join(home, 'root'), join(home, 'data')];
  await mkdir(root);
  await mkdir(data);
  try {
    await run({
      root,
      data,
      async write(path, content = path) {
        await mkdir(join(root, path, '..'), { recursive: true });
        await writeFile(join(root, path), content);
      },
      open(settings = {}, laterMs = 7_200_000) {
        const clock = later(laterMs);
        const follow = { wayOut: noWayOut(clock), home: noHomeNetworks };
        const deps: SourceDeps = { follow, clock, sharer: ['house'], signal: new AbortController().signal };
        return openFolderSource(deps, { root, dataFolder: data, folder: '', withSubfolders: true, ...settings });
      },
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const keysIn = async (source: PictureSource, before?: string): Promise<string[]> =>
  (await listWhole(source, before)).pictures.map(({ key }) => key).sort();

test('a folder lists its pictures with all below it, or without', () =>
  withPlace(async ({ write, open }) => {
    for (const path of [
      'a.jpg',
      'b.HEIC',
      'film.MOV',
      'notes.txt',
      '.hidden.jpg',
      'x.jpg.part',
      '@eaDir/a.jpg',
      '2024/Lisbon é/c.png',
    ]) {
      await write(path);
    }
    const { pictures } = await listWhole(open());
    assert.equal(pictures.map(({ key, sort, bytes }) => `${key} ${sort} ${bytes}`).sort(), [
      '2024/Lisbon é/c.png picture 20',
      'a.jpg picture 5',
      'b.HEIC picture 6',
      'film.MOV video 8',
    ]);
    assert.equal(await keysIn(open({ withSubfolders: false })), ['a.jpg', 'b.HEIC', 'film.MOV']);
    assert.equal(await keysIn(open({ folder: '2024/Lisbon é' })), ['2024/Lisbon é/c.png']);
    assert.is(
      String((await open().fetchPicture('2024/Lisbon é/c.png', { longSide: 800 }))?.content),
      '2024/Lisbon é/c.png',
    );
    assert.is(String(await open().fetchHead?.('a.jpg')), 'a.jpg');
    const { title, count } = await open().summarize();
    assert.equal([title, count], ['root', 3]);
    assert.equal(await open().choices?.(), [{ id: '2024', sort: 'folder', name: '2024', count: 0 }]);
  }));

test('FO-2: nothing outside of the folder is listed or read, and never the data folder', () =>
  withPlace(async ({ root, data, write, open }) => {
    await writeFile(join(data, 'secret.jpg'), 'secret');
    await write('in/a.jpg');
    await symlink(data, join(root, 'data'));
    await symlink(join(data, 'secret.jpg'), join(root, 'link.jpg'));
    await symlink('in/a.jpg', join(root, 'inside.jpg'));
    await symlink('..', join(root, 'in', 'up'));
    await symlink('nowhere', join(root, 'broken.jpg'));
    assert.equal(await keysIn(open({ root, withSubfolders: false })), ['inside.jpg']);
    const keys = await keysIn(open());
    assert.ok(
      keys.includes('in/a.jpg') && keys.every((key) => !key.includes('secret') && key !== 'link.jpg'),
      keys.join(),
    );
    for (const key of ['link.jpg', 'in/up/../../data/secret.jpg', '/etc/passwd', 'data/secret.jpg', 'in', 'a\0b', '']) {
      assert.is(await open().fetchPicture(key, { longSide: 800 }), undefined, key);
    }
    // A folder that is, holds or lies in the data folder.
    assert.match(await faultFrom(listWhole(open({ root: data }))), /^unusable: the folder lies outside/);
    const above = join(root, '..');
    assert.ok((await keysIn(open({ root: above }))).every((key) => !key.startsWith('data/')));
    assert.match(await faultFrom(listWhole(open({ folder: 'data' }))), /^unusable: the folder lies outside/);
  }));

test('FO-3: what is still being written waits until two scans agree, and stays listed then', () =>
  withPlace(async ({ write, open }) => {
    await write('old.jpg');
    const first = await listWhole(open({}, 0));
    // A first listing looks twice itself.
    assert.equal(
      first.pictures.map(({ key }) => key),
      ['old.jpg'],
    );
    const mark = first.end === 'unchanged' ? undefined : first.end.mark;
    await write('new.jpg', 'half');
    const second = await listWhole(open({}, 0), mark);
    assert.equal(
      second.pictures.map(({ key }) => key),
      ['old.jpg'],
    );
    await write('new.jpg', 'half and more');
    const third = await listWhole(open({}, 0), second.end === 'unchanged' ? undefined : second.end.mark);
    assert.equal(
      third.pictures.map(({ key }) => key),
      ['old.jpg'],
    );
    const fourth = third.end === 'unchanged' ? undefined : third.end.mark;
    assert.equal(await keysIn(open({}, 0), fourth), ['new.jpg', 'old.jpg']);
    assert.equal(await keysIn(open(), mark), ['new.jpg', 'old.jpg']);
  }));

test('FO-4: a mount that is gone takes nothing with it', () =>
  withPlace(async ({ root, write, open }) => {
    await write('a.jpg');
    const { end } = await listWhole(open());
    const mark = end === 'unchanged' ? '' : (end.mark ?? '');
    await unlink(join(root, 'a.jpg'));
    assert.equal(await keysIn(open(), mark), []);
    const elsewhere = JSON.stringify({ ...JSON.parse(mark), device: '1' });
    assert.match(await faultFrom(listWhole(open(), elsewhere)), /^away: the folder does not answer \(ENODEV\)/);
    assert.match(await faultFrom(open().fetchPicture('a.jpg', { longSide: 800 })), /^away: /);
    await write('b.jpg');
    assert.is(await open().fetchPicture('a.jpg', { longSide: 800 }), undefined);
    assert.match(await faultFrom(listWhole(open({ folder: 'removed' }))), /^gone: the folder was removed/);
    await rename(root, `${root}-away`);
    assert.match(await faultFrom(listWhole(open())), /^away: /);
    assert.match(await faultFrom(open().fetchPicture('b.jpg', { longSide: 800 })), /^away: /);
    await rm(`${root}-away`, { recursive: true });
  }));

test('FO-5: a name that is not UTF-8 is counted and never fetched', () =>
  withPlace(async ({ root, write, open }) => {
    await write('a.jpg');
    await writeFile(Buffer.concat([Buffer.from(`${root}/M`), Buffer.from([0xfc]), Buffer.from('.jpg')]), 'x');
    const { pictures } = await listWhole(open());
    const odd = pictures.find(({ name }) => name === 'M\u{fc}.jpg');
    assert.equal([pictures.length, odd?.sort], [2, 'document']);
    assert.is(await open().fetchPicture(odd?.key ?? '', { longSide: 800 }), undefined);
  }));

test('a file that is too large is refused, of which the beginning may be read', () =>
  withPlace(async ({ root, open }) => {
    await writeFile(join(root, 'large.tif'), Buffer.alloc(64 * 1024 * 1024 + 1));
    assert.match(
      await faultFrom(open().fetchPicture('large.tif', { longSide: 800 })),
      /^unusable: the file has more than 64 MB/,
    );
    assert.is((await open().fetchHead?.('large.tif'))?.length, 256 * 1024);
  }));

test('a use that is given up ends its process', () =>
  withPlace(async ({ root, data, write }) => {
    await write('a.jpg');
    const signal = AbortSignal.abort(new Error('over'));
    const follow = { wayOut: noWayOut(systemClock), home: noHomeNetworks };
    const deps: SourceDeps = { follow, clock: systemClock, sharer: ['house'], signal };
    const source = openFolderSource(deps, { root, dataFolder: data, folder: '', withSubfolders: true });
    assert.match(await faultFrom(listWhole(source)), /^away: /);
  }));

const scansAll = (count: number): Promise<void> =>
  withPlace(async ({ root, open }) => {
    for (let at = 0; at < count; at++) await writeFile(join(root, `IMG_${at}.jpg`), '');
    await utimes(join(root, 'IMG_0.jpg'), 1, 1);
    const { pictures, pages } = await listWhole(open());
    assert.is(pictures.length, count);
    assert.ok(pages >= count / 500);
    assert.is(new Set(pictures.map(({ key }) => key)).size, count);
  });

test('a folder of many files is scanned page by page', () => scansAll(2_000));

longTest(test)('a folder of 20,000 files is scanned page by page', () => scansAll(20_000));

test.run();
