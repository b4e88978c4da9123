/** Predicts when a frame wakes: its announced sleep, corrected by how long it really slept the last times. */
import type { WakeReason } from '../../firmware-protocol/sleep.ts';
import type { Database } from '../../runtime/database/database.ts';
import { firstRow, insertRow } from '../../runtime/database/plain-sql.ts';
import type { Moment } from '../../runtime/moment.ts';
import { type EventFacts, recordFrameEvent } from './event-log.ts';
import { graceMs } from './presence.ts';
import type { WatchRow } from './presence-tables.ts';
import { type FrameRow, frameRegistry, serialKey, type WatchedFrame } from './registry.ts';

/** The number of sleeps that are remembered, and the fewest of them that show a pattern. */
const remembered = 8;
const believed = 3;
/** A sleep outside these bounds says nothing about the frame's clock: the frame was woken, or a wake was missed. */
const plausible = { shortest: 0.8, longest: 1.25 };
/** No correction is larger than `maxCorrection`; one smaller than `negligible` is left out. */
const maxCorrection = 0.1;
const negligible = 0.002;
/** The periods of a clock that drifts lie within this spread; scattered periods are chance. */
const maxSpread = 0.02;

/**
 * Returns the periods to remember after another sleep.
 * @param periods real length of the last sleeps as parts of the announced length, oldest first
 */
export function learnPeriod(periods: readonly number[], announcedMs: number, reallyMs: number): readonly number[] {
  const period = reallyMs / announcedMs;
  if (!(announcedMs > 0 && period >= plausible.shortest && period <= plausible.longest)) return periods;
  return [...periods, Math.round(period * 10_000) / 10_000].slice(-remembered);
}

/** The factor of an announced sleep: 1 unless the last sleeps all deviated by much the same (W-29). */
export function sleepFactor(periods: readonly number[]): number {
  const sorted = periods.slice(-remembered).sort((a, b) => a - b);
  if (sorted.length < believed) return 1;
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 1;
  const median = (at(0.5) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 1)) / 2;
  // The middle half decides, so that a sleep which was cut short does not hide a pattern.
  const scattered = at(0.75) - at(0.25) > maxSpread;
  if (scattered || Math.abs(median - 1) < negligible) return 1;
  return Math.min(1 + maxCorrection, Math.max(1 - maxCorrection, median));
}

/** Reads the watch of a frame; a frame that was never sent to sleep has none. */
export function watchOf(db: Database, serial: string): Promise<WatchRow | undefined> {
  return firstRow(db, 'select * from frame_watch where serial = ?', [serialKey(serial)]);
}

/** Writes the changed columns of a frame's watch. */
export async function changeWatch(db: Database, serial: string, change: Partial<WatchRow>): Promise<void> {
  const columns = Object.keys(change);
  if (columns.length === 0) return;
  const row = { serial: serialKey(serial), excused: 0, periods: '[]', ...change };
  const changed = columns.map((name) => `${name} = excluded.${name}`).join(', ');
  await insertRow(db, 'frame_watch', row, `on conflict (serial) do update set ${changed}`);
}

/**
 * Records that a frame is back. An outage ends with an event; the length of the last sleep is remembered when the timer
 * woke the frame.
 * @returns the changes of its watch, for the caller to write
 */
export async function recordReturn(
  db: Database,
  { frame, watch }: WatchedFrame,
  wake: WakeReason | undefined,
  { now, random }: Moment,
): Promise<Partial<WatchRow>> {
  if (watch === undefined) return {};
  const { slept_at, announced_until, overdue_since } = watch;
  const timed = wake === 'timer' && slept_at !== null && announced_until !== null;
  const periods = periodsOf(watch);
  const learned = timed ? learnPeriod(periods, announced_until - slept_at, now - slept_at) : periods;
  const change = learned === periods ? {} : { periods: JSON.stringify(learned) };
  if (overdue_since === null) return change;
  const payload: EventFacts = { stage: 'recovered', overdueSince: overdue_since, expectedAt: frame.asleep_until };
  await recordFrameEvent(db, random, { serial: frame.serial, type: 'alert', at: now, payload });
  return { ...change, overdue_since: null };
}

/**
 * Predicts the end of an announced sleep from the frame's last sleeps, and the change of its watch: the time from which
 * silence is an outage.
 * @param announcedUntil the end of the sleep as it was announced, epoch milliseconds
 */
export function planSleep(
  watch: WatchRow | undefined,
  announcedUntil: number,
  now: number,
): { readonly asleepUntil: number; readonly watch: Partial<WatchRow> } {
  const factor = watch === undefined ? 1 : sleepFactor(periodsOf(watch));
  const asleepUntil = now + Math.round((announcedUntil - now) * factor);
  return {
    asleepUntil,
    watch: {
      due_at: asleepUntil + graceMs({ asleep_until: asleepUntil, last_contact_at: now }),
      excused: 0,
      slept_at: now,
      announced_until: announcedUntil,
    },
  };
}

/** A sleep as it was announced at `now`, epoch milliseconds. */
interface AnnouncedSleep {
  readonly now: number;
  readonly announcedUntil: number;
}

/**
 * Records the predicted end of an announced sleep; see `planSleep`.
 * @param more other changes of the frame's row, which are written with it
 */
export async function expectWake(
  db: Database,
  serial: string,
  { now, announcedUntil }: AnnouncedSleep,
  more: Partial<FrameRow> = {},
): Promise<void> {
  const plan = planSleep(await watchOf(db, serial), announcedUntil, now);
  await changeWatch(db, serial, plan.watch);
  await frameRegistry(db).change(serial, { ...more, asleep_until: plan.asleepUntil, last_contact_at: now }, now);
}

/** A frame and the time at which it is expected to wake, epoch milliseconds. */
export interface ExpectedWake {
  readonly serial: string;
  readonly at: number;
}

/** Lists the frames whose sleep ends after `after` and not later than `until`. */
export async function expectedWakes(db: Database, after: number, until: number): Promise<ExpectedWake[]> {
  return db('frames').where('asleep_until', '>', after).where('asleep_until', '<=', until).select({
    serial: 'serial',
    at: 'asleep_until',
  });
}

function periodsOf(watch: WatchRow): readonly number[] {
  return JSON.parse(watch.periods) as number[];
}
