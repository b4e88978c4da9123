/** Locks a paper, so that everything about it happens in one order. */
import { type Database, isPostgres, type Transaction, transact } from '../../runtime/database/database.ts';
import { changeRows, firstRow } from '../../runtime/database/plain-sql.ts';
import { type FairShares, fairShares } from '../../runtime/fair-shares.ts';

/**
 * Locks a paper until the transaction ends. It must be the transaction's first statement: on PostgreSQL it is a write,
 * so that the following statements see what the last holder committed. A transaction on SQLite begins with the only
 * writer's lock.
 */
export async function lockPaper(trx: Transaction, id: string): Promise<void> {
  if (isPostgres(trx)) await changeRows(trx, 'update papers set sequence = sequence where id = ?', [id]);
}

/** The works of this process on papers of a database. */
const queues = new WeakMap<Database, FairShares>();

/** Of the works on one paper, so many have a connection: one that runs, and one that waits for its lock. */
const connectionsOfPaper = 2;

/**
 * Runs work in one transaction that has locked a paper. On PostgreSQL it waits in the process for its turn before it takes a
 * connection: a burst for one paper would take all of them otherwise, only to wait for the lock, and whatever else the process
 * has to do would find none, down to saying that it is ready. On SQLite all writes have one queue anyway.
 */
export function transactOnPaper<Result>(
  db: Database,
  paperId: string,
  work: (trx: Transaction) => Promise<Result>,
): Promise<Result> {
  const locked = (): Promise<Result> =>
    transact(db, async (trx) => {
      await lockPaper(trx, paperId);
      return work(trx);
    });
  if (!isPostgres(db) || db.isTransaction === true) return locked();
  const waiting = queues.get(db) ?? fairShares({ atOnce: Number.POSITIVE_INFINITY, ofOne: connectionsOfPaper });
  queues.set(db, waiting);
  return waiting.run([paperId], locked);
}

/**
 * Keeps the paper that a device is to show, if one is named, from being removed until the transaction ends. It is
 * called before a device's row is locked: everybody who locks both does so in this order.
 */
export async function keepPaper(trx: Transaction, id: string | null | undefined): Promise<void> {
  if (typeof id === 'string' && isPostgres(trx))
    await firstRow(trx, 'select id from papers where id = ? for share', [id]);
}
