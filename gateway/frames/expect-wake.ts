/** When a frame will be back: what it was told to sleep, corrected by how long it really slept the last times. */
import type { WakeReason } from '../../firmware-protocol/sleep.ts';
import type { Database } from '../runtime/database.ts';
import { firstRow, insertRow } from '../runtime/plain-sql.ts';
import type { Random } from '../runtime/random.ts';
import { recordEvent } from './event-log.ts';
import { graceMs } from './presence.ts';
import type { WatchRow } from './presence-tables.ts';
import { type FrameRow, frameRegistry, serialKey } from './registry.ts';

/** Sleeps that are remembered, and how many of them it takes to believe in a pattern. */
const remembered = 8;
const believed = 3;
/** A sleep further off than this says nothing about the frame's clock: it was woken, or a wake was missed. */
const plausible = { shortest: 0.8, longest: 1.25 };
/** No correction goes beyond this; below `negligible` there is none. */
const mostCorrection = 0.1;
const negligible = 0.002;
/** The periods of a clock that drifts lie together; scattered ones are chance. */
const mostSpread = 0.02;

/**
 * The periods to remember after another sleep.
 * @param periods real length of the last sleeps as parts of the told length, oldest first
 */
export function learnPeriod(periods: readonly number[], toldMs: number, reallyMs: number): readonly number[] {
  const period = reallyMs / toldMs;
  if (!(toldMs > 0 && period >= plausible.shortest && period <= plausible.longest)) return periods;
  return [...periods, Math.round(period * 10_000) / 10_000].slice(-remembered);
}

/** By what a told sleep has to be multiplied: 1 unless the last sleeps were all off by much the same (W-29). */
export function sleepFactor(periods: readonly number[]): number {
  const sorted = periods.slice(-remembered).sort((a, b) => a - b);
  if (sorted.length < believed) return 1;
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 1;
  const median = (at(0.5) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 1)) / 2;
  // One sleep that was cut short must not hide a pattern: the middle half decides.
  const scattered = at(0.75) - at(0.25) > mostSpread;
  if (scattered || Math.abs(median - 1) < negligible) return 1;
  return Math.min(1 + mostCorrection, Math.max(1 - mostCorrection, median));
}

/** What is watched of a frame; a frame that was never told to sleep has nothing. */
export function watchOf(db: Database, serial: string): Promise<WatchRow | undefined> {
  return firstRow(db, 'select * from frame_watch where serial = ?', [serialKey(serial)]);
}

/** Writes what has changed of a frame's watch. */
export async function changeWatch(db: Database, serial: string, change: Partial<WatchRow>): Promise<void> {
  const columns = Object.keys(change);
  if (columns.length === 0) return;
  const row = { serial: serialKey(serial), excused: 0, periods: '[]', ...change };
  const changed = columns.map((name) => `${name} = excluded.${name}`).join(', ');
  await insertRow(db, 'frame_watch', row, `on conflict (serial) do update set ${changed}`);
}

/**
 * A frame is back: its outage ends, with an event, and its last sleep is learned from when the timer woke it.
 * @param frame its row as it was before this wake
 * @returns what changes of its watch, for the caller to write
 */
export async function welcomeBack(
  db: Database,
  frame: FrameRow,
  watch: WatchRow | undefined,
  wake: WakeReason | undefined,
  now: number,
  random: Random,
): Promise<Partial<WatchRow>> {
  if (watch === undefined) return {};
  const { slept_at, announced_until, overdue_since } = watch;
  const timed = wake === 'timer' && slept_at !== null && announced_until !== null;
  const periods = periodsOf(watch);
  const learned = timed ? learnPeriod(periods, announced_until - slept_at, now - slept_at) : periods;
  const change = learned === periods ? {} : { periods: JSON.stringify(learned) };
  if (overdue_since === null) return change;
  const payload = { stage: 'recovered', overdueSince: overdue_since, expectedAt: frame.asleep_until };
  await recordEvent(db, random, { serial: frame.serial, type: 'alert', at: now, payload });
  return { ...change, overdue_since: null };
}

/**
 * Until when a frame that was told to sleep is expected to, given how its sleeps really went, and what follows for its
 * watch: from when on silence is an outage (A-12, W-39).
 * @param announcedUntil the end of the sleep by the frame's own account, epoch milliseconds
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

/** Writes down until when a frame was told to sleep; see `planSleep`. */
export async function expectWake(db: Database, serial: string, announcedUntil: number, now: number): Promise<void> {
  const plan = planSleep(await watchOf(db, serial), announcedUntil, now);
  await changeWatch(db, serial, plan.watch);
  await frameRegistry(db).change(serial, { asleep_until: plan.asleepUntil, last_contact_at: now }, now);
}

/** A frame and when it is expected to wake, epoch milliseconds. */
export interface ExpectedWake {
  readonly serial: string;
  readonly at: number;
}

/** Frames whose sleep ends after one moment and until another. */
export async function expectedWakes(db: Database, after: number, until: number): Promise<ExpectedWake[]> {
  return db('frames').where('asleep_until', '>', after).where('asleep_until', '<=', until).select({
    serial: 'serial',
    at: 'asleep_until',
  });
}

function periodsOf(watch: WatchRow): readonly number[] {
  return JSON.parse(watch.periods) as number[];
}
