/** Counts the pictures of the last days that were proven in time, from the upload log. */
import type { SingleTask } from '../../cluster/cluster.ts';
import { isSimulatedSql } from '../../gateway/frames/simulated-frames.ts';
import { neutralRevision } from '../../gateway/pictures/upload-row.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { levelDayOf } from './level.ts';

export interface CountLevelDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  /** Of several nodes one counts. */
  readonly single: SingleTask;
}

const dayMs = 86_400_000;
/** The time that a picture has beyond one sleep of its frame. */
const graceMs = 300_000;
/** The days that are counted again: the offers of a day are judged for up to a day and five minutes after it. */
const openDays = 3;

/**
 * A picture is judged once it was proven, or once its time is over. One that another picture took the place of before its time
 * was over is not. A frame's sleep is the one in which it was when the picture was offered. For one that was awake it is the
 * longer one of that it is to keep and that it says it keeps.
 */
const judged = `select offered.organization_id, offered.day, count(*) as pictures,
    sum(case when offered.shown_at <= offered.due_at then 1 else 0 end) as in_time
  from (select devices.organization_id, uploads.replaced_at, cast(uploads.offered_at / ${dayMs} as bigint) as day,
      uploads.offered_at + ${graceMs} + 1000 * coalesce(uploads.asleep_seconds, case
        when frames.kept_sleep_seconds > frames.sleep_seconds then frames.kept_sleep_seconds
        else frames.sleep_seconds end) as due_at,
      (select min(shown.shown_at) from uploads as shown
        where shown.serial = uploads.serial and shown.offered_at = uploads.offered_at
          and (shown.id = uploads.id or shown.showing_of = uploads.id) and shown.shown_at >= shown.fetched_at) as shown_at
    from frames join devices on devices.serial = frames.serial
      join uploads on uploads.serial = frames.serial and uploads.ownership = frames.ownership
    where frames.serial > ? and frames.serial <= ? and frames.activation = 'activated' and not (${isSimulatedSql('frames.serial')})
      and uploads.offered_at >= ? and uploads.showing_of is null and uploads.revision <> '${neutralRevision}') as offered
  where offered.shown_at <= offered.due_at
    or offered.due_at < ? and (offered.replaced_at is null or offered.replaced_at > offered.due_at)
  group by offered.organization_id, offered.day`;

/** The most frames whose pictures are judged at once: others have their turn in between. */
const portion = 200;

interface DayCount {
  readonly organization_id: string;
  readonly day: number;
  pictures: number;
  in_time: number;
}

/** Counts the days that are not over yet once more. Another run counts the same. */
export async function countLevelDays({ db, clock, single }: CountLevelDeps): Promise<void> {
  const now = clock.now();
  const firstDay = levelDayOf(now) - openDays + 1;
  const counts = new Map<string, DayCount>();
  let last = '';
  for (;;) {
    const serials: readonly (string | null)[] = await db('devices')
      .where('serial', '>', last)
      .orderBy('serial')
      .limit(portion)
      .pluck('serial');
    const [end] = serials.slice(-1);
    if (end === undefined || end === null) break;
    const bounds = [last, end, firstDay * dayMs, now];
    for (const found of await allRows<Readonly<Record<keyof DayCount, number | string>>>(db, judged, bounds)) {
      add(counts, found);
    }
    last = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await single.transact(db, async (trx) => {
    await trx('level_days').where('day', '>=', firstDay).delete();
    // An organization may have been removed since they were counted.
    const there = new Set<string>(await trx('organizations').pluck('id'));
    const rows = [...counts.values()].filter(({ organization_id }) => there.has(organization_id));
    await trx.batchInsert('level_days', rows, 100);
  });
}

function add(counts: Map<string, DayCount>, found: Readonly<Record<keyof DayCount, number | string>>): void {
  const [organization_id, day] = [String(found.organization_id), Number(found.day)];
  const key = `${organization_id} ${day}`;
  const count = counts.get(key) ?? { organization_id, day, pictures: 0, in_time: 0 };
  count.pictures += Number(found.pictures);
  count.in_time += Number(found.in_time);
  counts.set(key, count);
}
