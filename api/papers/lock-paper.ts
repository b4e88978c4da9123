/** One order for everything about one paper (INV-16, INV-18). */
import { isPostgres, type Transaction } from '../../gateway/runtime/database.ts';
import { changeRows, firstRow } from '../../gateway/runtime/plain-sql.ts';

/**
 * Locks a paper until the transaction ends. Must be its first statement: on PostgreSQL it is a write, so that what
 * follows sees what the last holder committed. A transaction on SQLite begins with the only writer's lock.
 */
export async function lockPaper(trx: Transaction, id: string): Promise<void> {
  if (isPostgres(trx)) await changeRows(trx, 'update papers set sequence = sequence where id = ?', [id]);
}

/**
 * Keeps the paper that a device is to show, if one is named, from being removed until the transaction ends. Called before
 * a device's row is locked, as everybody who locks both does it.
 */
export async function keepPaper(trx: Transaction, id: string | null | undefined): Promise<void> {
  if (typeof id === 'string' && isPostgres(trx))
    await firstRow(trx, 'select id from papers where id = ? for share', [id]);
}
