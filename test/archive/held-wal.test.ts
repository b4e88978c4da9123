/** The log of a database is read whole, whatever writes, checkpoints and reads at the same time. */
import { appendFile, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HeldWal, holdWal } from '../../runtime/archive/held-wal.ts';
import { beforeAll, type CommittedPages, readWal, type WalRead } from '../../runtime/archive/wal-frames.ts';

const test = suite('held write-ahead log');

const most = 32 * 1024 * 1024;
const pageSize = 4096;

async function withFile(story: (file: string, writer: Sqlite.Database) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-'));
  const file = join(folder, 'rows.sqlite');
  const writer = new Sqlite(file, { timeout: 0 });
  try {
    writer.pragma('journal_mode=WAL');
    writer.pragma('synchronous=OFF');
    writer.pragma('wal_autocheckpoint=0');
    writer.exec('create table notes (id integer primary key, text text not null)');
    await story(file, writer);
  } finally {
    writer.close();
    await rm(folder, { recursive: true });
  }
}

/** Has nobody write, as the service's queue of commits does. */
const whileNobodyWrites = (writer: Sqlite.Database) => async (act: () => void) => {
  writer.exec('begin immediate');
  try {
    act();
  } finally {
    writer.exec('commit');
  }
};

/** A copy of the database that follows by pages alone. */
interface Follower {
  take(read: WalRead): void;
  rows(): Promise<unknown[]>;
}

function follow(begun: Buffer, folder: string): Follower {
  let bytes = begun;
  return {
    take(read) {
      assert.ok(typeof read !== 'string', String(read));
      const { pages, size } = read as CommittedPages;
      if (size === 0) return;
      const next = Buffer.alloc(size * pageSize);
      bytes.copy(next);
      for (const [number, page] of pages) if (number <= size) page.copy(next, (number - 1) * pageSize);
      bytes = next;
    },
    async rows() {
      const file = join(folder, 'follower.sqlite');
      for (const suffix of ['-wal', '-shm']) await rm(file + suffix, { force: true });
      await writeFile(file, bytes);
      const db = new Sqlite(file);
      try {
        assert.is(db.pragma('integrity_check', { simple: true }), 'ok');
        return db.prepare('select id, text from notes order by id').all();
      } finally {
        db.close();
      }
    },
  };
}

const rowsOf = (db: Sqlite.Database): unknown[] => db.prepare('select id, text from notes order by id').all();

async function begunCopy(held: HeldWal, folder: string): Promise<Buffer> {
  const to = join(folder, 'copy.sqlite');
  const { copied } = await held.copy(to);
  await copied;
  return readFile(to);
}

test('pages of committed transactions are read, in whatever portions, and no others', async () => {
  await withFile(async (file, writer) => {
    const first = readWal(`${file}-wal`, beforeAll, most) as CommittedPages;
    assert.is(first.isCut, false);
    writer.exec('begin');
    writer.exec("insert into notes (text) values ('open')");
    assert.is((readWal(`${file}-wal`, first.place, most) as CommittedPages).size, 0);
    writer.exec('commit');
    assert.ok((readWal(`${file}-wal`, first.place, most) as CommittedPages).size > 0);
    for (let n = 0; n < 50; n++) writer.prepare('insert into notes (text) values (?)').run('x'.repeat(9_000));
    let [place, parts] = [first.place, 0];
    for (let isCut = true; isCut; parts++) {
      const part = readWal(`${file}-wal`, place, 20 * pageSize) as CommittedPages;
      ({ place, isCut } = part);
      assert.ok(part.pages.size <= 20);
    }
    assert.ok(parts > 3);
    assert.equal(place, (readWal(`${file}-wal`, beforeAll, 0) as CommittedPages).place);
    writer.exec("begin; update notes set text = text || 'y'; commit");
    assert.is(readWal(`${file}-wal`, place, 20 * pageSize), 'too-large');
  });
});

