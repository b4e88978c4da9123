/**
 * Turns what a service kept of a frame into the words of a scenario: when it woke, what befell it, and what it was
 * sent.
 */
import type { WakeReason } from '../../firmware-protocol/sleep.ts';
import { spanText } from '../../runtime/spans.ts';
import type { Group } from './scenario.ts';

/** A message by which a frame reported that it is awake. */
export interface KeptContact {
  readonly at: number;
  readonly wake: WakeReason;
  /** Undefined where it said none, as on a cable. */
  readonly batteryMv: number | undefined;
  /** The number that its sensor gave for how it hangs; undefined where it has none. */
  readonly orientation: number | undefined;
  /** The number of its wake, in dialects that have one. */
  readonly boot: number | undefined;
}

/** A picture that a frame was offered. */
export interface KeptOffer {
  readonly at: number;
  /** A mark of its content, which is only compared. */
  readonly content: string;
  /** When it was proven to be on the glass; undefined where that was not before the next offer. */
  readonly shownAt: number | undefined;
}

/** The record that a service kept of a frame. Times are epoch milliseconds, in their order. */
export interface KeptFrame extends Pick<Group, 'dialect' | 'kind' | 'sleepSeconds'> {
  readonly contacts: readonly KeptContact[];
  readonly connects: readonly number[];
  readonly disconnects: readonly number[];
  /** When it said that it could not show a picture. */
  readonly failures: readonly number[];
  readonly offers: readonly KeptOffer[];
  /** Whether it was sent other sleeps than `sleepSeconds`. */
  readonly hadOtherSleeps: boolean;
}

/** Something that befell a frame, in the words of an event. Times are milliseconds since the scenario begins. */
export interface ToldAct {
  readonly at: number;
  readonly words: string;
}

/** A push to a frame. */
export interface ToldPush {
  readonly at: number;
  readonly content: string;
  /** Within which time it has to be on the glass; undefined where nothing is expected. */
  readonly withinMs: number | undefined;
}

/** A frame as a scenario tells it. */
export interface ToldFrame extends Pick<Group, 'dialect' | 'kind' | 'sleepSeconds'> {
  readonly batteryMv: number | undefined;
  readonly wakes: readonly number[];
  readonly acts: readonly ToldAct[];
  readonly pushes: readonly ToldPush[];
  /** How many of its wakes by movement or by a reset are reported as wakes by its clock. */
  readonly otherWakes: number;
}

/** The scenario begins so long before the record: frames are switched on and set up, which the recorded ones were. */
export const settleMs = 600_000;
const settleStepMs = 1_000;
const settleSteps = 240;
/** A push is sent so long before the recorded offer: until it is one, it has to be accepted and drawn. */
const pushLeadMs = 5_000;
/** A push may take so much longer than it took: the frames that are played join, load and draw in times of their own. */
export const allowanceMs = 120_000;
/** The least time from one wake of a frame of this family to the next. */
const shortestSleepMs = 60_000;
/** A battery that has risen by so much was charged or changed. */
const newBatteryMv = 300;

/** A wake with all messages of the frame in it, of which there is at least one. */
interface KeptWake {
  readonly contacts: readonly [KeptContact, ...KeptContact[]];
}

/**
 * Turns the record of a frame into the words of a scenario.
 * @param from the moment at which the record begins
 * @param place of the frame among those of the record
 */
export function tellFrame(kept: KeptFrame, from: number, place: number): ToldFrame {
  const since = (at: number): number => Math.ceil((settleMs + at - from) / 1000) * 1000;
  const wakes = wakesOf(kept.contacts);
  const timed = wakes.filter(({ contacts: [first] }) => first.wake !== 'button');
  const presses = wakes.filter(({ contacts: [first] }) => first.wake === 'button');
  const told = new Set(timed.map(({ contacts: [first] }) => since(first.at)));
  const acts = [
    ...presses.map(({ contacts: [first] }) => ({ at: since(first.at), words: 'do: press' })),
    ...changes(wakes).map(({ at, words }) => ({ at: since(at) - 1000, words })),
    ...failures(kept, wakes).map(({ at, words }) => ({ at: since(at) - 1000, words })),
    ...cuts(kept, wakes).map((at) => ({ at: since(at) + 1000, words: 'do: cut link' })),
  ];
  return {
    dialect: kept.dialect,
    kind: kept.kind,
    sleepSeconds: kept.sleepSeconds,
    batteryMv: kept.contacts.find(({ batteryMv }) => batteryMv !== undefined)?.batteryMv,
    wakes: [settleStepMs * (1 + (place % settleSteps)), ...told],
    acts: acts.sort((one, other) => one.at - other.at),
    pushes: pushesOf(kept, wakes, since),
    otherWakes: timed.filter(({ contacts: [first] }) => first.wake !== 'timer').length,
  };
}

