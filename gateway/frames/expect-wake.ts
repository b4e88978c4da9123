/** Predicts when a frame wakes: its announced sleep, corrected by how long it really slept the last times. */
import type { WakeReason } from '../../firmware-protocol/sleep.ts';
import type { Database } from '../../runtime/database/database.ts';
import { firstRow, insertRow } from '../../runtime/database/plain-sql.ts';
import type { Moment } from '../../runtime/moment.ts';
import { type EventFacts, recordFrameEvent } from './event-log.ts';
import { graceMs } from './presence.ts';
import type { WatchRow } from './presence-tables.ts';
import { type FrameRow, frameRegistry, serialKey, type WatchedFrame } from './registry.ts';
import type { SleepFacts, ToldSleep } from './tell-sleep.ts';
import {
  errorsOf,
  fitSleeps,
  type KnownSleep,
  learnSleep,
  reallySleeps,
  unknownModel,
  type WakeModel,
} from './wake-model.ts';

/** The number of sleeps that are remembered. */
const remembered = 8;
/** A sleep outside these bounds says nothing about the frame's clock: the frame was woken, or a wake was missed. */
const plausible = { shortest: 0.8, longest: 1.25 };
/** The length of a sleep of which only the period is known, in seconds. */
const assumedSeconds = 3600;

/** The last sleep that a frame was sent, as its watch keeps it. */
interface StoredTelling extends ToldSleep {
  /** When it was sent, epoch milliseconds, and the seconds that the frame was reckoned awake after that. */
  readonly toldAt: number;
  readonly awake: number;
  /** The end as announced: another one in the watch was written by a release that knows no tellings. */
  readonly until: number;
}

/**
 * Returns the periods that the release before reads, after another sleep.
 * @param periods real length of the last sleeps as parts of the announced length, oldest first
 */
function learnPeriod(periods: readonly number[], announcedMs: number, reallyMs: number): readonly number[] {
  const period = reallyMs / announcedMs;
  if (!(announcedMs > 0 && period >= plausible.shortest && period <= plausible.longest)) return periods;
  return [...periods, Math.round(period * 10_000) / 10_000].slice(-remembered);
}

/** The model of a frame's sleeps (WK-12); of one that was never sent to sleep nothing is known. */
export function modelOf(watch: Pick<WatchRow, 'periods' | 'sleeps'> | undefined): WakeModel {
  return watch === undefined ? unknownModel : fitSleeps(sleepsOf(watch));
}

/**
 * How much later than by the model the last sleeps ended, as parts of their lengths: the latest of them against the median.
 * @returns 0 for fewer than two
 */
export function latestPart(watch: Pick<WatchRow, 'periods' | 'sleeps'>): number {
  const sleeps = sleepsOf(watch);
  if (sleeps.length < 2) return 0;
  const errors = errorsOf(sleeps, fitSleeps(sleeps)).map((error, index) => error / (sleeps[index]?.[0] ?? 1));
  errors.sort((one, other) => one - other);
  return Math.max(0, (errors.at(-1) ?? 0) - (errors[Math.floor((errors.length - 1) / 2)] ?? 0));
}

/** The change that was next when a frame was sent its last sleep, and how often it came back for a picture since. */
export function wokenFor(watch: Pick<WatchRow, 'told'> | undefined): SleepFacts['wokeFor'] {
  if (watch == null || watch.told === null) return undefined;
  const { next, tries = 0 } = JSON.parse(watch.told) as StoredTelling;
  return next === undefined && tries === 0 ? undefined : { at: next, tries };
}

/** The last sleep that a frame was sent, with the moment that ends it; undefined where it chose its sleep itself. */
export function tellingOf(watch: Pick<WatchRow, 'told' | 'announced_until'>): StoredTelling | undefined {
  if (watch.told === null) return undefined;
  const told = JSON.parse(watch.told) as StoredTelling;
  return told.until === watch.announced_until ? told : undefined;
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
  const change = timed ? learned(watch, { sleptAt: slept_at, until: announced_until, now }) : {};
  if (overdue_since === null) return change;
  const payload: EventFacts = { stage: 'recovered', overdueSince: overdue_since, expectedAt: frame.asleep_until };
  await recordFrameEvent(db, random, { serial: frame.serial, type: 'alert', at: now, payload });
  return { ...change, overdue_since: null };
}

