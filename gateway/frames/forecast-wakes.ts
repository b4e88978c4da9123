/**
 * The coming wakes of a frame with settings that nobody has saved yet: played forward from its planned changes and its own
 * last sleeps, with the lateness that people would see.
 */
import type { Database } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import { modelOf, watchOf } from './expect-wake.ts';
import { wakesPerDay } from './forecast-settings.ts';
import { expectedChanges, keptOf, type PlannedChange } from './planned-changes.ts';
import { frameRegistry, serialKey } from './registry.ts';
import { noSleepFacts, type SleepColumns, tellSleep } from './tell-sleep.ts';
import type { UpdateSchedule } from './update-windows.ts';
import { errorsOf, type KnownSleep, type WakeModel } from './wake-model.ts';

/** The settings that are forecast. */
export interface ForecastSettings {
  readonly sleepSeconds: number;
  readonly updateSchedule: UpdateSchedule | null;
  readonly maxWakesPerDay: number | null;
}

/** The wakes with some settings, and the lateness of pictures. */
export interface WakeForecast {
  readonly wakesPerDay: number;
  /** The changes that are planned for the coming day, and how many of them wait for a wake that ends for another reason. */
  readonly changes: number;
  readonly leftOut: number;
  /** How late such a change hangs on average, seconds; null without one. */
  readonly lateSeconds: number | null;
  /** How long a picture that somebody sends at any time waits for the next wake on average, seconds. */
  readonly sentWaitsSeconds: number;
}

/** The rows of a frame by which it is forecast. */
export interface ForecastFacts {
  readonly planned: Pick<SleepColumns, 'planned_changes' | 'planned_deadlines'>;
  /** How far its last sleeps were from their model, seconds on average. */
  readonly errorSeconds: number;
  /** The wakes of a day as they really were over the last weeks; null for fewer than three days. */
  readonly measuredPerDay: number | null;
}

const dayMs = 86_400_000;
const measuredDays = { most: 14, least: 3 } as const;
/** The wakes that are played at most: the rest of a day goes on as they did. */
const maxPlayed = 200;

/** Gathers the rows of a frame; undefined for one that is not known. */
export async function forecastFacts(db: Database, serial: string, now: number): Promise<ForecastFacts | undefined> {
  const frame = await frameRegistry(db).find(serial);
  if (frame === undefined) return undefined;
  const watch = await watchOf(db, serial);
  const sleeps = JSON.parse(watch?.sleeps ?? '[]') as KnownSleep[];
  const model = modelOf(watch);
  const errors = errorsOf(sleeps, model).map(Math.abs);
  const errorSeconds = errors.reduce((sum, error) => sum + error, 0) / Math.max(1, errors.length);
  return { planned: frame, errorSeconds, measuredPerDay: await measured(db, frame.serial, now) };
}

async function measured(db: Database, serial: string, now: number): Promise<number | null> {
  const from = now - measuredDays.most * dayMs;
  const sql = `select count(*) as wakes, min(at) as first from frame_events where serial = ? and at > ? and type = 'hello'`;
  const row = await firstRow<{ wakes: number; first: number | null }>(db, sql, [serialKey(serial), from]);
  const days = (now - Number(row?.first ?? now)) / dayMs;
  return days < measuredDays.least ? null : Number(row?.wakes) / days;
}

/** Forecasts the wakes from a moment on; the frame is taken to be as exact as its last sleeps were. */
export function forecastWakes(settings: ForecastSettings, facts: ForecastFacts | undefined, now: number): WakeForecast {
  const { sleepSeconds, updateSchedule, maxWakesPerDay } = settings;
  const frame: SleepColumns = {
    sleep_seconds: sleepSeconds,
    update_schedule: updateSchedule && JSON.stringify(updateSchedule),
    max_wakes_per_day: maxWakesPerDay,
    planned_changes: facts?.planned.planned_changes ?? null,
    planned_deadlines: facts?.planned.planned_deadlines ?? null,
  };
  // A list is looked at for a day from each wake on.
  const expected = expectedChanges(frame, now, now + 2 * dayMs);
  const changes = expected.filter(({ at }) => at <= now + dayMs);
  const isPlanned = changes.length > 0 || frame.planned_deadlines != null || maxWakesPerDay !== null;
  if (!isPlanned) {
    const usual = wakesPerDay({ sleepSeconds, updateSchedule }, now);
    return { wakesPerDay: usual, changes: 0, leftOut: 0, lateSeconds: null, sentWaitsSeconds: waitOf(usual) };
  }
  const wakes = playedFrom(frame, expected, now);
  const late = changes.flatMap(({ at }) => {
    const wake = wakes.find((one) => one >= at);
    return wake === undefined ? [] : [(wake - at) / 1000];
  });
  const reached = wakes.at(-1) ?? now;
  const partPlayed = changes.length / Math.max(1, late.length);
  const perDay = ((wakes.length - 1) * dayMs) / Math.max(1, reached - now);
  return {
    wakesPerDay: perDay,
    changes: changes.length,
    leftOut: Math.round(late.filter((seconds) => seconds > onTimeSeconds).length * partPlayed),
    lateSeconds: late.length === 0 ? null : meanOf(late) + (facts?.errorSeconds ?? 0),
    sentWaitsSeconds: waitOf(perDay),
  };
}

/** A change that hangs later than that waits for a wake of another reason: those within five minutes are one wake. */
const onTimeSeconds = 6 * 60;

/** A picture that is sent at any time waits for half of a sleep. */
const waitOf = (perDay: number): number => 43_200 / Math.max(1, perDay);

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The times of the wakes of a day from now on, this moment first. Its list is kept at each wake as it is stored. */
function playedFrom(frame: SleepColumns, expected: readonly PlannedChange[], now: number): readonly number[] {
  const model: WakeModel = { isLearned: true, offset: 0, drift: 1 };
  const wakes = [now];
  let at = now;
  while (at < now + dayMs && wakes.length < maxPlayed) {
    const coming = keptOf(expected.filter((change) => change.at > at));
    const known = { ...frame, planned_changes: coming.length === 0 ? null : JSON.stringify(coming) };
    at += tellSleep(known, { ...noSleepFacts, model, wakes: wakes.toReversed() }, at).seconds * 1000;
    wakes.push(at);
  }
  return wakes;
}
