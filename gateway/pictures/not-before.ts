/** The order of evidence in a row that several nodes write. */
import type { Knex } from 'knex';
import type { Database } from '../../runtime/database.ts';

/**
 * Returns a time for a column that is written after another one of its row, and is therefore no earlier: the clocks of two
 * nodes may differ by some milliseconds, and evidence counts in its order only.
 */
export function notBefore(db: Database, column: 'offered_at' | 'announced_at' | 'fetched_at', at: number): Knex.Raw {
  return db.raw(`case when ${column} > ? then ${column} else ? end`, [at, at]);
}
