/** Shrinks a seed that breaks a promise to the few events by which the same rule is broken. */
import type { Broken } from './checker.ts';
import { createDisk, type Disk } from './disk.ts';
import type { WantedFaults } from './fault-rates.ts';
import { minimize } from './minimize.ts';
import { keepEvents, noteEvents, type RunEvent } from './run-events.ts';
import { type RunVerdict, runSeed } from './run-seed.ts';

/** The seed to shrink, and what a run of it takes. */
export interface ShrinkOptions extends WantedFaults {
  readonly seed: string;
  /** Tells whether time is left for another run. */
  readonly goesOn: () => boolean;
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

/** Shrinks a seed; undefined when it keeps every promise. */
export async function shrinkSeed({ seed, goesOn, shrank, ...wanted }: ShrinkOptions): Promise<Shrunk | undefined> {
  const disk = await createDisk();
  const log = noteEvents();
  const first = await runSeed(seed, disk, { ...wanted, events: log });
  if (first.broken === undefined) return undefined;
  let best = { broken: first.broken, events: [...log.happened], playedMs: first.playedMs };
  let runs = 1;
  /** Plays some of the events; returns those that happened when they break the rule. */
  const fails = async (events: readonly RunEvent[]): Promise<readonly RunEvent[] | undefined> => {
    runs++;
    const kept = keepEvents(events);
    const playMs = best.playedMs + patienceMs;
    const { broken, playedMs } = await runSeed(seed, disk, { ...wanted, events: kept, playMs });
    if (broken?.rule !== first.broken?.rule || broken === undefined) return undefined;
    const happened = new Set(kept.happened);
    best = { broken, events: events.filter((event) => happened.has(event)), playedMs };
    shrank?.(best.events.length, runs);
    return best.events;
  };
  // Whole kinds of events go first: most of them have nothing to do with it.
  await minimize(kindsOf(best.events), {
    goesOn,
    fails: async (kinds) => {
      const chosen = new Set(kinds.flat());
      const left = await fails(best.events.filter((event) => chosen.has(event)));
      return left && kinds.filter((kind) => kind.some((event) => left.includes(event)));
    },
  });
  await minimize(best.events, { goesOn, fails });
  const { broken, events } = best;
  return { shrunk: { seed, ...wanted, broken, events }, before: log.happened.length, runs, isDone: goesOn() };
}

function kindsOf(events: readonly RunEvent[]): RunEvent[][] {
  const kinds = new Map<string, RunEvent[]>();
  for (const event of events) kinds.set(event.what, [...(kinds.get(event.what) ?? []), event]);
  return [...kinds.values()];
}

/** The verdict of a seed that was shrunk, played again. */
export interface Replayed extends RunVerdict {
  /** The first event that cannot happen in such a run at all; undefined where all can. */
  readonly impossible: RunEvent | undefined;
}

/** Plays a seed with the events that are left of it. */
export async function replayShrunk(
  { seed, frames, nodes, restores, events }: ShrunkSeed,
  { disk, print }: { readonly disk: Disk; readonly print?: ((line: string) => void) | undefined },
): Promise<Replayed> {
  const kept = keepEvents(events);
  const verdict = await runSeed(seed, disk, { frames, nodes, restores, print, events: kept });
  const isWhole = verdict.broken === undefined;
  return { ...verdict, impossible: isWhole ? events.find((event) => !kept.hadOccasion(event)) : undefined };
}
