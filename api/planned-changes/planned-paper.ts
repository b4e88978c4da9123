/** The facts from which the future of a paper's picture follows. */
import type { TimedTimes } from '../delivery-state/timed-rows.ts';

/** The times of an event that is shown, epoch milliseconds. */
export interface EventTimes {
  readonly begins: number;
  readonly ends: number;
}

/** A paper with all that decides when its picture changes. Times are epoch milliseconds. */
export interface PlannedPaper {
  readonly id: string;
  readonly kind: string;
  /** The name that people call it. */
  readonly title: string;
  readonly meta: Readonly<Record<string, unknown>>;
  /** The open pictures that have a time on this paper, in the order of their beginnings. */
  readonly timed: readonly TimedTimes[];
  /** The papers that it is made of and that can be shown, by their ids. */
  readonly parts: ReadonlyMap<string, PlannedPaper>;
  /** Of a paper that shows calendars: its events as they were read last. */
  readonly events?: readonly EventTimes[];
  /** Of a recipe that asks sources: when they are asked next, and how often. */
  readonly asked?: { readonly dueAt: number; readonly everyMs: number };
  /** Of an album: how many pictures take their places in order, and since when the present one is to be seen. */
  readonly album?: { readonly pictures: number; readonly since: number };
}

/** A time after `after` and not later than `until`, epoch milliseconds, of which the earliest `most` changes are wanted. */
export interface Span {
  readonly after: number;
  readonly until: number;
  readonly most: number;
}
