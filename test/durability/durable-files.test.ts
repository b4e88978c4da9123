/** The rest that kills and power losses leave on the disk, and what the next start makes of it. */
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { readOrCreate, replaceFile } from '../../runtime/disk/durable-file.ts';
import { openDurableFolder } from '../../runtime/disk/durable-folder.ts';
import { withFolder } from '../journeys/world.ts';

const test = suite('durable files');

const notes = {
  name: 'test-01',
  up: ['create table notes (id integer primary key, text text not null)'],
};

test('a half-written file of a dead process with the same id is in nobody’s way (INV-10)', () =>
  withFolder(async (folder) => {
    const bytes = Buffer.from('a picture');
    const name = createHash('sha256').update(bytes).digest('hex');
    // In a container every process of the service has the same id, and its first file the same number.
    for (const number of [0, 1]) writeFileSync(join(folder, `.${name}.${process.pid}.${number}`), 'a pic');
    const files = await openDurableFolder(folder);
    assert.is(await files.put(bytes), name);
    assert.equal(await files.get(name), bytes);
  }));

test('what a killed process had committed is synced before it is reported to anybody (INV-02)', () =>
  withFolder(async (folder) => {
    const [before, after] = [join(folder, 'before'), join(folder, 'after')];
    const db = await openDatabase({ file: before }, [notes]);
    await db('notes').insert({ text: 'committed' });
    // The copies are what a killed process leaves: rows in the journal, which nobody knows to be on the disk.
    for (const end of ['', '-wal']) copyFileSync(`${before}${end}`, `${after}${end}`);
    await db.destroy();
    const reopened = await openDatabase({ file: after }, [notes]);
    // Rows reach the file itself only after the journal was synced.
    copyFileSync(after, join(folder, 'main'));
    const main = new Sqlite(join(folder, 'main'));
    assert.equal(main.prepare('select text from notes').pluck().all(), ['committed']);
    main.close();
    await reopened.destroy();
  }));

test('a certificate that was cut off is issued again, and the root stays', () =>
  withFolder(async (folder) => {
    const now = Date.UTC(2026, 0, 10);
    const first = await openAuthority(folder, now);
    const whole = await first.server(['localhost'], now);
    assert.equal(await first.server(['localhost'], now), whole);
    const path = join(folder, 'authority/server.pem');
    const stored = readFileSync(path, 'utf8');
    for (const bytes of [0, 20, Math.floor(stored.length / 2)]) {
      writeFileSync(path, stored.slice(0, bytes));
      const again = await openAuthority(folder, now);
      assert.is(again.root, first.root);
      assert.not.equal(await again.server(['localhost'], now), whole);
    }
  }));

test('a small file is made once, and replaced whole', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'below/secret');
    const made = await Promise.all(['one', 'two'].map((text) => readOrCreate(path, () => text)));
    assert.is(made[0], made[1]);
    assert.is(await readOrCreate(path, () => 'three'), made[0]);
    await replaceFile(path, 'four');
    assert.is(await readOrCreate(path, () => 'five'), 'four');
    assert.equal(readdirSync(join(folder, 'below')), ['secret']);
  }));

test.run();
