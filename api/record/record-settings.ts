/** How long an organization keeps the wall's record, and what is forgotten after that. */
import { type Database, transact } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';

const yearMs = 365.25 * 86_400_000;
const dayMs = 86_400_000;

/** For how many years a record may be kept, and is kept by an organization that decided nothing. */
export const keptYears = { least: 1, most: 30, unlessSet: 10 } as const;

/** Reads for how many years an organization keeps its record. */
export async function yearsKept(db: Database, organizationId: string): Promise<number> {
  const row = await db('record_settings').where({ organization_id: organizationId }).first('keep_years');
  return row?.keep_years ?? keptYears.unlessSet;
}

/** Sets for how many years an organization keeps its record. What is older goes in the next night. */
export async function keepYears(db: Database, organizationId: string, years: number, now: number): Promise<void> {
  await db('record_settings')
    .insert({ organization_id: organizationId, keep_years: years, updated_at: now })
    .onConflict('organization_id')
    .merge();
}

const outlived = `select organizations.id, coalesce(record_settings.keep_years, ${keptYears.unlessSet}) as years
  from organizations left join record_settings on record_settings.organization_id = organizations.id
  where exists (select 1 from wall_intervals where wall_intervals.organization_id = organizations.id
    and wall_intervals.since < ? - coalesce(record_settings.keep_years, ${keptYears.unlessSet}) * ?)`;

/**
 * Deletes what every organization has kept for long enough: intervals that ended before that, and the receipts and roots from
 * before. A chain then begins later, and holds all the same. What still hangs stays.
 * @returns how many intervals went
 */
export async function forgetRecord(db: Database, now: number): Promise<number> {
  let forgotten = 0;
  for (const { id, years } of await allRows<{ id: string; years: number }>(db, outlived, [now, yearMs])) {
    const before = now - years * yearMs;
    forgotten += await transact(db, async (trx) => {
      const theirs = { organization_id: id };
      await trx('wall_receipts').where(theirs).where('at', '<', before).delete();
      await trx('wall_roots')
        .where(theirs)
        .where('day', '<', Math.floor(before / dayMs))
        .delete();
      return trx('wall_intervals').where(theirs).where('since', '<', before).where('until', '<', before).delete();
    });
  }
  return forgotten;
}
