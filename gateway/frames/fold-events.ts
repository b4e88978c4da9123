/**
 * Folds the routine wakes of a day and frame into one row: the last wake of the day, which records how many there were,
 * from when to when, and the ranges of its battery and Wi-Fi. Everything else that happened stays.
 */
import { type Database, isPostgres, transact } from '../../runtime/database/database.ts';
import { allRows, changeRows, firstRow } from '../../runtime/database/plain-sql.ts';
import { briefly, eventDayMs, eventDayOf, eventParts } from './event-days.ts';

/** Routine wakes are folded once their day has been over for so many days. */
export const foldAfterDays = 7;
/** The most frames whose day is folded in one transaction on SQLite. */
const framesAtOnce = 20;

/** The moment up to which routine wakes may be folded, epoch milliseconds: later ones are kept one by one. */
export async function wakesFoldedUntil(db: Database): Promise<number> {
  const sql = 'select max(day) as day from event_days';
  const newest = await firstRow<{ day: number | null }>(db, sql, []);
  return newest?.day === null || newest?.day === undefined ? 0 : (Number(newest.day) + 1) * eventDayMs;
}

/** A wake by the clock that was in no doubt, with what came and went with it. A wake that somebody brought about stays (INV-87). */
const isRoutine = `(frame_events.type in ('connect', 'disconnect') and frame_events.payload = '{}'
  or frame_events.type = 'hello' and frame_events.payload like '%"wake":"timer"%'
    and frame_events.payload not like '%"suspect":true%' and frame_events.payload not like '%"superseded":true%'
    and frame_events.payload not like '%"folded":{%')`;

/** The summary that a folded row has of its day, under `folded` in its payload. */
export interface FoldedWakes {
  readonly wakes: number;
  /** Times as ISO 8601. */
  readonly first: string;
  readonly last: string;
  /** The least and the greatest of the day; null when no wake reported it. */
  readonly batteryMv: readonly [number, number] | null;
  readonly rssi: readonly [number, number] | null;
}

