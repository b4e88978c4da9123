/** Reads the rows of a test as `papergate doctor --deep` reads those of a service. */
import type { RowReader } from '../../cli/deep/invariant.ts';
import { type Database, isPostgres } from '../../runtime/database/database.ts';

/** Reads over a database of a test, or a transaction in it. */
export function readerOver(db: Database): RowReader {
  return {
    async all<Row>(sql: string) {
      const found = await db.raw(sql);
      return (isPostgres(db) ? found.rows : found) as Row[];
    },
    now: async () => Date.now(),
    close: async () => {},
  };
}
