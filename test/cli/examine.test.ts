/** The nightly examination: damage in pages and files is found in slices, reported, and repaired where it can be. */
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-tables.ts';
import { addSlice, damageWords, type Examined, readExamination } from '../../api/status/examination.ts';
import { openMetrics } from '../../api/status/metrics.ts';
import { checkPages } from '../../cli/deep/check-pages.ts';
import { readSqlite } from '../../cli/deep/read-rows.ts';
import { papergateRunner } from '../../cli/ground/papergate-runner.ts';
import { examineTonight } from '../../cli/service/nightly-examination.ts';
import { alone } from '../../cluster/alone.ts';
import { systemClock } from '../../runtime/clock.ts';
import { isPostgres, openDatabase } from '../../runtime/database/database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { connectPaper, withProcesses } from '../durability/serving.ts';
import { environmentOf, withFolder } from '../journeys/world.ts';
import { papergateCommand } from '../runner/built.ts';
import { fillTables } from '../schemas/fixture-rows.ts';
import { longTest } from '../some-times.ts';
import { papergate, withScratchFolder } from './papergate.ts';
import { readerOver } from './reader-over.ts';

const test = suite('examination');
const pageBytes = 4096;

/** Writes over a page, or over some of its bytes. */
function spoil(file: string, page: number, bytes: Uint8Array, at = 0): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, (page - 1) * pageBytes + at);
  closeSync(handle);
}

interface Page {
  readonly page: number;
  readonly name: string;
}

/** Makes a database with rows in all tables, of which one has pages of every sort, and closes it. */
async function makeDatabase(folder: string): Promise<{ readonly file: string; readonly pages: readonly Page[] }> {
  const file = join(folder, 'papergate.sqlite');
  const db = await openDatabase({ file }, tables);
  await fillTables(db);
  const row = await db('frame_events').first();
  const many = Array.from({ length: 3_000 }, (_, at) => ({ ...row, id: `many-${at}` }));
  await db.batchInsert('frame_events', many, 50);
  await db.destroy();
  const sqlite = new Sqlite(file);
  sqlite.pragma('wal_checkpoint(truncate)');
  const pages = sqlite
    .prepare("select pageno as page, name || ' ' || pagetype as name from dbstat where name like '%frame_events%'")
    .all() as Page[];
  sqlite.close();
  return { file, pages };
}

test('sound tables are sound on both databases, all of them, in slices that go on where the last one stopped', () =>
  withFolder(async (_folder, address) => {
    const db = await openDatabase(address, tables);
    try {
      await fillTables(db);
      const rows = readerOver(db);
      const whole = await checkPages(rows, isPostgres(db));
      assert.equal(whole.damaged, []);
      assert.ok(whole.tables > 90);
      let [done, slices] = [0, 0];
      for (let after: string | undefined = ''; after !== undefined; slices++) {
        let looks = 0;
        const slice = await checkPages(rows, isPostgres(db), { after, isOver: () => looks++ === 20 });
        done += slice.tables;
        after = slice.next;
      }
      assert.equal([done, slices], [whole.tables, Math.floor(whole.tables / 20) + 1]);
    } finally {
      await db.destroy();
    }
  }));

test('a page that is written over is found, whichever sort of page it is, and nothing else is blamed', () =>
  withScratchFolder(async (folder) => {
    const { file, pages } = await makeDatabase(folder);
    const sorts = new Map(pages.map((page) => [page.name, page]));
    const names = [...sorts.keys()];
    assert.ok(
      names.some((name) => /^frame_events internal/.test(name)),
      names.join(),
    );
    assert.ok(
      names.some((name) => /index.*leaf|by_.* leaf/.test(name)),
      names.join(),
    );
    const whole = readFileSync(file);
    for (const [name, { page }] of sorts) {
      for (const filling of [0, 0xff, 0x5a]) {
        spoil(file, page, Buffer.alloc(pageBytes, filling));
        const rows = readSqlite(file);
        const { damaged } = await checkPages(rows, false);
        await rows.close();
        assert.equal(
          damaged.map(({ table }) => table),
          ['frame_events'],
          `${name} of ${filling}`,
        );
        writeFileSync(file, whole);
      }
    }
    spoil(file, 1, Buffer.alloc(pageBytes, 0x5a), 100);
    const rows = readSqlite(file);
    assert.equal(
      (await checkPages(rows, false)).damaged.map(({ table }) => table),
      ['sqlite_schema'],
    );
    await rows.close();
  }));

