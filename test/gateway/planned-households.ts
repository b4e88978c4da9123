/**
 * Households whose pictures change at known times, played through the gateway's own functions under virtual time: how late
 * each change hangs, and how often the frames wake.
 */
import { chooseRefreshRate } from '../../firmware-protocol/trmnl/refresh-rate.ts';
import { middleRate } from '../../gateway/dialects/trmnl/middle-rate.ts';
import { expectTold } from '../../gateway/frames/expect-wake.ts';
import { maxPlannedChanges, type PlannedChange, storePlanned } from '../../gateway/frames/planned-changes.ts';
import { awakeSecondsOf } from '../../gateway/frames/presence.ts';
import { recordWake } from '../../gateway/frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../../gateway/frames/registry.ts';
import type { ToldSleep } from '../../gateway/frames/tell-sleep.ts';
import { sleepToTell } from '../../gateway/frames/told-sleep.ts';
import { gatewayTables } from '../../gateway/gateway.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { type Database, openDatabase, transact } from '../../runtime/database/database.ts';
import { addDays, startOfDate, zoneOffset } from '../../runtime/local-time.ts';
import type { Random } from '../../runtime/random.ts';
import { momentOfWallClock } from '../../runtime/wall-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const zone = 'Europe/Berlin';

type Family = 'native' | 'classic' | 'trmnl' | 'plain';

/** A frame of a household, as it really is. */
interface PlayedFrame {
  readonly serial: string;
  readonly family: Family;
  readonly kind: string;
  /** The real length of a told second, and the seconds that it is awake without and with a new picture. */
  readonly drift: number;
  readonly idleSeconds: number;
  readonly drawSeconds: number;
  /** The seconds after a change until its picture can be fetched. */
  readonly madeSeconds: number;
  /** The times at which its picture changes, the earliest first. */
  readonly changes: readonly PlannedChange[];
}

/** How a run came out. */
export interface PlayedHouseholds {
  /** How late each change hung, in minutes, sorted. */
  readonly lateMinutes: readonly number[];
  readonly wakesPerDay: number;
  /** How far from their real time frames were expected, in seconds, sorted: the sleeps after the first day. */
  readonly missedBySeconds: readonly number[];
}

/** A source of chance that repeats itself for a seed (mulberry32). */
function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const families: readonly (readonly [family: Family, kind: string, idle: number, draw: number])[] = [
  ['classic', 'openpaper13', 4, 62],
  ['classic', 'epd7', 3, 48],
  ['trmnl', 'trmnl4', 8, 12],
  ['plain', 'epd7', 6, 40],
  ['native', 'epd7', 3, 41],
];

/** Moments by the clocks of the zone, on each of some days. */
function daily(firstDay: string, days: number, minutesOfDay: (day: number) => readonly number[]): number[] {
  const offset = zoneOffset(zone);
  return Array.from({ length: days }, (_, day) =>
    minutesOfDay(day).map((at) => momentOfWallClock(Date.parse(addDays(firstDay, day)) + at * minute, offset)),
  ).flat();
}

/** A playlist with meals, a calendar with its midnight and events, and now and then a timed picture. */
function changesOf(chance: () => number, firstDay: string, days: number): readonly PlannedChange[] {
  const meals = [7 * 60, 11 * 60 + 30, 17 * 60 + 30].map((at) => at + Math.floor(chance() * 4) * 15);
  const hasMeals = chance() < 0.7;
  const hasCalendar = chance() < 0.6 || !hasMeals;
  const event = (): number => 8 * 60 + Math.floor(chance() * 48) * 15;
  const times: readonly (readonly [reason: PlannedChange['reason'], at: readonly number[]])[] = [
    [reasonOf('did-not-come-back'), hasMeals ? daily(firstDay, days, () => meals) : []],
    [
      reasonOf('picture-of-nobody'),
      hasCalendar ? daily(firstDay, days, () => [0, ...Array.from({ length: Math.floor(chance() * 5) }, event)]) : [],
    ],
    [undefined, daily(firstDay, days, () => (chance() < 0.2 ? [Math.floor(chance() * 1440)] : []))],
  ];
  return times
    .flatMap(([reason, at]) => at.map((moment) => ({ at: moment, ...(reason && { reason }) })))
    .sort((one, other) => one.at - other.at);
}

function frameOf(index: number, chance: () => number, firstDay: string, days: number): PlayedFrame {
  const [family, kind, idleSeconds, drawSeconds] = families[index % families.length] as (typeof families)[number];
  const isFarOff = chance() < 0.3;
  return {
    serial: `epd7-${String(index).padStart(12, '0')}`,
    family,
    kind,
    drift: 1 + (chance() * 2 - 1) * (isFarOff ? 0.05 : 0.004),
    idleSeconds: idleSeconds * (0.7 + chance() * 0.6),
    drawSeconds: drawSeconds * (0.8 + chance() * 0.4),
    madeSeconds: chance() * 12,
    changes: changesOf(chance, firstDay, days),
  };
}

