/** The facts by which a frame is sent its sleep, gathered from rows. Where nothing is planned for it, none is read. */
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { modelOf, watchOf, wokenFor } from './expect-wake.ts';
import type { FrameAtWake } from './record-report.ts';
import { serialKey } from './registry.ts';
import { noSleepFacts, type SleepFacts, type ToldSleep, tellSleep } from './tell-sleep.ts';

const dayMs = 86_400_000;
/** Calls of one wake: a frame whose call failed on its way asks again. */
const sameWakeMs = 45_000;
/** More wakes than that in a day are not told apart from this many. */
const maxCounted = 1_500;

/** The facts of a wake that its dialect knows. */
export type KnownOfWake = Partial<Omit<SleepFacts, 'model' | 'wakes' | 'wokeFor' | 'expectedAt'>>;

type Sleeper = Pick<
  FrameAtWake,
  | 'serial'
  | 'sleep_seconds'
  | 'update_schedule'
  | 'prove_soon'
  | 'planned_changes'
  | 'planned_deadlines'
  | 'max_wakes_per_day'
  | 'watch'
  | 'asleep_until'
>;

/**
 * Returns the sleep to tell a frame. Within one wake it ends at the same moment, however often it is asked for (WK-19).
 * @param now the moment from which it is counted, epoch milliseconds: for a wake with several answers the wake's
 */
export async function sleepToTell(db: Database, frame: Sleeper, known: KnownOfWake, now: number): Promise<ToldSleep> {
  const facts = { ...noSleepFacts, ...known, expectedAt: frame.asleep_until };
  const { planned_changes, planned_deadlines, update_schedule, max_wakes_per_day } = frame;
  const plans = [planned_changes, planned_deadlines, update_schedule, max_wakes_per_day];
  const wokeFor = wokenFor(frame.watch);
  if (plans.every((plan) => plan === null) && wokeFor === undefined) return tellSleep(frame, facts, now);
  const watch = frame.watch ?? (await watchOf(db, frame.serial));
  const counts = planned_changes !== null || max_wakes_per_day !== null;
  const wakes = counts ? await wakesSince(db, frame.serial, now - dayMs) : [];
  return tellSleep(frame, { ...facts, model: modelOf(watch), wokeFor: wokenFor(watch), wakes }, now);
}

/** Lists the times of a frame's wakes after a moment, the newest first, epoch milliseconds. */
export async function wakesSince(db: Database, serial: string, after: number): Promise<readonly number[]> {
  const rows = await allRows<{ readonly at: number }>(
    db,
    `select at from frame_events where serial = ? and at > ? and type = 'hello' order by at desc limit ${maxCounted}`,
    [serialKey(serial), after],
  );
  return rows.flatMap(({ at }, index) => {
    const next = rows[index - 1]?.at ?? Infinity;
    return Number(next) - Number(at) < sameWakeMs ? [] : [Number(at)];
  });
}
