/** The storage of an organization: counted until it is cleared away, bounded, shown, and fair to others. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { organizationFiles, readOrganizationStorage, uncountFiles } from '../../api/files/organization-files.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { storageBound } from '../../api/service/open/storage-bound.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { type DurableFolder, openDurableFolder } from '../../runtime/disk/durable-folder.ts';
import { leavingRoom } from '../../runtime/disk/spare-room.ts';
import { ownDatabase } from '../database.ts';
import { refusedWith } from '../journeys/world.ts';

const test = suite('files of organizations');
const hourMs = 3_600_000;
const [ours, theirs] = ['a'.repeat(24), 'b'.repeat(24)];

interface CountingWorld {
  readonly db: Database;
  readonly folder: DurableFolder;
  readonly clock: { now(): number; after: never; passes(ms: number): void };
  /** Bytes that are counted for an organization. */
  counted(organizationId: string): Promise<number>;
}

async function withCounting(run: (world: CountingWorld) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'papergate-counting-'));
  const rows = await ownDatabase(join(path, 'rows.sqlite'));
  const db = await openDatabase(rows.address, tables);
  let now = 1_790_000_000_000;
  try {
    await run({
      db,
      folder: await openDurableFolder(join(path, 'files')),
      clock: {
        now: () => now,
        after: undefined as never,
        passes(ms) {
          now += ms;
        },
      },
      async counted(organization_id) {
        const row = await db('organization_bytes').where({ organization_id }).first('bytes');
        return Number(row?.bytes ?? 0);
      },
    });
  } finally {
    await db.destroy();
    await rows.drop();
    await rm(path, { recursive: true });
  }
}

test('T-82: an organization stores up to its bound, each file once, and others store alongside it', () =>
  withCounting(async ({ db, folder, clock, counted }) => {
    const files = organizationFiles({ db, clock, files: folder, maxBytes: 3 * 1024 * 1024 });
    const picture = (letter: string, mebibytes = 1) => Buffer.alloc(mebibytes * 1024 * 1024, letter);
    for (const letter of ['a', 'b', 'a', 'a']) await files.put(picture(letter), ours);
    assert.is(await counted(ours), 2 * 1024 * 1024);
    const refused = await refusedWith(files.put(picture('c', 2), ours));
    assert.match(
      refused,
      /^The pictures of the organization take up all of the 3 MiB that it may use\nremove pictures/,
    );
    assert.is(await counted(ours), 2 * 1024 * 1024, 'what is refused takes nothing');
    await files.put(picture('c'), ours);
    await files.put(picture('a'), ours);
    await refusedWith(files.put(picture('d'), ours));
    await files.put(picture('a'), theirs);
    assert.equal([await counted(ours), await counted(theirs)], [3 * 1024 * 1024, 1024 * 1024]);
    await files.put(picture('e'));
    assert.is(Number((await db('organization_bytes').sum({ all: 'bytes' }).first())?.all), 4 * 1024 * 1024);
  }));

test('T-82: organizations that were made from one share its bound', () =>
  withCounting(async ({ db, folder, clock, counted }) => {
    const files = organizationFiles({ db, clock, files: folder, maxBytes: 2 * 1024 * 1024 });
    const times = { created_at: 1, updated_at: 1 };
    const row = { name: 'made', email: '', kind: null, meta: '{}', ...times };
    await db('organizations').insert([
      { ...row, id: ours, vouched_by: null },
      { ...row, id: theirs, vouched_by: ours },
    ]);
    const picture = (letter: string) => Buffer.alloc(1024 * 1024, letter);
    await files.put(picture('a'), ours);
    await files.put(picture('b'), theirs);
    assert.match(await refusedWith(files.put(picture('c'), theirs)), /take up all of the 2 MiB/);
    assert.is(await counted(ours), 2 * 1024 * 1024);
    const shown = await readOrganizationStorage(db, undefined, [theirs]);
    assert.is(shown[0]?.bytes, 2 * 1024 * 1024, 'what is left for both');
  }));

test('T-82: of many that store at once none goes beyond the bound', () =>
  withCounting(async ({ db, folder, clock, counted }) => {
    const files = organizationFiles({ db, clock, files: folder, maxBytes: 5_000 });
    const all = Array.from({ length: 20 }, (_, at) =>
      files.put(Buffer.alloc(1_000, String.fromCharCode(97 + at)), ours),
    );
    const outcomes = await Promise.allSettled(all);
    assert.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 5);
    assert.is(await counted(ours), 5_000);
    assert.is((await db('organization_files')).length, 5);
  }));

