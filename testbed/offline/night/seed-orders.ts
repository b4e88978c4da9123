/** The orders that a night gives to a process which plays seeds for it, and the answers of that. */
import type { Broken } from '../machine/checker.ts';
import type { WantedFaults } from '../machine/fault-rates.ts';

/** A seed to play, or to shrink within so many milliseconds. */
export interface SeedOrder {
  readonly seed: string;
  readonly wanted: WantedFaults;
  readonly shrinkMs?: number;
}

/** A seed that was played. */
export interface SeedOutcome {
  readonly hash: string;
  readonly broken?: Broken | undefined;
  /** The last lines of a seed that broke a promise. */
  readonly lastLines: readonly string[];
  /** Its virtual time without leaps, milliseconds. */
  readonly playedMs: number;
  /** The processor time that it took, milliseconds. */
  readonly processorMs: number;
  /** The memory of the process after it, bytes. */
  readonly memory: number;
  readonly counts: Readonly<Record<string, number>>;
  /** How often each fault and each act occurred. */
  readonly events: Readonly<Record<string, number>>;
  /** How often each rule was checked. */
  readonly checked: Readonly<Record<string, number>>;
}

/** A seed that was shrunk: the file for `--replay`; absent when it kept every promise this time. */
export interface ShrinkOutcome {
  readonly text?: string;
  readonly events?: number;
}

/** Adds numbers by their names to those that are there. */
export function addCounts(sums: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}