test('a torn frame ends the reading before it, and one of another log is not read', async () => {
  await withFile(async (file, writer) => {
    const log = `${file}-wal`;
    const { place: start } = readWal(log, beforeAll, most) as CommittedPages;
    for (let n = 0; n < 3; n++) writer.prepare('insert into notes (text) values (?)').run(`note ${n}`);
    const whole = await readFile(log);
    const end = (readWal(log, start, most) as CommittedPages).place;
    for (const at of [1, 9, 17, 30, 4_000]) {
      const torn = Buffer.from(whole);
      const from = 32 + (end.frames - 1) * (24 + pageSize) + at;
      torn.writeUInt8(torn.readUInt8(from) ^ 1, from);
      await writeFile(`${log}-torn`, torn);
      assert.is((readWal(`${log}-torn`, start, most) as CommittedPages).place.frames, end.frames - 1, `byte ${at}`);
    }
    await writeFile(`${log}-torn`, whole.subarray(0, whole.length - 7));
    assert.is((readWal(`${log}-torn`, start, most) as CommittedPages).place.frames, end.frames - 1);
    await copyFile(log, `${log}-torn`);
    await appendFile(`${log}-torn`, whole.subarray(32, 32 + 24 + pageSize));
    assert.is((readWal(`${log}-torn`, start, most) as CommittedPages).place.frames, end.frames);
    const other = { ...end, salts: [7, 7] as const };
    assert.is(readWal(log, other, most), 'other-log');
    await writeFile(`${log}-torn`, whole.subarray(0, 20));
    assert.is((readWal(`${log}-torn`, start, most) as CommittedPages).size, 0);
    assert.is((readWal(`${log}-missing`, start, most) as CommittedPages).size, 0);
  });
});

test('a log that is held is not begun again before all of it was read, no matter who makes checkpoints', async () => {
  await withFile(async (file, writer) => {
    const held = await holdWal(file, whileNobodyWrites(writer));
    const other = new Sqlite(file);
    try {
      const follower = follow(await begunCopy(held, join(file, '..')), join(file, '..'));
      for (let n = 0; n < 5; n++) writer.prepare('insert into notes (text) values (?)').run(`note ${n}`);
      other.pragma('wal_checkpoint(passive)');
      for (let n = 0; n < 5; n++) writer.prepare('insert into notes (text) values (?)').run(`more ${n}`);
      other.pragma('wal_checkpoint(passive)');
      follower.take(held.read());
      assert.equal(await follower.rows(), rowsOf(writer));
      const before = held.frames();
      follower.take(await held.beginAgain());
      writer.exec("insert into notes (text) values ('after')");
      assert.ok(held.frames() < before, 'the log began again');
      other.pragma('wal_checkpoint(restart)');
      writer.exec("insert into notes (text) values ('after another checkpoint')");
      follower.take(held.read());
      assert.equal(await follower.rows(), rowsOf(writer));
    } finally {
      other.close();
      held.close();
    }
  });
});

const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('write'), size: fc.integer({ min: 1, max: 9_000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove'), size: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('roll back', 'vacuum'), size: fc.constant(0) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('read', 'begin again', 'foreign', 'foreign full', 'old reader', 'new reader'),
      size: fc.constant(0),
    }),
  },
);

test('whatever happens in whatever order, the pages that were read make the rows of that moment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 60 }), (acts) => playActs(acts)),
    { numRuns: Number(process.env.RUNS ?? 30) },
  );
});

async function playActs(acts: readonly { readonly kind: string; readonly size: number }[]): Promise<void> {
  await withFile(async (file, writer) => {
    const folder = join(file, '..');
    let held = await holdWal(file, whileNobodyWrites(writer));
    const other = new Sqlite(file, { timeout: 0 });
    let follower = follow(await begunCopy(held, folder), folder);
    let isTruncated = false;
    /** Only a log that somebody cut off begins as another one: that is seen, and copied again. */
    const take = async (read: WalRead): Promise<void> => {
      if (read === 'other-log' && isTruncated) {
        held.close();
        held = await holdWal(file, whileNobodyWrites(writer));
        follower = follow(await begunCopy(held, folder), folder);
      } else follower.take(read);
    };
    try {
      for (const { kind, size } of acts) {
        if (kind === 'foreign full') isTruncated = true;
        if (kind === 'write') writer.prepare('insert into notes (text) values (?)').run('x'.repeat(size));
        if (kind === 'remove') writer.prepare('delete from notes where id % 40 = ?').run(size - 1);
        if (kind === 'roll back') writer.exec("begin; insert into notes (text) values ('never'); rollback");
        if (kind === 'vacuum' && !other.inTransaction) writer.exec('vacuum');
        if (kind === 'foreign' && !other.inTransaction) other.pragma('wal_checkpoint(passive)');
        if (kind === 'foreign full' && !other.inTransaction) other.pragma('wal_checkpoint(truncate)');
        if (kind === 'old reader' && !other.inTransaction) other.exec('begin; select count(*) from notes');
        if (kind === 'new reader' && other.inTransaction) other.exec('commit');
        if (kind === 'read') await take(held.read());
        if (kind === 'begin again') await take(await held.beginAgain());
        if (kind === 'read' || kind === 'begin again') assert.equal(await follower.rows(), rowsOf(writer));
      }
      await take(held.read());
      assert.equal(await follower.rows(), rowsOf(writer));
    } finally {
      other.close();
      held.close();
    }
  });
}

test.run();
