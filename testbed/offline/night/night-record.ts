/** The record of a night: what was played and found so far. It does not grow with the number of seeds. */
import type { NightFind } from './play-night.ts';
import type { SeedKind } from './seed-kinds.ts';
import { addCounts, type SeedOutcome } from './seed-orders.ts';

/** The seeds of one kind so far. */
export interface PlayedKind {
  readonly kind: SeedKind;
  played: number;
  found: number;
  /** Milliseconds of processor time, of all and of the longest. */
  processorMs: number;
  longestMs: number;
  /** Milliseconds of virtual time without leaps. */
  playedMs: number;
}

/** A seed that took long. */
export interface SlowSeed {
  readonly seed: string;
  readonly kind: SeedKind;
  readonly processorMs: number;
}

/** The seeds, the counts and the finds of a night so far. */
export interface NightRecord {
  readonly kinds: readonly PlayedKind[];
  readonly counts: Readonly<Record<string, number>>;
  readonly events: Readonly<Record<string, number>>;
  readonly checked: Readonly<Record<string, number>>;
  /** The slowest, the slowest first. */
  readonly slowest: readonly SlowSeed[];
  /** The first finds; there may be more. */
  readonly finds: readonly NightFind[];
  readonly found: () => number;
  readonly played: () => number;
  /** The most memory that a process had after a seed, bytes. */
  readonly maxMemory: () => number;
  addSeed(seed: string, kind: SeedKind, outcome: SeedOutcome): void;
  addFind(find: NightFind): void;
}

const maxSlowest = 15;
/** More finds than this are counted and printed, and not kept. */
export const maxFinds = 100;

/** Opens the record of a night that plays these kinds. */
export function openNightRecord(wanted: readonly SeedKind[]): NightRecord {
  const kinds = wanted.map((kind) => ({ kind, played: 0, found: 0, processorMs: 0, longestMs: 0, playedMs: 0 }));
  const of = new Map<SeedKind, PlayedKind>(kinds.map((one) => [one.kind, one]));
  const counts: Record<string, number> = {};
  const events: Record<string, number> = {};
  const checked: Record<string, number> = {};
  const slowest: SlowSeed[] = [];
  const finds: NightFind[] = [];
  let [found, played, maxMemory] = [0, 0, 0];
  return {
    kinds,
    counts,
    events,
    checked,
    slowest,
    finds,
    found: () => found,
    played: () => played,
    maxMemory: () => maxMemory,
    addSeed(seed, kind, outcome) {
      const { processorMs } = outcome;
      played++;
      maxMemory = Math.max(maxMemory, outcome.memory);
      addCounts(counts, outcome.counts);
      addCounts(events, outcome.events);
      addCounts(checked, outcome.checked);
      const own = of.get(kind);
      if (own !== undefined) {
        own.played++;
        own.processorMs += processorMs;
        own.longestMs = Math.max(own.longestMs, processorMs);
        own.playedMs += outcome.playedMs;
      }
      slowest.push({ seed, kind, processorMs });
      slowest.sort((one, other) => other.processorMs - one.processorMs).splice(maxSlowest);
    },
    addFind(find) {
      found++;
      const own = of.get(find.kind);
      if (own !== undefined) own.found++;
      if (finds.length < maxFinds) finds.push(find);
    },
  };
}
