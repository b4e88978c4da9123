/** The battery of a frame: a sample a day, and the number of days left at the present pace. */
import { addressOfSerial } from '../../firmware-protocol/trmnl/mac-address.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows, changeRows } from '../../runtime/database/plain-sql.ts';
import type { Moment } from '../../runtime/moment.ts';
import { recordFrameEvent } from './event-log.ts';
import type { WatchRow } from './presence-tables.ts';
import { type FrameRow, serialKey, type WatchedFrame } from './registry.ts';

/** The voltages of a kind of battery, in millivolts. */
interface Cells {
  /** Below it a frame no longer works for certain. */
  readonly criticalMv: number;
  /** Below it people are asked to charge it. */
  readonly lowMv: number;
  /** The value of a full battery. */
  readonly fullMv: number;
}

/** Four fresh cells: a classic frame without USB no longer connects below 4.2 V, and asks for a charge below 4.3 V. */
const fourCells: Cells = { criticalMv: 4200, lowMv: 4300, fullMv: 6000 };
/** One lithium cell, as frames that poll have it: their boards stop at some 3.2 V (usetrmnl/trmnl-firmware, `src/battery`). */
const lithium: Cells = { criticalMv: 3300, lowMv: 3500, fullMv: 4150 };

/** The battery of a frame, which follows from the family that its serial names. */
export function cellsOf(serial: string): Cells {
  return addressOfSerial(serial) === undefined && !serialKey(serial).startsWith('plain-') ? fourCells : lithium;
}

/** SQL for the voltage below which a frame no longer works for certain. */
export const criticalMvSql = (serialColumn: string): string =>
  `case when ${serialColumn} like 'trmnl-%' or ${serialColumn} like 'plain-%' then ${lithium.criticalMv} else ${fourCells.criticalMv} end`;

/** A battery must rise this much above a level to leave it, so that a wavering reading is not reported again and again. */
const hysteresisMv = 50;
/** The least rise from one day to the next that shows that the battery was charged or changed. */
const chargedMv = 60;
const dayMs = 86_400_000;
/** The number of days that are looked at, and the fewest that show a direction. */
const rememberedDays = 30;
const fewestDays = 3;
/** The longest forecast; nobody plans further ahead. */
const maxDays = 3650;

/** A day of a battery: `day` counts from 1970 (UTC), voltages are millivolts. */
export interface BatteryDay {
  readonly day: number;
  readonly meanMv: number;
}

type Level = 'ok' | 'low' | 'critical';

/** The charge of a battery as a rough percentage of its voltage; null where there is no battery, or none is known. */
export function batteryPercent(serial: string, batteryMv: number | null): number | null {
  if (batteryMv === null || batteryMv <= 0) return null;
  const { criticalMv, fullMv } = cellsOf(serial);
  const part = (batteryMv - criticalMv) / (fullMv - criticalMv);
  return Math.round(100 * Math.min(1, Math.max(0, part)));
}

/** The millivolts between which the vendor's clients count a battery of four cells from empty to full. */
const vendorsRange = { emptyMv: 4400, fullMv: 6000 } as const;

/** A battery's charge as the millivolts of the vendor's four cells, which is the voltage itself for a frame that has them. */
export function vendorsMv(serial: string, batteryMv: number): number {
  if (cellsOf(serial) === fourCells) return batteryMv;
  const { emptyMv, fullMv } = vendorsRange;
  return Math.round(emptyMv + ((fullMv - emptyMv) * (batteryPercent(serial, batteryMv) ?? 0)) / 100);
}

/**
 * Days until the battery reaches `emptyMv`, counted from its last sample: the median of the slopes between all pairs of
 * days (Theil and Sen), so that single odd days do not bend the line. Only what came after the last charge counts.
 * @returns undefined for fewer than three days, and for a battery that does not fall
 */
export function forecastDays(samples: readonly BatteryDay[], emptyMv: number): number | undefined {
  const days = sinceCharge([...samples].sort((a, b) => a.day - b.day).slice(-rememberedDays));
  const last = days.at(-1);
  if (last === undefined || days.length < fewestDays) return undefined;
  const slopes = new Float64Array((days.length * (days.length - 1)) / 2);
  let count = 0;
  for (const [at, from] of days.entries()) {
    for (const to of days.slice(at + 1)) slopes[count++] = (to.meanMv - from.meanMv) / (to.day - from.day);
  }
  const slope = median(slopes);
  if (!(slope < 0)) return undefined;
  const levelNow = median(Float64Array.from(days, ({ day, meanMv }) => meanMv + slope * (last.day - day)));
  return Math.min(maxDays, Math.max(0, Math.floor((levelNow - emptyMv) / -slope)));
}

function sinceCharge(days: readonly BatteryDay[]): readonly BatteryDay[] {
  const charged = days.findLastIndex(({ meanMv }, at) => meanMv - (days[at - 1]?.meanMv ?? meanMv) >= chargedMv);
  return charged === -1 ? days : days.slice(charged);
}

