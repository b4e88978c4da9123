/** How a frame's battery fares: a sample a day, and how many days are left at the present pace. */
import type { Database } from '../runtime/database.ts';
import { allRows, changeRows } from '../runtime/plain-sql.ts';
import type { Random } from '../runtime/random.ts';
import { recordEvent } from './event-log.ts';
import type { WatchRow } from './presence-tables.ts';
import { type FrameRow, serialKey } from './registry.ts';

/** Below this a fielded frame without USB no longer connects; it sleeps a day at a time. */
export const criticalBatteryMv = 4200;
/** Below this it asks people to charge it. */
const lowBatteryMv = 4300;
/** A level is left upwards only by this much, so that a reading that wavers is no news. */
const hysteresisMv = 50;
/** From one day to the next a battery only rises like this when it was charged or changed. */
const chargedMv = 60;
const dayMs = 86_400_000;
/** Days that are looked at, and the fewest that show a direction. */
const rememberedDays = 30;
const fewestDays = 3;
/** Nobody plans further ahead. */
const mostDays = 3650;

/** A day of a battery: `day` counts from 1970 (UTC), voltages are millivolts. */
export interface BatteryDay {
  readonly day: number;
  readonly meanMv: number;
}

type Level = 'ok' | 'low' | 'critical';

/**
 * Days until the battery reaches `emptyMv`, counted from its last sample: the median of the slopes between all pairs of
 * days (Theil and Sen), so that single odd days do not bend the line. Only what came after the last charge counts.
 * @returns undefined for fewer than three days, and for a battery that does not fall
 */
export function forecastDays(samples: readonly BatteryDay[], emptyMv: number): number | undefined {
  const days = sinceCharge([...samples].sort((a, b) => a.day - b.day).slice(-rememberedDays));
  const last = days.at(-1);
  if (last === undefined || days.length < fewestDays) return undefined;
  const slopes = days.flatMap((from, at) =>
    days.slice(at + 1).map((to) => (to.meanMv - from.meanMv) / (to.day - from.day)),
  );
  const slope = median(slopes);
  if (!(slope < 0)) return undefined;
  const levelNow = median(days.map(({ day, meanMv }) => meanMv + slope * (last.day - day)));
  return Math.min(mostDays, Math.max(0, Math.floor((levelNow - emptyMv) / -slope)));
}

function sinceCharge(days: readonly BatteryDay[]): readonly BatteryDay[] {
  const charged = days.findLastIndex(({ meanMv }, at) => meanMv - (days[at - 1]?.meanMv ?? meanMv) >= chargedMv);
  return charged === -1 ? days : days.slice(charged);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

/** What a voltage is called, given what the one before was called. */
export function batteryLevel(batteryMv: number, before: Level): Level {
  const bound = (mv: number, wasBelow: boolean): number => mv + (wasBelow ? hysteresisMv : 0);
  if (batteryMv < bound(criticalBatteryMv, before === 'critical')) return 'critical';
  return batteryMv < bound(lowBatteryMv, before !== 'ok') ? 'low' : 'ok';
}

/** Days left of a frame's battery, or null when nothing can be said. */
export async function batteryDaysLeft(db: Database, serial: string, now: number): Promise<number | null> {
  const today = Math.floor(now / dayMs);
  const rows = await allRows<{ day: number; samples: number; sum_mv: number }>(
    db,
    'select day, samples, sum_mv from battery_days where serial = ? and day > ? order by day',
    [serialKey(serial), today - rememberedDays],
  );
  const days = rows.map(({ day, samples, sum_mv }) => ({ day, meanMv: sum_mv / samples }));
  const left = forecastDays(days, criticalBatteryMv);
  return left === undefined ? null : Math.max(0, left - (today - (days.at(-1)?.day ?? today)));
}

interface Remembered {
  readonly contactAt: number | null;
  readonly today: number;
  readonly daysLeft: number | null;
}
const remembered = new WeakMap<Database, Map<string, Remembered>>();
const mostRemembered = 10_000;

/** As `batteryDaysLeft`, counted anew only when the frame was heard of since, or a day has begun: readings come with contacts. */
export async function knownDaysLeft(
  db: Database,
  frame: Pick<FrameRow, 'serial' | 'last_contact_at'>,
  now: number,
): Promise<number | null> {
  const known = remembered.get(db) ?? new Map<string, Remembered>();
  remembered.set(db, known);
  const { serial, last_contact_at: contactAt } = frame;
  const today = Math.floor(now / dayMs);
  const last = known.get(serial);
  if (last?.contactAt === contactAt && last.today === today) return last.daysLeft;
  const daysLeft = await batteryDaysLeft(db, serial, now);
  if (known.size >= mostRemembered) known.clear();
  known.set(serial, { contactAt, today, daysLeft });
  return daysLeft;
}

/**
 * Adds a reading to its day, and says it once when the battery has become low or critical.
 * @returns what changes of the frame's watch, for the caller to write
 */
export async function recordBattery(
  db: Database,
  frame: FrameRow,
  watch: WatchRow | undefined,
  batteryMv: number | undefined,
  now: number,
  random: Random,
): Promise<Partial<WatchRow>> {
  // A frame on a cable reports 0, or nothing.
  if (batteryMv === undefined || batteryMv <= 0) return {};
  const { serial } = frame;
  await changeRows(
    db,
    `insert into battery_days (serial, day, samples, min_mv, sum_mv) values (?, ?, 1, ?, ?)
     on conflict (serial, day) do update set samples = battery_days.samples + 1,
       sum_mv = battery_days.sum_mv + excluded.sum_mv,
       min_mv = case when excluded.min_mv < battery_days.min_mv then excluded.min_mv else battery_days.min_mv end`,
    [serial, Math.floor(now / dayMs), batteryMv, batteryMv],
  );
  const before = (watch?.battery_level ?? 'ok') as Level;
  const level = batteryLevel(batteryMv, before);
  if (level === before) return {};
  const worse = level === 'critical' || (level === 'low' && before === 'ok');
  if (worse) {
    const payload = { level, batteryMv, daysLeft: await batteryDaysLeft(db, serial, now) };
    await recordEvent(db, random, { serial, type: 'battery', at: now, payload });
  }
  return { battery_level: level };
}
