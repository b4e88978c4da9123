/** The clock of the database, which all processes over it agree on. */
import { type Database, isPostgres } from './database.ts';

/** The database's clock as an expression of SQL, epoch milliseconds. */
export function databaseNow(db: Database): string {
  return isPostgres(db)
    ? '(extract(epoch from clock_timestamp()) * 1000)::bigint'
    : "cast((julianday('now') - 2440587.5) * 86400000 as integer)";
}

/** Reads the database's clock, epoch milliseconds. */
export async function readDatabaseTime(db: Database): Promise<number> {
  const { now } = await db.select(db.raw(`${databaseNow(db)} as now`)).first();
  return Number(now);
}
