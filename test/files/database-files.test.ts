/** Files in the database: what is put is read as it was, what is damaged is not, and what nobody refers to goes. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { databaseFiles } from '../../runtime/files/database-files.ts';
import type { FileAreas } from '../../runtime/files/file-areas.ts';
import { openFileCaches } from '../../runtime/files/file-cache.ts';
import { fileMigrations } from '../../runtime/files/tables.ts';
import { ownDatabase } from '../database.ts';

const test = suite('files in the database');
const hourMs = 3_600_000;

interface FilesWorld {
  readonly db: Database;
  readonly folder: string;
  readonly areas: FileAreas;
  /** Another node over the same database, with a cache of its own. */
  elsewhere(): Promise<FileAreas>;
  readonly damaged: string[];
  /** Lets time pass for files that wait for their second pass. */
  passes(ms: number): Promise<unknown>;
}

async function withFiles(run: (world: FilesWorld) => Promise<void>, cacheBytes = 1_000_000): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-rows-'));
  const rows = await ownDatabase(join(folder, 'rows.sqlite'));
  const db = await openDatabase(rows.address, fileMigrations);
  const damaged: string[] = [];
  const areasIn = async (name: string): Promise<FileAreas> => {
    const cacheOf = await openFileCaches(join(folder, name), cacheBytes);
    return databaseFiles({ db, cacheOf });
  };
  const world: FilesWorld = {
    db,
    folder,
    areas: await areasIn('cache'),
    elsewhere: () => areasIn('elsewhere'),
    damaged,
    // The database's clock counts, which nobody moves: its rows are moved into the past instead.
    passes: (ms) => db('stored_files').update({ condemned_at: db.raw('condemned_at - ?', [ms]) }),
  };
  try {
    await run(world);
  } finally {
    await db.destroy();
    await rows.drop();
    await rm(folder, { recursive: true });
  }
}

const text = (words: string): Uint8Array => new TextEncoder().encode(words);

test('a file is there for every node, under its digest, in its own area', () =>
  withFiles(async ({ areas, elsewhere }) => {
    const name = await areas.open('pictures').put(text('a picture'));
    assert.is(await areas.open('pictures').put(text('a picture')), name, 'twice is once');
    const other = await elsewhere();
    assert.is((await other.open('pictures').get(name))?.toString(), 'a picture');
    assert.is(await other.open('files').get(name), undefined);
    assert.is(await areas.bytes('pictures'), 9);
    assert.is(await areas.bytes('files'), 0);
    assert.is(await other.open('pictures').keep(name), true);
    assert.is(await other.open('files').keep(name), false);
  }));

test('damaged bytes are reported once and never given out; put again, they are whole', () =>
  withFiles(async ({ db, areas, elsewhere, damaged }) => {
    const name = await areas.open('files').put(text('whole'));
    await db('stored_files')
      .where({ name })
      .update({ bytes: Buffer.from('holed') });
    const other = (await elsewhere()).open('files', (file) => damaged.push(file));
    assert.is(await other.get(name), undefined);
    assert.is(await other.get(name), undefined);
    assert.is(await other.keep(name), false);
    assert.equal(damaged, [name]);
    await areas.open('files').put(text('whole'));
    assert.is((await other.get(name))?.toString(), 'whole');
  }));

test('INV-04: a file without a reference goes in the second pass, an hour later, unless somebody wants it by then', () =>
  withFiles(async ({ areas, db, passes }) => {
    const files = areas.open('files');
    const [used, put, kept, found, gone] = [
      await files.put(text('used')),
      await files.put(text('put again')),
      await files.put(text('kept')),
      await files.put(text('found')),
      await files.put(text('gone')),
    ];
    const collect = (...names: string[]) => areas.collect('files', async () => new Set(names));
    assert.equal(await collect(used), { condemned: 4, restored: 0, removed: 0 });
    assert.is((await files.get(gone))?.toString(), 'gone', 'it is still read');
    await passes(hourMs - 60_000);
    assert.equal(await collect(used), { condemned: 0, restored: 0, removed: 0 });
    await files.put(text('put again'));
    assert.is(await files.keep(kept), true);
    await passes(60_000);
    assert.equal(await collect(used, found), { condemned: 2, restored: 1, removed: 1 });
    assert.equal((await db('stored_files').pluck('name')).sort(), [used, put, kept, found].sort());
  }));

test('INV-04: a writer that comes between the look and the removal keeps its file, and so does one at another node', () =>
  withFiles(async ({ areas, elsewhere, passes }) => {
    const other = await elsewhere();
    for (const claim of ['put', 'keep'] as const) {
      for (const pass of [1, 2]) {
        const bytes = text(`${claim} in pass ${pass}`);
        const name = await areas.open('files').put(bytes);
        const used = new Set<string>();
        const collect = (meanwhile = async (): Promise<void> => {}) =>
          areas.collect('files', async () => {
            const seen = new Set(used);
            await meanwhile();
            return seen;
          });
        if (pass === 2) {
          await collect();
          await passes(hourMs);
        }
        await collect(async () => {
          if (used.has(name)) return;
          if (claim === 'put') await other.open('files').put(bytes);
          else assert.is(await other.open('files').keep(name), true);
          used.add(name);
        });
        for (let later = 0; later < 3; later++) {
          assert.is(await areas.open('files').keep(name), true, `${claim} in pass ${pass}`);
          await passes(hourMs);
          await collect();
        }
      }
    }
  }));

test('two nodes that clear away at once remove a file once, and leave what is used', () =>
  withFiles(async ({ areas, elsewhere, passes }) => {
    const other = await elsewhere();
    const used = await areas.open('files').put(text('used'));
    for (let at = 0; at < 20; at++) await areas.open('files').put(text(`unused ${at}`));
    const collect = () => Promise.all([areas, other].map((each) => each.collect('files', async () => new Set([used]))));
    const [first, second] = await collect();
    assert.is((first?.condemned ?? 0) + (second?.condemned ?? 0), 20);
    await passes(hourMs);
    const [third, fourth] = await collect();
    assert.is((third?.removed ?? 0) + (fourth?.removed ?? 0), 20);
    assert.is(await areas.bytes('files'), 4);
  }));

test('the cache serves without the database, forgets the oldest first, and survives a restart and damage', () =>
  withFiles(async ({ folder, db, areas, elsewhere }) => {
    const names = [];
    for (const letter of ['a', 'b', 'c', 'd']) names.push(await areas.open('pictures').put(text(letter.repeat(40))));
    const other = (await elsewhere()).open('pictures');
    for (const name of names) await other.get(name);
    const kept = await readdir(join(folder, 'elsewhere', 'pictures'));
    assert.equal(kept.sort(), names.slice(2).sort(), 'two of forty bytes fit into a hundred');
    const [, , third = '', fourth = ''] = names;
    await writeFile(join(folder, 'elsewhere', 'pictures', third), 'damaged');
    await db('stored_files').delete();
    const again = (await elsewhere()).open('pictures');
    assert.is((await again.get(fourth))?.toString(), 'd'.repeat(40));
    assert.is(await again.get(third), undefined);
    assert.is(await again.keep(fourth), false, 'what is only here is nowhere');
    assert.equal(await readdir(join(folder, 'elsewhere', 'pictures')), [fourth]);
  }, 100));

test('a disk that takes nothing keeps nobody from a file', () =>
  withFiles(async ({ folder, areas }) => {
    await writeFile(join(folder, 'cache', 'files'), 'a file where the folder would be');
    const name = await areas.open('files').put(text('words'));
    assert.is((await areas.open('files').get(name))?.toString(), 'words');
  }));

test.run();
