/** What the directory needs from outside. */
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import type { RateLimit } from '../http/limit-rate.ts';

export interface DirectoryEdges {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** How often somebody may try a code of an invitation; by address. */
  readonly limitJoins: RateLimit;
}

/** Tries at codes of invitations, since people may choose codes that can be guessed. */
export const joinsPerMinute = 10;
