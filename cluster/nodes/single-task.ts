/** The single tasks of several nodes. */
import { LeaseLost, type SingleTask } from '../cluster.ts';
import { type LeasedWorkDeps, transactUnderLease, workUnderLease } from './leases.ts';

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
