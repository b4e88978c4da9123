/** Work that one process at a time does, for all nodes: sweeps, alerts, the clean-up. */
import { type Database, type Transaction, transact } from '../database.ts';
import { type LeasedWorkDeps, LeaseLost, transactUnderLease, workUnderLease } from './leases.ts';

/** The single tasks, as one process knows them. */
export interface SingleTask {
  /** True while this process is the one that does them. */
  isOurs(): boolean;
  /**
   * Runs a transaction of such a task, which writes nothing when another process has taken over.
   * @throws LeaseLost
   */
  transact<Result>(db: Database, work: (trx: Transaction) => Promise<Result>): Promise<Result>;
  /** Has a function called each time this process takes over. */
  whenOurs(begin: () => void): void;
}

/** The single tasks of a process that is alone: they are always its own, and it needs no lease. */
export const alwaysOurs: SingleTask = { isOurs: () => true, transact, whenOurs: () => {} };

/** One lease is for all of them: a node has one row to renew, and everything moves together. */
const leaseName = 'single tasks';

/** Competes with the other nodes for the single tasks. `stop` gives them back. */
export function singleTaskAmongNodes(deps: LeasedWorkDeps): SingleTask & { stop(): Promise<void> } {
  const beginnings: (() => void)[] = [];
  const work = workUnderLease(deps, leaseName, () => {
    for (const begin of beginnings) begin();
    return () => {};
  });
  return {
    isOurs: () => work.held() !== undefined,
    transact(db, within) {
      const lease = work.held();
      if (lease === undefined) return Promise.reject(new LeaseLost({ name: leaseName, epoch: 0 }));
      return transactUnderLease(db, lease, within);
    },
    whenOurs: (begin) => void beginnings.push(begin),
    stop: work.stop,
  };
}
