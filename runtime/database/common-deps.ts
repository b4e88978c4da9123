/**
 * Dependencies that code does not ask for by itself: they are handed in, so that tests and the simulation can hand in their
 * own.
 */
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Random } from '../random.ts';
import type { Database } from './database.ts';

/** The common dependencies. */
export interface CommonDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
