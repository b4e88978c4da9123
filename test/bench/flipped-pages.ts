/**
 * Measures how much of what is spoiled in a database of SQLite the examination finds, and how long it takes.
 * node --import tsx test/bench/flipped-pages.ts [rows of frame_events] [pages that are tried]
 */
import { closeSync, copyFileSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { tables } from '../../api/service/open/service-tables.ts';
import { checkPages } from '../../cli/deep/check-pages.ts';
import { readSqlite } from '../../cli/deep/read-rows.ts';
import { PageSums } from '../../runtime/archive/page-sums.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';
import { fillTables } from '../schemas/fixture-rows.ts';

const [events = 20_000, tries = 300] = process.argv.slice(2).map(Number);
const pageBytes = 4096;
const folder = await mkdtemp(join(tmpdir(), 'papergate-flips-'));
const random = systemRandom(systemClock);
try {
  const file = join(folder, 'whole.sqlite');
  await fill(file);
  const pages = statSync(file).size / pageBytes;
  const began = performance.now();
  const sound = await examined(file);
  const tookMs = Math.round(performance.now() - began);
  process.stdout.write(`${pages} pages in ${tookMs} ms, ${sound} damaged\n`);
  const sums = new PageSums();
  await sums.compare(file);
  const compared = performance.now();
  await sums.compare(file);
  process.stdout.write(`compared with sums of its pages in ${Math.round(performance.now() - compared)} ms\n`);
  const spoiled = join(folder, 'spoiled.sqlite');
  for (const how of ['zeros', 'noise', 'one bit'] as const) {
    let [found, foundByArchive] = [0, 0];
    for (let round = 0; round < tries; round++) {
      copyFileSync(file, spoiled);
      spoil(spoiled, Math.floor(random.jitter() * pages), how);
      if ((await examined(spoiled)) > 0) found++;
      if ((await sums.compare(spoiled)).length > 0) foundByArchive++;
    }
    process.stdout.write(`${how}: ${found} of ${tries} found, ${foundByArchive} by the next copy into an archive\n`);
  }
} finally {
  await rm(folder, { recursive: true });
}

async function fill(path: string): Promise<void> {
  const db = await openDatabase({ file: path }, tables);
  await fillTables(db);
  const row = await db('frame_events').first();
  for (let from = 0; from < events; from += 1_000) {
    const some = Array.from({ length: Math.min(1_000, events - from) }, () => ({ ...row, id: random.id() }));
    await db.batchInsert('frame_events', some, 50);
  }
  await db.destroy();
  const sqlite = new Sqlite(path);
  sqlite.pragma('journal_mode = delete');
  sqlite.close();
}

async function examined(path: string): Promise<number> {
  const rows = readSqlite(path);
  try {
    return (await checkPages(rows, false)).damaged.length;
  } finally {
    await rows.close();
  }
}

function spoil(path: string, page: number, how: 'zeros' | 'noise' | 'one bit'): void {
  const handle = openSync(path, 'r+');
  const bytes = Buffer.alloc(pageBytes);
  readSync(handle, bytes, 0, pageBytes, page * pageBytes);
  if (how === 'zeros') bytes.fill(0);
  else if (how === 'noise') crypto.getRandomValues(bytes);
  else {
    const at = Math.floor(random.jitter() * pageBytes);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random.jitter() * 8));
  }
  writeSync(handle, bytes, 0, pageBytes, page * pageBytes);
  closeSync(handle);
}
