/** Shrinks a seed that breaks a promise to the few events by which the same rule is broken. */
import type { Broken } from './machine/checker.ts';
import { createDisk, type Disk } from './machine/disk.ts';
import type { WantedFaults } from './machine/fault-rates.ts';
import { keepEvents, noteEvents, type RunEvent } from './machine/run-events.ts';
import { minimize } from './minimize.ts';
import { type RunVerdict, runSeed } from './run-seed.ts';

/** The seed to shrink, and what a run of it takes. */
export interface ShrinkOptions extends WantedFaults {
  readonly seed: string;
  /** Returns how much time is left, in milliseconds. */
  readonly leftMs: () => number;
  /** Is called after each run that broke the rule with fewer events. */
  readonly shrank?: ((events: number, runs: number) => void) | undefined;
}

/** A seed with the events that are left. */
export interface ShrunkSeed extends WantedFaults {
  readonly seed: string;
  readonly broken: Broken;
  readonly events: readonly RunEvent[];
}

/** The result of shrinking. */
export interface Shrunk {
  readonly shrunk: ShrunkSeed;
  /** The number of events that the whole seed had. */
  readonly before: number;
  readonly runs: number;
  /** False when time was up before every event had been tried. */
  readonly isDone: boolean;
}

/** A run with fewer events breaks the rule about as early as the run before, or is given up. */
const patienceMs = 60_000;
const minuteMs = 60_000;

/**
 * How long events that are left out may take to come right, where a seed is broken only because something never does. The hours of a whole
 * run take most of its time. What still breaks the rule is played once as a whole; when it came right later, more time is given.
 */
const recoveries = [20 * minuteMs, 80 * minuteMs] as const;

/** Events that break the rule. */
interface Breaking {
  readonly broken: Broken;
  readonly events: readonly RunEvent[];
  readonly playedMs: number;
}

/** The common options of every run of a seed that is shrunk. */
interface Shrinking {
  readonly wanted: WantedFaults & { readonly seed: string };
  readonly disk: Disk;
  readonly leftMs: () => number;
  /** Is called after each run that broke the rule with fewer events. */
  readonly shrank: (events: number) => void;
  /** Is called as a run begins. */
  readonly plays: () => void;
}

/** Shrinks a seed; undefined when it keeps every promise. */
export async function shrinkSeed({ leftMs, shrank, ...wanted }: ShrinkOptions): Promise<Shrunk | undefined> {
  const disk = await createDisk();
  const log = noteEvents();
  const began = leftMs();
  const first = await runSeed(wanted.seed, disk, { ...wanted, events: log });
  if (first.broken === undefined) return undefined;
  const wholeMs = began - leftMs();
  let runs = 1;
  const shrinking: Shrinking = {
    wanted,
    disk,
    leftMs,
    shrank: (events) => shrank?.(events, runs),
    plays: () => {
      runs++;
    },
  };
  let best: Breaking = { broken: first.broken, events: [...log.happened], playedMs: first.playedMs };
  let isShrunk = false;
  for (const recoveryMs of first.neverConverged ? recoveries : []) {
    // The time of a whole run is kept for the proof.
    const limits = { recoveryMs, goesOn: () => leftMs() > wholeMs };
    if (!limits.goesOn()) break;
    const found = await leaveOut(best, limits, shrinking);
    const proven =
      found === best ? undefined : await play({ ...found, playedMs: first.playedMs }, found.events, { shrinking });
    if (proven === undefined) continue;
    best = proven;
    isShrunk = true;
    break;
  }
  if (!isShrunk) best = await leaveOut(best, { goesOn: () => leftMs() > 0 }, shrinking);
  const { broken, events } = best;
  const isDone = leftMs() > (isShrunk ? wholeMs : 0);
  return { shrunk: { ...wanted, broken, events }, before: log.happened.length, runs, isDone };
}

/** How far one search for fewer events goes. */
interface Limits {
  readonly goesOn: () => boolean;
  /** How long a run may take to come right; a whole run when absent. */
  readonly recoveryMs?: number;
}

/** Leaves out as many events as it can: first whole kinds, then all of one player, then by time down to single ones. */
async function leaveOut(from: Breaking, limits: Limits, shrinking: Shrinking): Promise<Breaking> {
  const { goesOn, recoveryMs } = limits;
  let best = from;
  const fails = async (events: readonly RunEvent[]): Promise<readonly RunEvent[] | undefined> => {
    const breaking = await play(best, events, { recoveryMs, shrinking });
    if (breaking === undefined) return undefined;
    best = breaking;
    shrinking.shrank(best.events.length);
    return best.events;
  };
  for (const name of ['what', 'who'] as const) {
    await minimize([...groupsOf(best.events, name).values()], {
      goesOn,
      fails: async (groups) => {
        const chosen = new Set(groups.flat());
        const left = await fails(best.events.filter((event) => chosen.has(event)));
        return left && groups.filter((group) => group.some((event) => left.includes(event)));
      },
    });
  }
  await minimize(best.events, { goesOn, fails });
  return best;
}

/** Plays some of the events; returns those that happened when they break the rule. */
async function play(
  best: Breaking,
  events: readonly RunEvent[],
  { recoveryMs, shrinking }: { readonly recoveryMs?: number | undefined; readonly shrinking: Shrinking },
): Promise<Breaking | undefined> {
  const { wanted, disk, plays } = shrinking;
  plays();
  const kept = keepEvents(events);
  const length =
    recoveryMs === undefined ? { playMs: best.playedMs + patienceMs } : { endsAfterRecoveryMs: recoveryMs };
  const { broken, playedMs } = await runSeed(wanted.seed, disk, { ...wanted, ...length, events: kept });
  if (broken === undefined || broken.rule !== best.broken.rule) return undefined;
  if (recoveryMs !== undefined && gistOf(broken) !== gistOf(best.broken)) return undefined;
  const happened = new Set(kept.happened);
  return { broken, events: events.filter((event) => happened.has(event)), playedMs };
}

/** Returns a sentence without what it names: something that is still under way is not a proof that it never comes right. */
function gistOf({ sentence }: Broken): string {
  const [when, what = ''] = sentence.split(': ');
  const words = `${when} ${what}`.replace(/\([^()]*\)/g, '').split(' ');
  return words.filter((word) => !/\d/.test(word)).join(' ');
}

function groupsOf(events: readonly RunEvent[], name: 'what' | 'who'): ReadonlyMap<string, RunEvent[]> {
  const groups = new Map<string, RunEvent[]>();
  for (const event of events) groups.set(event[name], [...(groups.get(event[name]) ?? []), event]);
  return groups;
}

/** The verdict of a seed that was shrunk, played again. */
export interface Replayed extends RunVerdict {
  /** The first event that cannot happen in such a run at all; undefined where all can. */
  readonly impossible: RunEvent | undefined;
}

/** Plays a seed with the events that are left of it. */
export async function replayShrunk(
  { seed, broken: _broken, events, ...wanted }: ShrunkSeed,
  { disk, print }: { readonly disk: Disk; readonly print?: ((line: string) => void) | undefined },
): Promise<Replayed> {
  const kept = keepEvents(events);
  const verdict = await runSeed(seed, disk, { ...wanted, print, events: kept });
  const isWhole = verdict.broken === undefined;
  return { ...verdict, impossible: isWhole ? events.find((event) => !kept.hadOccasion(event)) : undefined };
}
