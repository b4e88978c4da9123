/**
 * The cost of the nightly pass over frames' events: `node --import tsx test/bench/fold-events.ts`. PostgreSQL gets EVENTS
 * (10,000,000) events: one day of FRAMES (100,000) frames that wake hourly, with three events for each wake, and the others
 * in the days after it. The day is folded, a night with nothing to do is compared with the pass that read the whole
 * table, and the day is dropped. With `sqlite` or `postgres` only that one. SQLite gets a tenth of it over fourteen days: seven are folded, and all are deleted.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tables } from '../../api/service/open/service-tables.ts';
import { eventDayMs, eventDayOf, makeEventDays } from '../../gateway/frames/event-days.ts';
import { tidyEvents } from '../../gateway/frames/tidy-events.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { patientLimits } from '../../runtime/database/database-limits.ts';
import { postgresPrograms, startPostgres } from '../postgres-server.ts';

const wanted = Number(process.env.EVENTS ?? 10_000_000);
const frames = Number(process.env.FRAMES ?? 100_000);
const wakesPerDay = 24;
const eventsPerWake = 3;
const hourMs = eventDayMs / wakesPerDay;
const weekMs = 8 * eventDayMs + 1;

async function timed<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly seconds: number; readonly result: Result }> {
  const startedAt = performance.now();
  const result = await work();
  return { seconds: (performance.now() - startedAt) / 1000, result };
}

/** The report of a wake, as SQL over the number of the wake; `concat` puts texts together. */
const hello = `'{"dialect":"native","boot":7,"firmware":"1.4.2","panel":"epd7","fileVersion":12,"sha256":"' || 'SHA' ||
  '","pictureSynced":true,"batteryMv":' || (3600 + n % 600) || ',"rssi":' || (-40 - n % 50) ||
  ',"wake":"timer","orientation":0,"sleepSeconds":3600}'`.replace("'SHA'", `'${'a'.repeat(64)}'`);

async function fillPostgres(db: Database, from: number): Promise<void> {
  const day = frames * wakesPerDay;
  await db.raw(`insert into frames (serial, spelling, kind, activation, sleep_seconds, reported_version, announced_version,
      created_at, updated_at)
    select 'epd7-' || lpad(to_hex(f), 12, '0'), 'x', 'epd7', 'activated', 3600, 0, 1, 0, 0
    from generate_series(0, ${frames - 1}) as f`);
  const at = `${from}::bigint + (n / ${frames}) * ${hourMs} + (n % ${frames})::bigint * ${hourMs} / ${frames} + e * 1000`;
  const wakes = Math.ceil(wanted / eventsPerWake);
  for (let first = 0; first < wakes; first += day) {
    await db.raw(`insert into frame_events (id, serial, type, at, payload, ownership)
      select lpad(to_hex((${at}) / 1000), 8, '0') || left(md5(n || ' ' || e), 16),
        'epd7-' || lpad(to_hex(n % ${frames}), 12, '0'), (array['connect', 'hello', 'disconnect'])[e + 1], ${at},
        case when e = 1 then ${hello} else '{}' end, 1
      from generate_series(${first}::bigint, ${Math.min(wakes, first + day) - 1}::bigint) as n, generate_series(0, 2) as e
      order by n, e`);
  }
  await db.raw('analyze');
}

