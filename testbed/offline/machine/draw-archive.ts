/** The second place of a seed in which the disk is lost, drawn apart from all other faults. */
import type { Chance } from './chance.ts';

/** A time in which something is wrong with the place, epoch milliseconds. */
export interface ArchiveOutage {
  readonly from: number;
  readonly until: number;
  readonly kind: 'away' | 'full' | 'slow';
}

/** A disk that is thrown away, and the archive from which the service comes back. */
export interface ArchiveFaults {
  /** The moment of the loss, as a part of the time of faults. */
  readonly lostAt: number;
  /** The restored moment, as a part of what the archive holds; the newest when absent. */
  readonly asked: number | undefined;
  /** The longest time that the place takes for an object while it is well. */
  readonly delayMs: number;
  readonly outages: readonly ArchiveOutage[];
}

/** @param began the moment at which the time of faults begins; it takes `safetyMs` */
export function drawArchive(
  chance: Chance,
  { began, safetyMs }: { readonly began: number; readonly safetyMs: number },
): ArchiveFaults {
  const count = chance.hits(0.5) ? chance.whole(1, 2) : 0;
  return {
    lostAt: 0.1 + chance.number() * 0.88,
    asked: chance.hits(0.5) ? chance.number() : undefined,
    delayMs: chance.pick([5, 50, 300]),
    outages: Array.from({ length: count }, () => {
      const from = began + chance.whole(0, safetyMs);
      return { from, until: from + chance.whole(1000, 90_000), kind: chance.pick(['away', 'full', 'slow']) };
    }),
  };
}
