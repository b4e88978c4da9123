/**
 * A month of the wall's record among a million intervals of ten years, beside the same question that reads the whole table:
 * `node --import tsx test/bench/record.ts`. On SQLite, or on the PostgreSQL server that DATABASE_URL names. INTERVALS and
 * FRAMES may be given. A month of one frame or of all that takes 200 ms or more fails the run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyInterval, type IntervalRow, type RecordStretch } from '../../api/record/intervals.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { type Database, isPostgres, openDatabase } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { ownDatabase } from '../database.ts';

const intervals = Number(process.env.INTERVALS ?? 1_000_000);
const frames = Number(process.env.FRAMES ?? 200);
const limitMs = 200;
const runs = 9;
const years = 10;
const dayMs = 86_400_000;
const organizationId = 'organization';

/** Fills the table with frames that each show picture after picture, the last of which still hangs. */
async function fill(db: Database): Promise<void> {
  const times = { created_at: 1, updated_at: 1 };
  await db('organizations').insert({ id: organizationId, name: 'O', email: '', kind: null, meta: '{}', ...times });
  const each = Math.floor(intervals / frames);
  const span = Math.floor((years * 365 * dayMs) / each);
  const series = isPostgres(db)
    ? 'select n from generate_series(0, ?::bigint) as g(n)'
    : 'with recursive c(n) as (select 0 union all select n + 1 from c where n < ?) select n from c';
  await db.raw(
    `insert into wall_intervals (id, organization_id, serial, ownership, device_id, frame_name, title, shows, upload_id,
       revision, picture_sha256, grade, since, until, ended)
     select 'i' || n, '${organizationId}', 'frame-' || (n % ${frames}), 1, 'd', 'Kitchen', 'Menu', 'page', 'u' || n, 'page:1',
       '${'ab'.repeat(32)}', 'named', (n / ${frames}) * ${span} + n % ${frames},
       case when n / ${frames} < ${each - 1} then (n / ${frames} + 1) * ${span} + n % ${frames} end,
       case when n / ${frames} < ${each - 1} then 'replaced' end
     from (${series}) as numbers`,
    [each * frames - 1],
  );
  await db.raw('analyze');
}

async function readAll(db: Database, stretch: RecordStretch): Promise<readonly IntervalRow[]> {
  const rows: IntervalRow[] = [];
  for await (const row of everyInterval(db, stretch)) rows.push(row);
  return rows;
}

/** The same question without the index: every row is read. */
function scanAll(db: Database, { serial, from, to }: RecordStretch): Promise<readonly IntervalRow[]> {
  const ofFrame = serial === undefined ? '' : " and serial || '' = ?";
  return allRows<IntervalRow>(
    db,
    `select * from wall_intervals where organization_id || '' = ?${ofFrame} and since + 0 < ?
       and (until is null or until + 0 > ?) order by since + 0, id || ''`,
    [organizationId, ...(serial === undefined ? [] : [serial]), to, from],
  );
}

/** The quickest of some runs: others on the machine make each of them slower, and none faster. */
async function best(read: () => Promise<readonly IntervalRow[]>): Promise<{ ms: number; rows: number }> {
  let [ms, rows] = [Number.POSITIVE_INFINITY, 0];
  for (let run = 0; run < runs; run++) {
    const from = performance.now();
    rows = (await read()).length;
    ms = Math.min(ms, performance.now() - from);
  }
  return { ms, rows };
}

const folder = mkdtempSync(join(tmpdir(), 'papergate-record-'));
const { address, drop } = await ownDatabase(join(folder, 'bench.sqlite'), tables);
const db = await openDatabase(address, tables);
try {
  const begin = performance.now();
  await fill(db);
  const where = isPostgres(db) ? 'PostgreSQL' : 'SQLite';
  console.log(
    `${intervals} intervals of ${frames} frames on ${where}, filled in ${Math.round((performance.now() - begin) / 1000)} s`,
  );
  for (const [name, serial, year] of [
    ['a month of one frame, nine years ago', 'frame-7', 1],
    ['a month of one frame, the last', 'frame-7', years],
    ['a month of all frames, nine years ago', undefined, 1],
    ['a month of all frames, the last', undefined, years],
  ] as const) {
    const to = year * 365 * dayMs;
    const stretch = { organizationId, serial, from: to - 30 * dayMs, to };
    const [ours, peer] = [await best(() => readAll(db, stretch)), await best(() => scanAll(db, stretch))];
    if (ours.rows !== peer.rows) throw new Error(`${name}: ${ours.rows} intervals, and ${peer.rows} by reading all`);
    console.log(
      `${name}: ${ours.ms.toFixed(1)} ms for ${ours.rows} intervals; reading all ${peer.ms.toFixed(1)} ms, ${(peer.ms / ours.ms).toFixed(1)} times as long`,
    );
    if (ours.ms >= limitMs) process.exitCode = 1;
  }
} finally {
  await db.destroy();
  await drop();
  rmSync(folder, { recursive: true, force: true });
}
