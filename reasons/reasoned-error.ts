/** Errors that carry a reason. */
import type { Reason } from './reason.ts';
import { wordsOf } from './words.ts';

/** An error whose reason may be stored and shown; its message is the reason in words, for the log. */
export class ReasonedError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(wordsOf(reason));
    this.reason = reason;
  }
}
