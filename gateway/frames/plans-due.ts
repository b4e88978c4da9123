/** Papers and devices whose future is to be planned again, each from a time on. */
import type { Database } from '../../runtime/database/database.ts';
import { allRows, changeRows, firstRow } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { framesTables } from './tables.ts';

/** A row of `plans_due`. */
export type PlanDue = RowIn<typeof framesTables, 'plans_due'>;

const again = 'on conflict (place) do update set due_at = 0, marks = plans_due.marks + 1';

/** Marks places, by the ids of their papers and devices: what decides their future was changed. */
export async function planAgain(db: Database, places: readonly string[]): Promise<void> {
  for (const place of places)
    await changeRows(db, `insert into plans_due (place, due_at, marks) values (?, 0, 1) ${again}`, [place]);
}

/** Reads the places that are due, those first that are due longest. */
export const plansDue = (db: Database, now: number, limit: number): Promise<readonly PlanDue[]> =>
  allRows<PlanDue>(db, 'select * from plans_due where due_at <= ? order by due_at, place limit ?', [now, limit]);

/** Returns when the next place is due, epoch milliseconds; null when none is. */
export async function nextPlanDue(db: Database): Promise<number | null> {
  const first = await firstRow<Pick<PlanDue, 'due_at'>>(db, 'select due_at from plans_due order by due_at limit 1', []);
  return first?.due_at ?? null;
}

/**
 * Notes when a place is to be planned again; null where only a change makes it due. A place that was marked since it was read
 * stays due.
 * @param read the row as it was read before the planning; undefined where there was none
 */
export async function planLater(
  db: Database,
  place: string,
  read: PlanDue | undefined,
  dueAt: number | null,
): Promise<void> {
  if (read === undefined) {
    if (dueAt === null) return;
    const sql = 'insert into plans_due (place, due_at, marks) values (?, ?, 0) on conflict (place) do nothing';
    await changeRows(db, sql, [place, dueAt]);
  } else if (dueAt === null) {
    await changeRows(db, 'delete from plans_due where place = ? and marks = ?', [place, read.marks]);
  } else if (dueAt !== read.due_at) {
    await changeRows(db, 'update plans_due set due_at = ? where place = ? and marks = ?', [dueAt, place, read.marks]);
  }
}
