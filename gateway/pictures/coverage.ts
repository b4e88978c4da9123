/** Which bytes of a file several answers brought to a frame, as intervals: pure (docs/decisions/0005). */
import type { BytePart } from './byte-range.ts';

/** Byte offsets, the end excluded. In a list they are sorted, and neither overlap nor touch. */
export type Interval = readonly [from: number, end: number];

/** What the answers of one version in one cycle came to. */
export interface Coverage {
  /** Bytes that were taken by the judgement of `sentWhole`, or that a resume proved to be held. */
  readonly taken: readonly Interval[];
  /** Bytes that were handed to the network, whoever took them. */
  readonly handed: readonly Interval[];
}

/** One answer that is over. */
export interface EndedAnswer extends BytePart {
  /** How far it was handed to the network. */
  readonly handedEnd: number;
  /** The part was taken whole. */
  readonly isTaken: boolean;
  /** What earlier answers had handed over when this one was asked for. */
  readonly handedBefore: readonly Interval[];
}

export const nothingCovered: Coverage = { taken: [], handed: [] };

/** More pieces than a frame has reason to ask for; the furthest are forgotten, so that nobody can fill the store. */
const mostIntervals = 16;

/** The coverage after one more answer. */
export function afterAnswer(before: Coverage, answer: EndedAnswer): Coverage {
  const { from, end, handedEnd, handedBefore } = answer;
  const handed = union([...before.handed, [from, handedEnd]]);
  if (!answer.isTaken) return { taken: before.taken, handed };
  // Asking for the rest says that what came before is held; it can be only as far as it was handed over.
  const held = handedBefore.map(([start, stop]): Interval => [start, Math.min(stop, from)]);
  return { taken: union([...before.taken, ...held, [from, end]]), handed };
}

/** Whether every byte of the file was taken. */
export function coversWhole({ taken }: Coverage, bytes: number): boolean {
  const [first] = taken;
  return first !== undefined && first[0] === 0 && first[1] >= bytes;
}

/** Sorts and merges intervals in any order; empty ones vanish. */
export function union(intervals: readonly Interval[]): readonly Interval[] {
  const sorted = intervals.filter(([from, end]) => from < end).sort((a, b) => a[0] - b[0]);
  const merged: Interval[] = [];
  for (const [from, end] of sorted) {
    const last = merged.at(-1);
    if (last === undefined || last[1] < from) merged.push([from, end]);
    else merged[merged.length - 1] = [last[0], Math.max(last[1], end)];
  }
  return merged.slice(0, mostIntervals);
}