test('T-82: what nothing refers to counts until it is cleared away, after two passes an hour apart', () =>
  withCounting(async ({ db, folder, clock, counted }) => {
    const files = organizationFiles({ db, clock, files: folder, maxBytes: 2_000 });
    const [used, gone] = [
      await files.put(Buffer.alloc(1_000, 'u'), ours),
      await files.put(Buffer.alloc(1_000, 'g'), ours),
    ];
    const names = new Set([used]);
    const pass = () => uncountFiles(db, async () => names, clock.now());
    await pass();
    clock.passes(2 * hourMs);
    await pass();
    await refusedWith(files.put(Buffer.alloc(1_000, 'n'), ours));
    clock.passes(hourMs / 2);
    await pass();
    assert.is(await counted(ours), 2_000, 'the second pass was too early');
    // Somebody stores it again, and removes it again: its time starts over.
    await files.put(Buffer.alloc(1_000, 'g'), ours);
    clock.passes(2 * hourMs);
    await pass();
    assert.is(await counted(ours), 2_000);
    names.add(gone);
    clock.passes(2 * hourMs);
    await pass();
    assert.is(await counted(ours), 2_000, 'something refers to it after all');
    names.delete(gone);
    for (let passes = 0; passes < 2; passes++) {
      clock.passes(2 * hourMs);
      await pass();
    }
    assert.is(await counted(ours), 1_000);
    await files.put(Buffer.alloc(1_000, 'n'), ours);
    names.clear();
    for (let passes = 0; passes < 2; passes++) {
      clock.passes(2 * hourMs);
      await pass();
    }
    assert.equal([await db('organization_files'), await db('organization_bytes')], [[], []]);
  }));

test('what is counted is read by organization, and from a number of bytes on', () =>
  withCounting(async ({ db, folder, clock }) => {
    const times = { created_at: 1, updated_at: 1 };
    for (const [id, name] of [
      [ours, 'Ours'],
      [theirs, 'Theirs'],
    ] as const) {
      await db('organizations').insert({ id, name, email: `${name}@example.org`, meta: '{}', ...times });
    }
    const files = organizationFiles({ db, clock, files: folder, maxBytes: undefined });
    await files.put(Buffer.alloc(1_000), ours);
    assert.equal(await readOrganizationStorage(db, 4_000, [ours, theirs]), [
      { organizationId: ours, name: 'Ours', bytes: 1_000, isNearlyFull: false },
      { organizationId: theirs, name: 'Theirs', bytes: 0, isNearlyFull: false },
    ]);
    const nearlyFull = async (most: number) => (await readOrganizationStorage(db, most)).map(({ name }) => name);
    assert.equal([await nearlyFull(1_250), await nearlyFull(2_000)], [['Ours'], []]);
  }));

test('T-82: an organization whose next file jumps over four fifths of the bound and is refused was warned before', () =>
  withCounting(async ({ db, folder, clock }) => {
    const times = { created_at: 1, updated_at: 1 };
    await db('organizations').insert({ id: ours, name: 'Ours', email: 'ours@example.org', meta: '{}', ...times });
    const maxBytes = 1_000;
    const files = organizationFiles({ db, clock, files: folder, maxBytes });
    const isTold = async (): Promise<boolean> => {
      const [shown] = await readOrganizationStorage(db, maxBytes, [ours]);
      assert.is((await readOrganizationStorage(db, maxBytes)).length, shown?.isNearlyFull ? 1 : 0);
      return shown?.isNearlyFull === true;
    };
    await files.put(Buffer.alloc(300, 'a'), ours);
    assert.is(await isTold(), false);
    await files.put(Buffer.alloc(300, 'b'), ours);
    assert.is(await isTold(), false, 'one more like these has room');
    await files.put(Buffer.alloc(110, 'c'), ours);
    assert.is(await isTold(), true, '710 of 1,000');
    await refusedWith(files.put(Buffer.alloc(300, 'd'), ours));
  }));

test('the bound is what is set, else a quarter of the disk and 10 GiB at most', () => {
  const gibibyte = 1024 ** 3;
  assert.is(storageBound(readSettings({}), 8 * gibibyte), 2 * gibibyte);
  assert.is(storageBound(readSettings({}), 500 * gibibyte), 10 * gibibyte);
  assert.is(storageBound(readSettings({ PAPERGATE_ORGANIZATION_STORAGE: '512' }), gibibyte), gibibyte / 2);
  assert.is(storageBound(readSettings({ PAPERGATE_ORGANIZATION_STORAGE: '0' }), gibibyte), undefined);
});

test('T-83: the smallest file as well leaves the disk its reserve', () =>
  withCounting(async ({ folder }) => {
    let free = 1_000_500;
    const files = leavingRoom(folder, { freeBytes: async () => free, spareBytes: 1_000_000 });
    await files.put(Buffer.alloc(500));
    assert.match(
      await refusedWith(files.put(Buffer.alloc(501))),
      /^The disk of the service has no room for it\ntry again/,
    );
    free = 1_000_000;
    await refusedWith(files.put(Buffer.alloc(1)));
    const name = await folder.put(Buffer.from('kept'));
    assert.is((await files.get(name))?.toString(), 'kept', 'what is there is read');
  }));

test.run();
