/** The faults that only several nodes have: what happens to each of them, and to the messages between them. */
import type { Chance } from './machine/chance.ts';

/** The rates of a run. Ratios are in [0, 1], times in milliseconds of virtual time. */
export interface NodeFaults {
  /** How often a text from node to node is lost, duplicated, or late. */
  readonly messageLost: number;
  readonly messageTwice: number;
  readonly messageLate: number;
  readonly messageLateMs: number;
  /** How often a transaction waits for its turn, so that those of other nodes overtake it. */
  readonly waitForDatabase: number;
  readonly waitForDatabaseMs: number;
  /** How often a connection breaks under a commit: half of them before it, half after it. */
  readonly commitBreaks: number;
  /** How often per minute a node is paused, and for how long at most. */
  readonly pausesPerMinute: number;
  readonly pauseMs: number;
  /** How often a node is paused in the middle of its work, before a transaction: for about as long as claims last, or longer. */
  readonly pausesAtDatabase: number;
  /** How often per minute a node loses the database, and for how long at most. */
  readonly awayPerMinute: number;
  readonly awayMs: number;
  /** How often per minute a node loses the others, and for how long at most. */
  readonly splitsPerMinute: number;
  readonly splitMs: number;
  /** How often per minute a node is killed, besides the deaths at commits. */
  readonly killsPerMinute: number;
  /** How often per minute a node is asked to end, and finishes what it does. */
  readonly drainsPerMinute: number;
}

/** Draws the rates of a seed; about half of the faults are off in any run. */
export function drawNodeFaults(chance: Chance): NodeFaults {
  const sometimes = (most: number, share = 0.5): number => (chance.hits(share) ? chance.number() * most : 0);
  return {
    messageLost: sometimes(0.5),
    messageTwice: sometimes(0.5),
    messageLate: sometimes(0.5),
    messageLateMs: chance.pick([300, 2000, 15_000]),
    waitForDatabase: chance.hits(0.8) ? chance.pick([0.1, 0.3, 0.8]) : 0,
    waitForDatabaseMs: chance.pick([5, 100, 800]),
    commitBreaks: sometimes(0.01, 0.3),
    pausesPerMinute: sometimes(2),
    pauseMs: chance.pick([5000, 30_000, 120_000]),
    pausesAtDatabase: sometimes(0.006),
    awayPerMinute: sometimes(1, 0.4),
    awayMs: chance.pick([3000, 40_000]),
    splitsPerMinute: sometimes(2, 0.4),
    splitMs: chance.pick([3000, 60_000]),
    killsPerMinute: sometimes(1.5),
    drainsPerMinute: sometimes(1, 0.3),
  };
}

/** The rates of a time without faults. */
export const noNodeFaults: NodeFaults = {
  messageLost: 0,
  messageTwice: 0,
  messageLate: 0,
  messageLateMs: 0,
  waitForDatabase: 0,
  waitForDatabaseMs: 0,
  commitBreaks: 0,
  pausesPerMinute: 0,
  pauseMs: 0,
  pausesAtDatabase: 0,
  awayPerMinute: 0,
  awayMs: 0,
  splitsPerMinute: 0,
  splitMs: 0,
  killsPerMinute: 0,
  drainsPerMinute: 0,
};