test('the command names what is damaged and ends with 1, and doctor --deep says what to do', () =>
  withScratchFolder(async (folder) => {
    const { file, pages } = await makeDatabase(folder);
    const env = { PAPERGATE_DATA: folder };
    mkdirSync(join(folder, 'backups'));
    const backup = join(folder, 'backups', 'nightly-2026-11-26T02-37-00Z.tar');
    writeFileSync(backup, '');
    writeFileSync(join(folder, 'backups', 'nightly-2026-11-27T02-37-00Z.damaged.tar'), '');
    spoil(file, pages.at(-1)?.page ?? 0, Buffer.alloc(pageBytes, 0x5a));
    const ended = await papergate(env, 'examine');
    assert.is(ended.code, 1);
    assert.match(ended.stdout, /^FAIL {2}table:frame_events /m);
    const printed = JSON.parse((await papergate(env, 'examine', '--json', '--after', 'table:frames')).stdout);
    assert.equal(
      printed.damaged.filter(({ name }: { name: string }) => name.startsWith('table:')),
      [],
    );
    const deep = await papergate(env, 'doctor', '--deep');
    assert.match(deep.stdout, /FAIL {2}T-67 {5}pages .*1 of \d+ tables are damaged; of frame_events the database says/);
    assert.ok(deep.stdout.includes(`restore with ${backup}: what came after it is lost`), deep.stdout.slice(0, 900));
    const archived = await papergate({ ...env, PAPERGATE_ARCHIVE: join(folder, '../archive') }, 'doctor', '--deep');
    assert.match(
      archived.stdout,
      /run \S*papergate backup restore, which brings the newest moment of the archive back/,
    );
    spoil(file, 1, Buffer.alloc(pageBytes, 0x5a), 100);
    const unread = await papergate(env, 'doctor', '--deep');
    assert.match(unread.stdout, /FAIL {2}T-67 {5}pages +the list of tables cannot be read; of sqlite_schema/);
    assert.is(unread.stdout.match(/could not be/g)?.length ?? 0, 3, unread.stdout);
    const refused = await papergate(env, 'backup', 'create');
    assert.match(refused.stderr, /papergate\.sqlite is damaged, and no backup was made/);
    assert.match((await papergate(env, 'examine', '--minutes', '0')).stderr, /--minutes takes a number above 0/);
  }));

const slice = (change: Partial<Examined>): Examined => ({
  tables: 1,
  files: 0,
  next: null,
  damaged: [],
  more: 0,
  ...change,
});
const broken = { name: 'table:papers', words: 'malformed' };
const lost = { name: `file:pictures/${'a1'.repeat(32)}`, words: 'it is not there' };

test('what a pass found counts until the next one has come to its end, over as many nights as that takes', () => {
  const first = addSlice(undefined, slice({ next: 'table:papers', damaged: [broken] }), 1);
  assert.equal([first.wholeAt, first.next, damageWords(first)], [null, 'table:papers', 'the database ("papers")']);
  const second = addSlice(first, slice({ damaged: [lost] }), 2);
  assert.equal([second.wholeAt, damageWords(second)], [2, 'the database ("papers"), 1 picture']);
  const third = addSlice(second, slice({ next: 'file:x' }), 3);
  assert.equal([third.wholeAt, damageWords(third)], [2, 'the database ("papers"), 1 picture']);
  const fourth = addSlice(third, slice({ next: null }), 4);
  assert.equal([fourth.wholeAt, fourth.damaged, damageWords(fourth)], [4, [], '']);
});

