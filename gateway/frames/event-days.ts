/**
 * The events of frames on PostgreSQL, in a table for each day: a day that is over is dropped as a whole, and folded in a
 * table that nobody writes into. An event belongs to the day in which its id was made, which begins with the second.
 */
import {
  type Database,
  isPostgres,
  type Migration,
  type Transaction,
  transact,
} from '../../runtime/database/database.ts';
import { readDatabaseTime } from '../../runtime/database/database-time.ts';
import { runStatements } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';
import { earliestId } from '../../runtime/random.ts';

/** The milliseconds of a day. */
export const eventDayMs = 86_400_000;
/** Tables are made for so many days ahead: a night may be missed. */
const daysAhead = 8;
/** Who keeps a table is waited for as long as this; the next night tries again. */
const lockTimeout = '2s';

/** Events without a table of their own: ids that are not ours, and days for which nobody made one. */
const rest = 'frame_events_rest';
/** The events from before there were days. */
const before = 'frame_events_before';
const tableOf = (day: number): string => `frame_events_d${day}`;

/** The first id of a day. */
export const firstIdOf = (day: number): string => earliestId(day * eventDayMs);
/** Returns the day of a moment, in days since 1970. */
export const eventDayOf = (at: number): number => Math.floor(at / eventDayMs);

/** The days whose routine wakes are folded. */
export const eventDays = defineTable('event_days', {
  day: 'integer primary key',
  folded_at: 'integer not null',
});

/** On PostgreSQL the table of events becomes the first part of one that is divided by days. */
export const eventDayBaseline: Migration = {
  name: 'event-days-baseline',
  async up(db) {
    await runStatements(db, eventDays.statements);
    if (!isPostgres(db)) return;
    const end = firstIdOf(eventDayOf(await readDatabaseTime(db)) + 2);
    await runStatements(db, [
      `alter table frame_events rename to ${before}`,
      `alter index frame_events_pkey rename to ${before}_pkey`,
      `alter index frame_events_by_serial rename to ${before}_by_serial`,
      `create table frame_events (like ${before} including defaults) partition by range (id)`,
      'alter table frame_events add primary key (id)',
      'create index frame_events_by_serial on frame_events (serial, at)',
      `create table ${rest} partition of frame_events default`,
      `alter table frame_events attach partition ${before} for values from (minvalue) to ('${end}')`,
    ]);
  },
};

/** A part of the table of events. `day` is undefined for one that holds more than a day, `end` for what has no table. */
export interface EventPart {
  readonly name: string;
  readonly day: number | undefined;
  /** The first id after it. */
  readonly end: string | undefined;
  /** About how many rows it has. */
  readonly rows: number;
}

/** Lists the parts of the table of events on PostgreSQL. */
export async function eventParts(db: Database): Promise<readonly EventPart[]> {
  const { rows }: { rows: readonly { name: string; bound: string; rows: number }[] } = await db.raw(
    `select part.relname as name, pg_get_expr(part.relpartbound, part.oid) as bound, part.reltuples::float8 as rows
     from pg_inherits join pg_class as part on part.oid = inhrelid
     where inhparent = 'frame_events'::regclass order by part.relname`,
  );
  return rows.map(({ name, bound, rows: count }) => {
    const day = /^frame_events_d(\d+)$/.exec(name)?.[1];
    const end = /TO \('(\w+)'\)/.exec(bound)?.[1];
    return { name, day: day === undefined ? undefined : Number(day), end, rows: Math.max(0, count) };
  });
}

/** Makes the tables of the coming days. What had no table meanwhile moves into its own. */
export async function makeEventDays(db: Database, now: number): Promise<void> {
  const parts = await eventParts(db);
  const known = parts.find(({ name }) => name === before)?.end ?? '';
  const days = new Set(parts.map(({ day }) => day));
  const today = eventDayOf(now);
  for (let day = today; day <= today + daysAhead; day++) {
    if (!days.has(day) && firstIdOf(day) >= known) await makeDay(db, day);
  }
}

async function makeDay(db: Database, day: number): Promise<void> {
  const [name, from, to] = [tableOf(day), firstIdOf(day), firstIdOf(day + 1)];
  await briefly(db, async (trx) => {
    await trx.raw(`lock table ${rest} in access exclusive mode`);
    await trx.raw(`create table ${name} (like frame_events including all)`);
    await trx.raw(`insert into ${name} select * from ${rest} where id >= '${from}' and id < '${to}'`);
    await trx.raw(`delete from ${rest} where id >= '${from}' and id < '${to}'`);
    await trx.raw(`alter table frame_events attach partition ${name} for values from ('${from}') to ('${to}')`);
  });
}

/**
 * Drops the parts whose every event is older than a moment.
 * @returns about how many events they had
 */
export async function dropEventDays(db: Database, olderThan: number): Promise<number> {
  const limit = earliestId(olderThan);
  let dropped = 0;
  for (const { name, end, rows } of await eventParts(db)) {
    if (end === undefined || end > limit) continue;
    await briefly(db, (trx) => trx.raw(`drop table ${name}`));
    dropped += rows;
  }
  return dropped;
}

/** Changes tables in a transaction that waits for nobody for long: all who want such a table wait behind it. */
export function briefly<Result>(db: Database, work: (trx: Transaction) => Promise<Result>): Promise<Result> {
  return transact(db, async (trx) => {
    await trx.raw(`set local lock_timeout = '${lockTimeout}'`);
    await trx.raw('set local statement_timeout = 0');
    return work(trx);
  });
}

/** The parts in which old events are deleted one by one: those that are not of a single day. */
export async function undividedParts(db: Database): Promise<readonly string[]> {
  if (!isPostgres(db)) return ['frame_events'];
  return (await eventParts(db)).filter(({ day }) => day === undefined).map(({ name }) => name);
}