/** The changes of a watch after a sleep that a timer ended. */
function learned(
  watch: WatchRow,
  { sleptAt, until, now }: { readonly sleptAt: number; readonly until: number; readonly now: number },
): Partial<WatchRow> {
  const before = periodsOf(watch);
  const periods = learnPeriod(before, until - sleptAt, now - sleptAt);
  const announced = { toldAt: sleptAt, seconds: (until - sleptAt) / 1000, awake: 0 };
  const { toldAt, seconds, awake } = tellingOf(watch) ?? announced;
  const known = sleepsOf(watch);
  const sleeps = learnSleep(known, seconds, (now - toldAt) / 1000 - awake);
  return {
    ...(periods !== before && { periods: JSON.stringify(periods) }),
    ...(sleeps !== known && { sleeps: JSON.stringify(sleeps) }),
  };
}

/** A sleep as it was announced at `now`, epoch milliseconds. */
interface AnnouncedSleep {
  readonly now: number;
  readonly announcedUntil: number;
  /** The sleep as it was sent, where that is known: the frame follows it after the time that it is reckoned awake. */
  readonly telling?: Telling | undefined;
}

/** A sleep that a frame was sent at `toldAt`, epoch milliseconds. */
export interface Telling {
  readonly toldAt: number;
  /** The sleep that it makes of that. */
  readonly seconds: number;
  /** Seconds that it was reckoned awake after that. */
  readonly awake: number;
  readonly told: ToldSleep;
}

/**
 * Predicts the end of an announced sleep from the frame's last sleeps (W-29), and the change of its watch: the time from
 * which silence is an outage.
 */
export function planSleep(
  watch: WatchRow | undefined,
  { now, announcedUntil, telling }: AnnouncedSleep,
): { readonly asleepUntil: number; readonly watch: Partial<WatchRow> } {
  const model = modelOf(watch);
  const { toldAt, seconds, awake } = telling ?? { toldAt: now, seconds: (announcedUntil - now) / 1000, awake: 0 };
  const fromTelling = toldAt + reallySleeps(model, seconds, awake) * 1000;
  // A frame that says goodbye later than reckoned sleeps from then on.
  const asleepUntil = Math.round(Math.max(fromTelling, now + model.drift * seconds * 1000));
  const sent = { toldAt, seconds, awake, until: announcedUntil };
  const stored: StoredTelling | undefined = telling && { ...telling.told, ...sent };
  return {
    asleepUntil,
    watch: {
      due_at: asleepUntil + graceMs({ asleep_until: asleepUntil, last_contact_at: now }),
      excused: 0,
      slept_at: now,
      announced_until: announcedUntil,
      // One of before stays, and no longer counts as the present: its end is another one.
      ...(stored !== undefined && { told: JSON.stringify(stored) }),
    },
  };
}

/**
 * Records the predicted end of an announced sleep; see `planSleep`.
 * @param more other changes of the frame's row, which are written with it
 */
export async function expectWake(
  db: Database,
  serial: string,
  announced: AnnouncedSleep,
  more: Partial<FrameRow> = {},
): Promise<void> {
  const { now } = announced;
  const plan = planSleep(await watchOf(db, serial), announced);
  await changeWatch(db, serial, plan.watch);
  await frameRegistry(db).change(serial, { ...more, asleep_until: plan.asleepUntil, last_contact_at: now }, now);
}

/**
 * Records the sleep that a frame was sent, and when it is therefore expected (WK-18).
 * @param awake seconds that it is reckoned awake from now on
 * @param slept the seconds that it will sleep by that, where its firmware makes others of them
 */
export function expectTold(
  db: Database,
  serial: string,
  { told, awake, slept = told.seconds }: { readonly told: ToldSleep; readonly awake: number; readonly slept?: number },
  now: number,
): Promise<void> {
  const announcedUntil = now + Math.round((awake + slept) * 1000);
  return expectWake(db, serial, { now, announcedUntil, telling: { toldAt: now, seconds: slept, awake, told } });
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

function periodsOf(watch: Pick<WatchRow, 'periods'>): readonly number[] {
  return JSON.parse(watch.periods) as number[];
}

function sleepsOf({ sleeps, periods }: Pick<WatchRow, 'periods' | 'sleeps'>): readonly KnownSleep[] {
  if (sleeps !== null) return JSON.parse(sleeps) as KnownSleep[];
  // What the release before wrote holds no lengths: they count as equally long.
  return periodsOf({ periods }).map((period) => [assumedSeconds, assumedSeconds * period] as const);
}
