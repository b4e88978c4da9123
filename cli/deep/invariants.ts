/** All invariants that `papergate doctor --deep` asks the database for, and the asking. */
import { callbackInvariants } from './callback-invariants.ts';
import { deliveryInvariants } from './delivery-invariants.ts';
import { frameInvariants } from './frame-invariants.ts';
import type { Invariant, RowReader } from './invariant.ts';
import { requestInvariants } from './request-invariants.ts';

/** A new one is added to its list, with a case in test/cli/deep.test.ts. */
export const invariants: readonly Invariant[] = [
  ...requestInvariants,
  ...deliveryInvariants,
  ...callbackInvariants,
  ...frameInvariants,
];

/** The number of rows of one finding that are named. */
export const shownRows = 20;

/** The result of one query; `unasked` is the reason for one that was not made. */
export interface InvariantAnswer {
  readonly invariant: Invariant;
  readonly ids: readonly string[];
  /** Whether there are more rows than are named. */
  readonly more: boolean;
  readonly unasked?: string;
  readonly tookMs: number;
}

/** Asks one invariant. */
export async function ask(rows: RowReader, invariant: Invariant, now: number): Promise<InvariantAnswer> {
  const began = performance.now();
  const took = (): number => Math.round(performance.now() - began);
  try {
    const sql = `select id from (${invariant.find(now)}) found limit ${shownRows + 1}`;
    const found = await rows.all<{ id: string }>(sql);
    const ids = found.slice(0, shownRows).map(({ id }) => String(id));
    return { invariant, ids, more: found.length > shownRows, tookMs: took() };
  } catch (error) {
    const unasked = error instanceof Error ? error.message : 'the database did not answer';
    return { invariant, ids: [], more: false, unasked, tookMs: took() };
  }
}