/** Returns an expression of SQL for the values of a group, as JSON. */
function foldedJson(db: Database): string {
  const time = (value: string): string =>
    isPostgres(db)
      ? `to_char(to_timestamp(${value} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
      : `strftime('%Y-%m-%dT%H:%M:%fZ', ${value} / 1000.0, 'unixepoch')`;
  const range = (name: string): string => `coalesce('[' || min_${name} || ',' || max_${name} || ']', 'null')`;
  return `'{"wakes":' || wakes || ',"first":"' || ${time('first_at')} || '","last":"' || ${time('last_at')} ||
    '","batteryMv":' || ${range('battery')} || ',"rssi":' || ${range('rssi')} || '}'`;
}

/** The columns of a group of routine events: those of one frame and owner in one day. */
function groupColumns(db: Database): string {
  const said = (name: string): string =>
    `case when frame_events.type = 'hello' then ${
      isPostgres(db)
        ? `(frame_events.payload::json ->> '${name}')::numeric::bigint`
        : `cast(frame_events.payload ->> '$.${name}' as integer)`
    } end`;
  const wakes = `case when frame_events.type = 'hello' then`;
  return `frame_events.serial, frame_events.ownership, count(${wakes} 1 end) as wakes,
    max(${wakes} frame_events.id end) as kept, min(${wakes} frame_events.at end) as first_at,
    max(${wakes} frame_events.at end) as last_at,
    min(${said('batteryMv')}) as min_battery, max(${said('batteryMv')}) as max_battery,
    min(${said('rssi')}) as min_rssi, max(${said('rssi')}) as max_rssi`;
}

const grouped = `group by frame_events.serial, frame_events.ownership having count(case when frame_events.type = 'hello' then 1 end) > 0`;

/**
 * Folds every day that is old enough and was not folded yet. Another run, also after the process was killed in the middle,
 * does the rest.
 * @returns how many rows there are less
 */
export async function foldEvents(db: Database, now: number): Promise<number> {
  const until = eventDayOf(now) - foldAfterDays;
  const done = new Set<number>(await db('event_days').pluck('day'));
  let fewer = 0;
  if (isPostgres(db)) {
    for (const { day, name } of await eventParts(db)) {
      if (day !== undefined && day < until && !done.has(day)) fewer += await foldPart(db, name, day, now);
    }
    return fewer;
  }
  const oldest = await firstRow<{ at: number }>(db, 'select at from frame_events order by id limit 1', []);
  for (let day = Math.max(eventDayOf(oldest?.at ?? now), until - 365); day < until; day++) {
    if (done.has(day)) continue;
    fewer += await foldInSteps(db, day);
    await db('event_days').insert({ day, folded_at: now });
  }
  return fewer;
}

/** Writes a day's table again: most of its rows go, and none of the space would come back. */
function foldPart(db: Database, name: string, day: number, now: number): Promise<number> {
  return briefly(db, async (trx) => {
    // Readers go on until the table is exchanged, and anyone who still writes into that day waits.
    await trx.raw(`lock table ${name} in share mode`);
    const kept = await trx.raw(
      `create temporary table kept_events on commit drop as
       with days as materialized (select ${groupColumns(db)} from ${name} as frame_events where ${isRoutine} ${grouped})
       select frame_events.id, frame_events.serial, frame_events.type, frame_events.at, frame_events.ownership,
         case when days.kept = frame_events.id
           then left(frame_events.payload, -1) || ',"folded":' || ${foldedJson(db)} || '}'
           else frame_events.payload end as payload
       from ${name} as frame_events left join days
         on days.serial = frame_events.serial and days.ownership = frame_events.ownership and ${isRoutine}
       where days.kept is null or days.kept = frame_events.id`,
    );
    const before = await trx.raw(`select count(*)::float8 as count from ${name}`);
    await trx.raw(`truncate table ${name}`);
    await trx.raw(
      `insert into ${name} (id, serial, type, at, ownership, payload)
       select id, serial, type, at, ownership, payload from kept_events order by serial, at`,
    );
    await trx.raw(`analyze ${name}`);
    await trx('event_days').insert({ day, folded_at: now });
    return Number(before.rows[0].count) - Number(kept.rowCount);
  });
}

interface Group {
  readonly serial: string;
  readonly ownership: number;
  readonly kept: string;
  readonly folded: string;
}

/** Folds a day some frames at a time, found by the index of frames: others write in between. */
async function foldInSteps(db: Database, day: number): Promise<number> {
  const [from, to] = [day * eventDayMs, (day + 1) * eventDayMs];
  let fewer = 0;
  let serials: readonly string[] = [];
  do {
    serials = await db('frames')
      .where('serial', '>', serials.at(-1) ?? '')
      .orderBy('serial')
      .limit(framesAtOnce)
      .pluck('serial');
    const [first, last] = [serials[0] ?? '', serials.at(-1) ?? ''];
    fewer += await transact(db, async (trx) => {
      const groups = await allRows<Group>(
        trx,
        `select serial, ownership, kept, ${foldedJson(db)} as folded from (select ${groupColumns(db)}
         from frames cross join frame_events
         where frames.serial >= ? and frames.serial <= ? and frame_events.serial = frames.serial
           and frame_events.at >= ? and frame_events.at < ? and ${isRoutine} ${grouped})`,
        [first, last, from, to],
      );
      let gone = 0;
      for (const { serial, ownership, kept, folded } of groups) {
        gone += await trx('frame_events')
          .where({ serial, ownership })
          .where('at', '>=', from)
          .where('at', '<', to)
          .whereNot({ id: kept })
          .whereRaw(isRoutine)
          .delete();
        await changeRows(
          trx,
          `update frame_events set payload = substr(payload, 1, length(payload) - 1) || ',"folded":' || ? || '}' where id = ?`,
          [folded, kept],
        );
      }
      return gone;
    });
  } while (serials.length === framesAtOnce);
  return fewer;
}
