/** An upgrade of a database on SQLite can be foreseen, and leaves a copy of what was before. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { databaseFile, openContext, upgradesFolder } from '../../api/service/open/service-context.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { copyBeforeChange } from '../../runtime/disk/copy-before-change.ts';
import { papergate, withScratchFolder } from '../cli/papergate.ts';
import { refusedWith } from '../journeys/world.ts';
import { fixtureFolder, readFixture } from './dump-schema.ts';

const test = suite('copies before an upgrade');
const former = join(import.meta.dirname, '../..', fixtureFolder, '0.1.0.sqlite.sql');

/** A data folder as a release without the log of who did what would leave it. */
function withFormer(
  run: (folder: string, changesOf: (file: string) => readonly string[]) => Promise<void>,
): Promise<void> {
  return withScratchFolder(async (scratch) => {
    const folder = join(scratch, 'data');
    await mkdir(join(folder, 'authority'), { recursive: true });
    const without = "drop table audit_entries; delete from migrations where name = 'audit-baseline';";
    await readFixture({ file: join(folder, databaseFile) }, (await readFile(former, 'utf8')) + without);
    await run(folder, (file) => {
      const db = new Sqlite(file, { readonly: true });
      const names = db.prepare('select name from migrations order by name').pluck().all() as string[];
      db.close();
      return names;
    });
  });
}

test('a dry run names the changes and the room for the copy, and changes nothing', () =>
  withFormer(async (folder, changesOf) => {
    const file = join(folder, databaseFile);
    const before = changesOf(file);
    const env = { PAPERGATE_DATA: folder };
    const { code, stdout } = await papergate(env, 'migrate', '--dry-run', '--json');
    assert.is(code, 0);
    const { changes, copyBytes } = JSON.parse(stdout);
    assert.equal([...before, ...changes].sort(), tables.map(({ name }) => name).sort());
    assert.ok(copyBytes >= statSync(file).size, `${copyBytes} bytes`);
    assert.equal(changesOf(file), before);
    assert.not(existsSync(upgradesFolder(folder)));

    await (await openContext(readSettings(env))).close();
    const after = await papergate(env, 'migrate', '--dry-run');
    assert.match(after.stdout, /^nothing to change/);
    for (const args of [[], ['--dry-run', '--to', 'folder']]) {
      assert.is((await papergate(env, 'migrate', ...args)).code, 2, args.join(' '));
    }
  }));

test('a start leaves one copy with all that was there, for its owner alone', () =>
  withFormer(async (folder, changesOf) => {
    const before = changesOf(join(folder, databaseFile));
    for (let start = 0; start < 2; start++) {
      await (await openContext(readSettings({ PAPERGATE_DATA: folder }))).close();
    }
    const copies = readdirSync(upgradesFolder(folder));
    assert.is(copies.length, 1, copies.join());
    const copy = join(upgradesFolder(folder), copies[0] ?? '');
    assert.is(statSync(copy).mode & 0o777, 0o600);
    assert.equal(changesOf(copy), before);
    assert.ok(changesOf(join(folder, databaseFile)).length > before.length);
  }));

test('without room for a copy nothing is changed, and the newest three stay', () =>
  withFormer(async (folder, changesOf) => {
    const file = join(folder, databaseFile);
    const before = changesOf(file);
    const place = { folder: upgradesFolder(folder), now: () => 0, freeBytes: async () => 1024 };
    const beforeChange = (db: Database) => copyBeforeChange(db, place);
    const said = await refusedWith(openDatabase({ file }, tables, { beforeChange }));
    assert.match(said, /no room for the copy .* 1 MiB are free\nmake room/);
    assert.equal(changesOf(file), before);
    assert.equal(readdirSync(place.folder), []);

    const db = await openDatabase({ file }, tables);
    try {
      for (let day = 1; day <= 5; day++) {
        await copyBeforeChange(db, { ...place, now: () => day * 86_400_000, freeBytes: async () => 1e12 });
      }
    } finally {
      await db.destroy();
    }
    const expected = ['04', '05', '06'].map((day) => `before-197001${day}T000000Z.sqlite`);
    assert.equal(readdirSync(place.folder), expected);
  }));

test.run();
