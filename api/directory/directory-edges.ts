/** What the directory needs from outside. */
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import type { Random } from '../../gateway/runtime/random.ts';

export interface DirectoryEdges {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
}
