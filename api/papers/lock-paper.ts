/** Locks a paper, so that everything about it happens in one order. */
import { type Database, isPostgres, type Transaction, transact } from '../../runtime/database.ts';
import { changeRows, firstRow } from '../../runtime/plain-sql.ts';

/**
 * Locks a paper until the transaction ends. It must be the transaction's first statement: on PostgreSQL it is a write,
 * so that the following statements see what the last holder committed. A transaction on SQLite begins with the only
 * writer's lock.
 */
export async function lockPaper(trx: Transaction, id: string): Promise<void> {
  if (isPostgres(trx)) await changeRows(trx, 'update papers set sequence = sequence where id = ?', [id]);
}

/** Runs work in one transaction that has locked a paper. */
export function transactOnPaper<Result>(
  db: Database,
  paperId: string,
  work: (trx: Transaction) => Promise<Result>,
): Promise<Result> {
  return transact(db, async (trx) => {
    await lockPaper(trx, paperId);
    return work(trx);
  });
}

/**
 * Keeps the paper that a device is to show, if one is named, from being removed until the transaction ends. It is
 * called before a device's row is locked: everybody who locks both does so in this order.
 */
export async function keepPaper(trx: Transaction, id: string | null | undefined): Promise<void> {
  if (typeof id === 'string' && isPostgres(trx))
    await firstRow(trx, 'select id from papers where id = ? for share', [id]);
}
