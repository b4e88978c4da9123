/** Plays fresh seeds of several kinds in several processes, until it is over. Nothing that breaks ends it. */
import { refuse } from '../../../reasons/refusals.ts';
import {
  ProcessGone,
  startWorkingProcess,
  type WorkingProcess,
} from '../../../runtime/child-process/working-process.ts';
import { duration } from '../../../runtime/spans.ts';
import type { SeedKind } from './seed-kinds.ts';
import type { SeedOrder, SeedOutcome, ShrinkOutcome } from './seed-orders.ts';

/** Something that a night found. */
export interface NightFind {
  readonly seed: string;
  readonly kind: SeedKind;
  /** The rule that was broken; undefined where the process ended, or the seed did not. */
  readonly rule: string | undefined;
  readonly sentence: string;
  readonly lastLines: readonly string[];
  /** The few events that break it, as a file; undefined where nothing was shrunk. */
  readonly shrunk: ShrinkOutcome | undefined;
}

/** The seeds of a night, and what follows them. */
export interface NightOptions {
  /** Seeds are `seed.1`, `seed.2` and so on; the kinds take turns. */
  readonly seed: string;
  readonly kinds: readonly SeedKind[];
  /** The number of processes. */
  readonly workers: number;
  /** The most seeds; without it the night ends when `over` says so. */
  readonly runs?: number | undefined;
  /** Ends the night: seeds under way are given up. */
  readonly over: AbortSignal;
  readonly played: (seed: string, kind: SeedKind, outcome: SeedOutcome) => void;
  readonly found: (find: NightFind) => void;
  /** How long a seed may take, and its shrinking, milliseconds. */
  readonly seedMs?: number;
  readonly shrinkMs?: number;
  /** The program of the processes; tests give another. */
  readonly program?: URL;
}

/** A seed takes seconds; on a machine that does much else, a large one takes minutes. */
const maxSeedMs = 1_200_000;
const maxShrinkMs = 120_000;
/** A process that took this much memory, bytes, is replaced by a fresh one. */
const maxMemory = 900_000_000;
/** A process that ends so often before it is ready will not be. */
const maxBadStarts = 3;
/** Seeds that break one rule in one kind are likely to break it for one reason: no more of them are shrunk. */
const maxShrunk = 2;

type SeedWorker = WorkingProcess<SeedOrder, SeedOutcome | ShrinkOutcome>;

/** Everything about a night that goes on. */
interface Night {
  readonly options: NightOptions;
  /** The number of seeds that were begun. */
  begun: number;
  /** The number of finds that were shrunk, by kind and rule. */
  readonly shrunk: Map<string, number>;
}

/** A process with the reason for which it ended. */
interface Seat {
  worker: SeedWorker | undefined;
  why: string;
  badStarts: number;
}

/**
 * Plays until as many seeds as wanted were played, or it is over.
 * @throws Refusal `bad-configuration` when its processes cannot be started
 */
export async function playNight(options: NightOptions): Promise<void> {
  const night: Night = { options, begun: 0, shrunk: new Map() };
  await Promise.all(Array.from({ length: options.workers }, () => playInTurn(night)));
}

/** Plays one seed after the other in one process, and in another one when it ends. */
async function playInTurn(night: Night): Promise<void> {
  const { over, runs = Number.POSITIVE_INFINITY, kinds, seed: name } = night.options;
  const seat: Seat = { worker: undefined, why: '', badStarts: 0 };
  try {
    while (!over.aborted && (await isSeated(seat, night)) && night.begun < runs) {
      const at = night.begun++;
      await playOne(night, seat, { seed: `${name}.${at + 1}`, kind: kinds[at % kinds.length] as SeedKind });
    }
  } finally {
    seat.worker?.end();
  }
}

/** Starts a process where none runs; returns false when the night is over meanwhile. */
async function isSeated(seat: Seat, { options }: Night): Promise<boolean> {
  while (seat.worker === undefined || seat.worker.isGone()) {
    if (options.over.aborted) return false;
    seat.worker = startWorkingProcess<SeedOrder, SeedOutcome | ShrinkOutcome>({
      program: options.program ?? new URL('./seed-process.ts', import.meta.url),
      bounds: { headBytes: 10_000_000, bytes: 0 },
      readOutcome: (outcome) => outcome as SeedOutcome | ShrinkOutcome,
      told: (reason) => {
        seat.why = reason;
      },
    });
    const hasBegun = await seat.worker.begun().then(
      () => true,
      () => false,
    );
    seat.badStarts = hasBegun ? 0 : seat.badStarts + 1;
    if (seat.badStarts < maxBadStarts) continue;
    const hint = 'is there memory for another process? --workers 1 needs the least';
    throw refuse('bad-configuration', { message: `a process that plays seeds does not start: ${seat.why}`, hint });
  }
  return true;
}

/** Plays a seed, and reports what came of it, unless the night is over first. */
async function playOne(
  night: Night,
  seat: Seat,
  { seed, kind }: { readonly seed: string; readonly kind: SeedKind },
): Promise<void> {
  const { played, found, seedMs = maxSeedMs } = night.options;
  const outcome = await asked<SeedOutcome>(night, seat, { order: { seed, wanted: kind.wanted }, maxMs: seedMs });
  if (outcome === undefined) return;
  const find = { seed, kind, rule: undefined, lastLines: [], shrunk: undefined };
  if (typeof outcome === 'string') return found({ ...find, sentence: outcome });
  played(seed, kind, outcome);
  const { broken, lastLines } = outcome;
  if (broken === undefined) {
    if (outcome.memory > maxMemory) seat.worker?.end();
    return;
  }
  found({ ...find, ...broken, lastLines, shrunk: await shrinkFind(night, seat, { seed, kind, rule: broken.rule }) });
}

/** Shrinks a seed that broke a promise, where it is one of the first of its sort. */
async function shrinkFind(
  night: Night,
  seat: Seat,
  { seed, kind, rule }: { readonly seed: string; readonly kind: SeedKind; readonly rule: string },
): Promise<ShrinkOutcome | undefined> {
  const { shrinkMs = maxShrinkMs } = night.options;
  const sort = `${kind.name} ${rule}`;
  const had = night.shrunk.get(sort) ?? 0;
  if (had >= maxShrunk || shrinkMs === 0) return undefined;
  night.shrunk.set(sort, had + 1);
  // A single run may go on after the time for all of them.
  const maxMs = shrinkMs + maxSeedMs;
  const order = { seed, wanted: kind.wanted, shrinkMs };
  const outcome = await asked<ShrinkOutcome>(night, seat, { order, maxMs });
  return typeof outcome === 'string' ? undefined : outcome;
}

/**
 * Has an order carried out.
 * @returns a sentence where the process ended, or was ended because it took too long; undefined when the night is over
 */
async function asked<Outcome extends SeedOutcome | ShrinkOutcome>(
  { options }: Night,
  seat: Seat,
  { order, maxMs }: { readonly order: SeedOrder; readonly maxMs: number },
): Promise<Outcome | string | undefined> {
  const { over } = options;
  const late = AbortSignal.timeout(maxMs);
  try {
    return (await seat.worker?.ask(order, undefined, AbortSignal.any([over, late]))) as Outcome | undefined;
  } catch (error) {
    // What it goes on to do is of no use to anyone.
    seat.worker?.end();
    if (over.aborted) return undefined;
    if (late.aborted) return `it did not end within ${duration(maxMs)}`;
    if (error instanceof ProcessGone) return `its process is gone: ${seat.why}`;
    throw error;
  }
}