test('a night notifies the operator, goes on where the last one stopped, and has damaged pictures made again', () =>
  withFolder(async (_folder, address) => {
    const db = await openDatabase(address, tables);
    try {
      await fillTables(db);
      await db('uploads').update({ replaced_at: null, remake_at: null });
      const { picture_sha256: picture } = await db('uploads').first('picture_sha256');
      const meter = openMetrics(systemClock);
      const asked: string[] = [];
      const told: [boolean, string][] = [];
      const night = (output: Examined | Error) =>
        examineTonight({
          db,
          clock: { ...systemClock, now: () => 1_000 },
          logger: silentLogger,
          meter,
          single: alone.single,
          async run(args) {
            asked.push(args.slice(4).join(' '));
            if (output instanceof Error) throw output;
            return JSON.stringify(output);
          },
          tell: async (...words) => void told.push(words),
        });
      await night(slice({ next: 'file:pictures/a', damaged: [{ name: `file:pictures/${picture}`, words: 'other' }] }));
      assert.equal(told.splice(0), [[true, '1 picture']]);
      assert.is((await db('uploads').where({ picture_sha256: picture }).first()).remake_at, 1_000);
      await night(new Error('the disk is away'));
      assert.equal(told, [], 'a night that failed says nothing about damage');
      await night(slice({}));
      await night(slice({}));
      assert.equal(told, [
        [true, '1 picture'],
        [false, ''],
      ]);
      assert.equal(asked, ['', '--after file:pictures/a', '--after file:pictures/a', '']);
      assert.is((await readExamination(db))?.wholeAt, 1_000);
      assert.is(meter.totals().papergate_examinations_total, 4);
    } finally {
      await db.destroy();
    }
  }));

longTest(test)(
  'a byte flipped in a file, and a page in the database, of a running service are found in one night',
  () =>
    withScratchFolder(async (folder) => {
      const data = join(folder, 'data');
      const rows = { file: join(data, 'papergate.sqlite') };
      await withProcesses(async ({ integration, serve }) => {
        const serving = await serve(data, { found: true });
        const push = await connectPaper(serving, integration);
        const red = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
        await push.submit({ messageId: 'one', imageBase64: red });
        const db = await openDatabase(rows, tables);
        try {
          const { image_key: image } = await db('paper_contents').whereNotNull('image_key').first();
          const env = { ...environmentOf(data, rows), PATH: process.env.PATH };
          const told: [boolean, string][] = [];
          const night = async () => {
            await examineTonight({
              db,
              clock: systemClock,
              logger: silentLogger,
              meter: undefined,
              single: alone.single,
              run: papergateRunner(papergateCommand, env),
              tell: async (...words) => void told.push(words),
            });
            return told.splice(0)[0];
          };
          assert.equal(await night(), [false, '']);
          const stored = join(data, 'files', image);
          const bytes = readFileSync(stored);
          const at = Math.floor(bytes.length / 2);
          bytes[at] = (bytes[at] ?? 0) ^ 1;
          writeFileSync(stored, bytes);
          assert.equal(await night(), [true, '1 uploaded file']);
          const sqlite = new Sqlite(rows.file);
          sqlite.pragma('wal_checkpoint(truncate)');
          const [index] = sqlite
            .prepare("select rootpage from sqlite_master where name = 'papers_by_change'")
            .pluck()
            .all();
          sqlite.close();
          assert.ok(statSync(rows.file).size >= Number(index) * pageBytes);
          spoil(rows.file, Number(index), Buffer.alloc(pageBytes, 0x5a));
          assert.equal(await night(), [true, 'the database ("papers"), 1 uploaded file']);
        } finally {
          await db.destroy();
        }
      });
    }),
);

test.run();