/**
 * Groups the messages of a frame by wake: by the wake's number, or without one by gaps of a minute, the shortest sleep.
 */
function wakesOf(contacts: readonly KeptContact[]): KeptWake[] {
  const wakes: [KeptContact, ...KeptContact[]][] = [];
  for (const contact of contacts) {
    const current = wakes.at(-1);
    if (current !== undefined && isSameWake(current[0], contact)) current.push(contact);
    else wakes.push([contact]);
  }
  return wakes.map((all) => ({ contacts: all }));
}

function isSameWake(first: KeptContact, later: KeptContact): boolean {
  if (first.boot !== undefined && later.boot !== undefined) return first.boot === later.boot;
  return later.wake === first.wake && later.at - first.at < shortestSleepMs;
}

/** Batteries that were changed and frames that were hung the other way, each by the wake that reveals it. */
function changes(wakes: readonly KeptWake[]): ToldAct[] {
  let [battery, side]: (number | undefined)[] = [];
  return wakes.flatMap(({ contacts: [{ at, batteryMv, orientation }] }) => {
    const isNew = battery !== undefined && batteryMv !== undefined && batteryMv - battery >= newBatteryMv;
    // The sensor counts quarters; which of them are upright depends on how it is soldered.
    const hangs = orientation === undefined || orientation < 0 ? undefined : orientation % 2;
    const isTurned = side !== undefined && hangs !== undefined && hangs !== side;
    [battery, side] = [batteryMv ?? battery, hangs ?? side];
    return [
      ...(isNew ? [{ at, words: `do: charge, battery: ${voltsText(batteryMv)}` }] : []),
      ...(isTurned ? [{ at, words: 'do: rotate' }] : []),
    ];
  });
}

/** Wakes in which every download failed, and the next one that is as it should be. */
function failures({ dialect, failures, offers }: KeptFrame, wakes: readonly KeptWake[]): ToldAct[] {
  if (dialect === 'trmnl') return [];
  let isFailing = false;
  return wakes.flatMap(({ contacts: [{ at }] }, place) => {
    const next = wakes[place + 1]?.contacts[0].at ?? Number.POSITIVE_INFINITY;
    const isIn = (moment: number | undefined): boolean => moment !== undefined && moment >= at && moment < next;
    const fails = failures.some(isIn) && !offers.some(({ shownAt }) => isIn(shownAt));
    if (fails === isFailing) return [];
    isFailing = fails;
    return [{ at, words: fails ? 'do: behave, as: half-download' : 'do: behave, as: []' }];
  });
}

/** When the link of a frame broke: it greets again in the same wake, over another connection. Only native frames do. */
function cuts({ dialect, connects, disconnects }: KeptFrame, wakes: readonly KeptWake[]): number[] {
  if (dialect !== 'native') return [];
  return wakes.flatMap(({ contacts }) =>
    contacts.slice(1).flatMap(({ at }, place) => {
      const before = contacts[place]?.at ?? 0;
      const isBetween = (moment: number): boolean => moment > before && moment <= at;
      const connected = connects.findLast(isBetween);
      return connected === undefined ? [] : [disconnects.find(isBetween) ?? connected];
    }),
  );
}

function pushesOf(kept: KeptFrame, wakes: readonly KeptWake[], since: (at: number) => number): ToldPush[] {
  // What a frame that polls proves depends on whether it slept as long as it was sent.
  const isUnsure = kept.dialect === 'trmnl' && kept.hadOtherSleeps;
  return kept.offers.map(({ at: offeredAt, content, shownAt }, place) => {
    const at = since(offeredAt) - pushLeadMs;
    const next = kept.offers[place + 1];
    // The frame may have been awake at the offer. The one that is played sleeps, and is notified of the next push alone.
    const isReplaced =
      next !== undefined &&
      !wakes.some(({ contacts: [{ at: woke }] }) => since(woke) >= at && since(woke) < since(next.at) - pushLeadMs);
    const isExpected = shownAt !== undefined && !isUnsure && !isReplaced;
    const withinMs = isExpected ? Math.ceil((since(shownAt) - at + allowanceMs) / 60_000) * 60_000 : undefined;
    return { at, content, withinMs };
  });
}

/** Writes a battery as files have it. */
export const voltsText = (batteryMv: number): string => `${Math.min(999, Math.round(batteryMv / 10)) / 100}V`;

/** Writes a time of a file: a span since the beginning. */
export const momentText = (ms: number): string => (ms === 0 ? '0' : spanText(ms));
