/** The moment at which something is recorded. */
import type { Random } from './random.ts';

/** The time of what is recorded in one transaction, epoch milliseconds, and the randomness that its ids come from. */
export interface Moment {
  readonly now: number;
  readonly random: Random;
}