/** The pages that all statements of this database have touched so far. */
async function pagesTouched(db: Database): Promise<number> {
  // PostgreSQL publishes the counters of a connection about once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await db.raw('select pg_stat_clear_snapshot()');
  const { rows } = await db.raw(
    'select (blks_hit + blks_read)::float8 as pages from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0].pages);
}

async function sizeOf(db: Database): Promise<string> {
  const { rows } = await db.raw(
    "select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits where inhparent = 'frame_events'::regclass",
  );
  return `${(Number(rows[0].bytes) / 1024 ** 2).toFixed(0)} MiB`;
}

async function onPostgres(): Promise<void> {
  const server = startPostgres(postgresPrograms() ?? '');
  const db = await openDatabase({ url: server.url }, tables, { limits: patientLimits });
  try {
    const from = (eventDayOf(Date.now()) + 10) * eventDayMs;
    await makeEventDays(db, from);
    await makeEventDays(db, from + weekMs);
    const filled = await timed(() => fillPostgres(db, from));
    console.log(`PostgreSQL: ${wanted} events filled in ${filled.seconds.toFixed(0)} s, ${await sizeOf(db)}`);
    const later = from + weekMs;
    const folded = await timed(() => tidyEvents(db, later, 90));
    console.log(
      `one day folded: ${folded.seconds.toFixed(1)} s, ${folded.result.folded} rows fewer, ${await sizeOf(db)}`,
    );
    const before = await pagesTouched(db);
    const idle = await timed(() => tidyEvents(db, later, 90));
    const after = await pagesTouched(db);
    const old = await db.raw(`explain (analyze, buffers, format json) delete from frame_events where at < ${from}`);
    const plan = old.rows[0]['QUERY PLAN'][0];
    const read = plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks'];
    console.log(
      `a night with nothing to do: ${(idle.seconds * 1000).toFixed(0)} ms, ${after - before} pages; by reading the table ` +
        `${plan['Execution Time'].toFixed(0)} ms, ${read} pages`,
    );
    const dropped = await timed(() => tidyEvents(db, from + 91 * eventDayMs, 90));
    console.log(`a day dropped, and the others folded: ${dropped.seconds.toFixed(2)} s`, dropped.result);
    const alone = await timed(() => tidyEvents(db, from + 92 * eventDayMs, 90));
    console.log(`a day dropped: ${(alone.seconds * 1000).toFixed(0)} ms`, alone.result);
  } finally {
    await db.destroy();
    server.stop();
  }
}

async function onSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'papergate-fold-'));
  const file = join(folder, 'rows.sqlite');
  const db = await openDatabase({ file }, tables);
  try {
    const days = 14;
    const fleet = Math.round(wanted / 10 / (days * wakesPerDay * eventsPerWake));
    const from = eventDayOf(Date.now()) * eventDayMs;
    await db.raw(`insert into frames (serial, spelling, kind, activation, sleep_seconds, reported_version,
        announced_version, created_at, updated_at)
      with recursive f (n) as (select 0 union all select n + 1 from f where n < ${fleet - 1})
      select printf('epd7-%012x', n), 'x', 'epd7', 'activated', 3600, 0, 1, 0, 0 from f`);
    const at = `(${from} + (n / ${fleet}) * ${hourMs} + (n % ${fleet}) * ${hourMs} / ${fleet} + e * 1000)`;
    await db.raw(`insert into frame_events (id, serial, type, at, payload, ownership)
      with recursive w (n) as (select 0 union all select n + 1 from w where n < ${fleet * days * wakesPerDay - 1}),
        parts (e) as (values (0), (1), (2))
      select printf('%08x%016x', ${at} / 1000, n * 3 + e), printf('epd7-%012x', n % ${fleet}),
        case e when 0 then 'connect' when 1 then 'hello' else 'disconnect' end, ${at},
        case when e = 1 then ${hello} else '{}' end, 1 from w, parts order by n, e`);
    const count = async () => Number((await db('frame_events').count({ count: '*' }).first())?.count);
    const size = () => `${(statSync(file).size / 1024 ** 2).toFixed(0)} MiB`;
    console.log(`SQLite: ${await count()} events of ${fleet} frames, ${size()}`);
    let longest = 0;
    let last = performance.now();
    const watch = setInterval(() => {
      longest = Math.max(longest, performance.now() - last - 5);
      last = performance.now();
    }, 5);
    const folded = await timed(() => tidyEvents(db, from + 14 * eventDayMs, 90));
    console.log(
      `seven days folded: ${folded.seconds.toFixed(1)} s, ${folded.result.folded} rows fewer, nothing else ran for at most ${longest.toFixed(0)} ms`,
    );
    const idle = await timed(() => tidyEvents(db, from + 14 * eventDayMs, 90));
    const whole = await timed(() => db('frame_events').where('at', '<', from).delete());
    console.log(
      `a night with nothing to do: ${(idle.seconds * 1000).toFixed(1)} ms; by reading the table ${(whole.seconds * 1000).toFixed(0)} ms`,
    );
    longest = 0;
    const left = await count();
    const deleted = await timed(() => tidyEvents(db, from + 110 * eventDayMs, 90));
    console.log(
      `${left} deleted in steps: ${deleted.seconds.toFixed(1)} s, nothing else ran for at most ${longest.toFixed(0)} ms`,
    );
    clearInterval(watch);
  } finally {
    await db.destroy();
    rmSync(folder, { recursive: true });
  }
}

const given = process.argv.slice(2);
if (given.length === 0 || given.includes('sqlite')) await onSqlite();
if (given.length === 0 || given.includes('postgres')) await onPostgres();
