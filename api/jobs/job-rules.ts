/** How far and how fast a job may go: growth by proof, rate, and the share of failures that stops it. Pure. */

/** The rules of a job. */
export interface JobRules {
  /** Frames that are given the change within any minute, at most; null for no bound. */
  readonly perMinute: number | null;
  /** Growth by proof; null when all frames are given the change at once. */
  readonly growth: JobGrowth | null;
  /** The share of failures at which it pauses by itself, as a percentage; null when failures do not stop it. */
  readonly stopPercent: number | null;
  /** The hours within which a frame has to prove the change; later it counts as failed. */
  readonly proofHours: number;
}

/** Growth in steps. */
export interface JobGrowth {
  /** The percentages of all frames that each step reaches, ascending; the last step is all of them. */
  readonly steps: readonly number[];
  /** The percentage of a step's frames that has to be proven before the next step begins. */
  readonly provenPercent: number;
}

/** How the items of a job fare. Items that were skipped are among `total` alone. */
export interface JobCounts {
  readonly total: number;
  /** Given something new so far, whatever became of it. */
  readonly handed: number;
  readonly proven: number;
  readonly failed: number;
  /**
   * The failed and the handed frames when a person had the job go on last: they do not stop it again, and growth does not
   * wait for them.
   */
  readonly seen: { readonly failed: number; readonly handed: number };
}

const minuteMs = 60_000;

/** The rules of a job that names none. */
export const plainRules: JobRules = { perMinute: null, growth: null, stopPercent: 20, proofHours: 48 };

/**
 * Returns how many frames may have been given the change by now, by the proofs so far. It grows with the proofs and is
 * never more than the first step that is not proven allows.
 */
export function allowedByProof(
  { total, proven, seen }: Pick<JobCounts, 'total' | 'proven' | 'seen'>,
  growth: JobGrowth | null,
): number {
  if (growth === null) return total;
  for (const percent of growth.steps) {
    const reached = shareOf(total, percent);
    if (proven + seen.failed < shareOf(reached, growth.provenPercent)) return reached;
  }
  return total;
}

/** A share of a number of frames, rounded up: one frame at least where there are any. */
const shareOf = (total: number, percent: number): number => Math.min(total, Math.ceil((total * percent) / 100));

/**
 * Returns whether growth has come to its end without proof: everything that may be handed was handed and is settled, and
 * still the next step does not begin.
 */
export function isGrowthStuck(counts: JobCounts, growth: JobGrowth | null): boolean {
  const { total, handed, proven, failed } = counts;
  return growth !== null && handed === proven + failed && handed >= allowedByProof(counts, growth) && handed < total;
}

/** The fewest failed frames that stop a job of many: one or two fail on any day. */
const fewestFailed = 3;

/** Returns whether the share of failures is reached, of what was handed since a person looked at it last. */
export function isStopReached({ total, handed, failed, seen }: JobCounts, stopPercent: number | null): boolean {
  const unseen = failed - seen.failed;
  if (stopPercent === null || unseen <= 0) return false;
  const fewest = Math.min(fewestFailed, shareOf(total, stopPercent));
  return unseen >= fewest && unseen * 100 >= stopPercent * (handed - seen.handed);
}

/**
 * Returns how many frames the rate has room for now.
 * @param givenAt the times at which frames were given the change within the last minute
 */
export function roomOfRate(givenAt: readonly number[], perMinute: number | null, now: number): number {
  if (perMinute === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, perMinute - givenAt.filter((at) => at > now - minuteMs).length);
}

/** Returns since when a frame that is given the change counts for the rate. */
export const rateSince = (now: number): number => now - minuteMs;