interface Play {
  readonly db: Database;
  readonly frame: PlayedFrame;
  readonly chance: () => number;
  readonly random: Random;
  readonly ends: number;
  /** The sleep that is sent whatever is planned; undefined for sleeps that end when it matters. */
  readonly always?: number | undefined;
}

/** The sleep that the service sends at a wake, as it goes over the wire, and that it expects. */
async function tell({ db, frame, random, always }: Play, now: number, givesNew: boolean): Promise<number> {
  const { family, serial } = frame;
  const moment = { now, random };
  return transact(db, async (trx) => {
    const row = await frameRegistry(trx).known(serial);
    const planned = frame.changes.filter(({ at }) => at > now).slice(0, maxPlannedChanges);
    if (always === undefined) await storePlanned(trx, row, 'planned_changes', { planned, now });
    const common = { fileVersion: 0, firmware: '1', orientation: undefined, batteryMv: undefined, rssi: undefined };
    const woken: FrameRow = await recordWake(
      trx,
      await frameRegistry(trx).known(serial),
      { ...common, dialect: family, wake: 'timer' },
      moment,
    );
    const awake = {
      native: awakeSecondsOf(woken, givesNew),
      classic: awakeSecondsOf(woken, givesNew),
      trmnl: 10,
      plain: 0,
    }[family];
    const known = { awakeSeconds: awake, givesNew };
    const plain: ToldSleep = { seconds: always ?? 0, end: 'longest', at: null };
    const told = always === undefined ? await sleepToTell(trx, woken, known, now) : plain;
    const slept = family === 'trmnl' ? chooseRefreshRate(middleRate(told), [], random.jitter()) : told.seconds;
    await expectTold(trx, serial, { told, awake, slept }, now);
    return slept;
  });
}

/** Plays a frame to the end, from wake to wake. */
async function play(game: Play, starts: number): Promise<{ late: number[]; wakes: number; missedBy: number[] }> {
  const { db, frame, chance, ends } = game;
  const late: number[] = [];
  const missedBy: number[] = [];
  let [now, wakes, seen] = [starts, 0, 0];
  while (now < ends) {
    wakes++;
    const before = seen;
    for (; (frame.changes[seen]?.at ?? Infinity) + frame.madeSeconds * 1000 <= now; seen++) {
      late.push((now - (frame.changes[seen]?.at ?? 0)) / minute);
    }
    const givesNew = seen > before || wakes === 1;
    const slept = await tell(game, now, givesNew);
    const awake = (givesNew ? frame.drawSeconds : frame.idleSeconds) + chance() * 2;
    const wobble = 1 + (chance() * 2 - 1) * 0.0008;
    now += Math.round((awake + slept * frame.drift * wobble) * 1000);
    const { asleep_until: expected } = await frameRegistry(db).known(frame.serial);
    if (now > starts + 24 * hour) missedBy.push(Math.abs(now - (expected ?? 0)) / 1000);
  }
  return { late, wakes, missedBy };
}

/**
 * Plays households of one frame each, with the change of clocks in the middle of their days.
 * @param always the sleep that every frame is sent, in seconds; left out, sleeps end when it matters
 */
export async function playHouseholds(asked: {
  readonly households: number;
  readonly days: number;
  readonly seed: number;
  readonly always?: number;
}): Promise<PlayedHouseholds> {
  const { households, days, seed, always } = asked;
  const firstDay = addDays('2026-10-25', -Math.floor(days / 2));
  const starts = startOfDate(firstDay, zone) + 3 * hour;
  const ends = startOfDate(addDays(firstDay, days), zone);
  const db = await openDatabase({ file: ':memory:' }, gatewayTables);
  try {
    const found = [];
    for (let index = 0; index < households; index++) {
      const chance = chanceOf(seed * 1_000 + index);
      const drawn = frameOf(index, chance, firstDay, days + 2);
      // Changes before the first wake are on the glass already.
      const frame = { ...drawn, changes: drawn.changes.filter(({ at }) => at > starts && at < ends - 4 * hour) };
      await frameRegistry(db).provision(frame.serial, frame.kind, starts);
      await frameRegistry(db).change(frame.serial, { sleep_seconds: 3 * 3600 }, starts);
      let ids = 0;
      const random: Random = {
        id: () => `${frame.serial}-${++ids}`,
        secret: () => 'secret',
        jitter: chance,
      };
      found.push(await play({ db, frame, chance, random, ends, always }, starts + Math.floor(chance() * hour)));
    }
    const sorted = (list: readonly number[]): readonly number[] => [...list].sort((one, other) => one - other);
    const wakes = found.reduce((sum, each) => sum + each.wakes, 0);
    return {
      lateMinutes: sorted(found.flatMap(({ late }) => late)),
      wakesPerDay: (wakes / households / (ends - starts)) * 24 * hour,
      missedBySeconds: sorted(found.flatMap(({ missedBy }) => missedBy)),
    };
  } finally {
    await db.destroy();
  }
}

/** The mean of some numbers. */
export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** The value below which a part of sorted numbers lies. */
export const partOf = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