/** Sorts the values in place: a list of typed numbers is sorted many times faster than one with a comparison. */
function median(values: Float64Array): number {
  const sorted = values.sort();
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

/** The level of a voltage, given the level before. */
export function batteryLevel(batteryMv: number, before: Level, { criticalMv, lowMv }: Cells): Level {
  const bound = (mv: number, wasBelow: boolean): number => mv + (wasBelow ? hysteresisMv : 0);
  if (batteryMv < bound(criticalMv, before === 'critical')) return 'critical';
  return batteryMv < bound(lowMv, before !== 'ok') ? 'low' : 'ok';
}

/** The days left of a frame's battery; null when they cannot be estimated. */
export async function batteryDaysLeft(db: Database, serial: string, now: number): Promise<number | null> {
  const today = Math.floor(now / dayMs);
  const rows = await allRows<StoredDay>(
    db,
    'select day, samples, sum_mv from battery_days where serial = ? and day > ? order by day',
    [serialKey(serial), today - rememberedDays],
  );
  return leftToday(rows, today, cellsOf(serial));
}

interface StoredDay {
  readonly day: number;
  readonly samples: number;
  readonly sum_mv: number;
}

function leftToday(rows: readonly StoredDay[], today: number, { criticalMv }: Cells): number | null {
  const days = rows.map(({ day, samples, sum_mv }) => ({ day, meanMv: sum_mv / samples }));
  const left = forecastDays(days, criticalMv);
  return left === undefined ? null : Math.max(0, left - (today - (days.at(-1)?.day ?? today)));
}

interface Remembered {
  readonly contactAt: number | null;
  readonly today: number;
  readonly daysLeft: number | null;
}
const remembered = new WeakMap<Database, BoundedMap<string, Remembered>>();
const maxRemembered = 50_000;

/**
 * Returns `batteryDaysLeft` from memory. It is computed again only after a contact of the frame, since readings come with
 * contacts, or after the day has changed.
 */
export async function knownDaysLeft(
  db: Database,
  frame: Pick<FrameRow, 'serial' | 'last_contact_at'>,
  now: number,
): Promise<number | null> {
  const known = rememberedOf(db);
  const { serial, last_contact_at: contactAt } = frame;
  const today = Math.floor(now / dayMs);
  const last = known.get(serial);
  if (last?.contactAt === contactAt && last.today === today) return last.daysLeft;
  const daysLeft = await batteryDaysLeft(db, serial, now);
  known.set(serial, { contactAt, today, daysLeft });
  return daysLeft;
}

/**
 * Returns the days left of many frames, by serial. A forecast of the same day is good enough for a list, so that frames
 * that wake every hour do not make each list as dear as the first of the day.
 */
export async function daysLeftOfMany(
  db: Database,
  frames: readonly Pick<FrameRow, 'serial' | 'last_contact_at'>[],
  now: number,
): Promise<ReadonlyMap<string, number | null>> {
  const known = rememberedOf(db);
  const today = Math.floor(now / dayMs);
  const unknown = frames.filter(({ serial }) => known.get(serial)?.today !== today);
  const found = new Map(frames.map(({ serial }) => [serial, known.get(serial)?.daysLeft ?? null]));
  if (unknown.length === 0) return found;
  const rows = await allRows<StoredDay & { serial: string }>(
    db,
    `select serial, day, samples, sum_mv from battery_days
     where serial in (${unknown.map(() => '?').join(', ')}) and day > ? order by serial, day`,
    [...unknown.map(({ serial }) => serial), today - rememberedDays],
  );
  const bySerial = new Map<string, StoredDay[]>(unknown.map(({ serial }) => [serial, []]));
  for (const row of rows) bySerial.get(row.serial)?.push(row);
  for (const { serial, last_contact_at: contactAt } of unknown) {
    const daysLeft = leftToday(bySerial.get(serial) ?? [], today, cellsOf(serial));
    known.set(serial, { contactAt, today, daysLeft });
    found.set(serial, daysLeft);
  }
  return found;
}

function rememberedOf(db: Database): BoundedMap<string, Remembered> {
  const known = remembered.get(db) ?? new BoundedMap(maxRemembered);
  remembered.set(db, known);
  return known;
}

/**
 * Adds a reading to its day, and records one event when the battery has become low or critical.
 * @returns the changes of the frame's watch, for the caller to write
 */
export async function recordBattery(
  db: Database,
  { frame: { serial }, watch }: WatchedFrame,
  batteryMv: number | undefined,
  { now, random }: Moment,
): Promise<Partial<WatchRow>> {
  // A frame on a cable reports 0, or nothing.
  if (batteryMv === undefined || batteryMv <= 0) return {};
  await changeRows(
    db,
    `insert into battery_days (serial, day, samples, min_mv, sum_mv) values (?, ?, 1, ?, ?)
     on conflict (serial, day) do update set samples = battery_days.samples + 1,
       sum_mv = battery_days.sum_mv + excluded.sum_mv,
       min_mv = case when excluded.min_mv < battery_days.min_mv then excluded.min_mv else battery_days.min_mv end`,
    [serial, Math.floor(now / dayMs), batteryMv, batteryMv],
  );
  const before = (watch?.battery_level ?? 'ok') as Level;
  const level = batteryLevel(batteryMv, before, cellsOf(serial));
  if (level === before) return {};
  const worse = level === 'critical' || (level === 'low' && before === 'ok');
  if (worse) {
    const payload = { level, batteryMv, daysLeft: await batteryDaysLeft(db, serial, now) };
    await recordFrameEvent(db, random, { serial, type: 'battery', at: now, payload });
  }
  return { battery_level: level };
}
