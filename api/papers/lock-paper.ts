/** One order for everything about one paper (INV-16, INV-18). */
import { isPostgres, type Transaction } from '../../gateway/runtime/database.ts';
import { changeRows } from '../../gateway/runtime/plain-sql.ts';

/**
 * Locks a paper until the transaction ends. Must be its first statement: on PostgreSQL it is a write, so that what
 * follows sees what the last holder committed. A transaction on SQLite begins with the only writer's lock.
 */
export async function lockPaper(trx: Transaction, id: string): Promise<void> {
  if (isPostgres(trx)) await changeRows(trx, 'update papers set sequence = sequence where id = ?', [id]);
}
