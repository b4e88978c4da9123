/** The bytes of a file that several answers brought to a frame, as intervals. Pure functions (docs/decisions/0005). */
import type { BytePart } from './byte-range.ts';

/** A range of byte offsets, the end excluded. The intervals of a list are sorted, and neither overlap nor touch. */
export type Interval = readonly [from: number, end: number];

/** The bytes that the answers of one version in one cycle covered. */
export interface Coverage {
  /** Bytes that the frame took, by the judgement of `sentWhole` or because it resumed behind them. */
  readonly taken: readonly Interval[];
  /** Bytes that were handed to the network, whether or not the frame took them. */
  readonly handed: readonly Interval[];
}

/** An answer whose connection has ended. */
export interface EndedAnswer extends BytePart {
  /** The offset up to which the answer was handed to the network. */
  readonly handedEnd: number;
  /** True when the frame took the whole part. */
  readonly isTaken: boolean;
  /** The intervals that earlier answers had handed over when this one was requested. */
  readonly handedBefore: readonly Interval[];
}

export const nothingCovered: Coverage = { taken: [], handed: [] };

/** The most intervals that are kept. No frame has reason to need more; the furthest are dropped, so that nobody can fill the store. */
const maxIntervals = 16;

/** Adds one more answer to a coverage. */
export function afterAnswer(before: Coverage, answer: EndedAnswer): Coverage {
  const { from, end, handedEnd, handedBefore } = answer;
  const handed = union([...before.handed, [from, handedEnd]]);
  if (!answer.isTaken) return { taken: before.taken, handed };
  // A frame that asks for the rest has everything before it, but at most what was handed over.
  const held = handedBefore.map(([start, stop]): Interval => [start, Math.min(stop, from)]);
  return { taken: union([...before.taken, ...held, [from, end]]), handed };
}

/** True when the frame took every byte of the file. */
export function coversWhole({ taken }: Coverage, bytes: number): boolean {
  const [first] = taken;
  return first !== undefined && first[0] === 0 && first[1] >= bytes;
}

/** Sorts and merges intervals given in any order, and drops empty ones. */
export function union(intervals: readonly Interval[]): readonly Interval[] {
  const sorted = intervals.filter(([from, end]) => from < end).sort((a, b) => a[0] - b[0]);
  const merged: Interval[] = [];
  for (const [from, end] of sorted) {
    const last = merged.at(-1);
    if (last === undefined || last[1] < from) merged.push([from, end]);
    else merged[merged.length - 1] = [last[0], Math.max(last[1], end)];
  }
  return merged.slice(0, maxIntervals);
}
