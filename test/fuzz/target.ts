/** Targets of guided fuzzing: a reader of bytes from outside, and what must be true of it for every input. */

/** A reader that is tried. */
export interface FuzzTarget {
  /** The sources whose coverage guides the inputs, as paths below the checkout begin. */
  readonly guides: readonly string[];
  /** Texts that the reader knows: they are put into inputs. */
  readonly words: readonly string[];
  /** The most bytes of an input. */
  readonly maxBytes: number;
  /** The most processor time of one input, in milliseconds: far above what an honest one takes. */
  readonly maxMs: number;
  /** Repairs checksums and lengths of a changed input, so that the reader looks behind them. */
  readonly mend?: (input: Buffer) => Buffer;
  /** Reads an input. Whatever it throws is a find. */
  run(input: Buffer): void | Promise<void>;
  /** Ends what it opened. */
  close?(): Promise<void>;
}

/** Thrown for an output that must not be. Its message is the same for the same fault. */
export class Find extends Error {}

/** @throws Find unless it holds */
export function insist(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new Find(sentence);
}

/** @throws Find unless both are the same as JSON */
export function mustEqual(one: unknown, other: unknown, sentence: string): void {
  insist(JSON.stringify(one) === JSON.stringify(other), sentence);
}
