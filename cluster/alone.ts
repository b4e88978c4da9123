/** A process that shares its database with no other. */
import { transact } from '../runtime/database/database.ts';
import type { Cluster, SharedCount } from './cluster.ts';
import { nodesInOneProcess } from './in-one-process.ts';

/** A count that this process keeps to itself. */
export const unshared: SharedCount = () => () => {};

/** Everything is its own, and it notifies nobody. */
export const alone: Cluster = {
  id: null,
  single: { isOurs: () => true, transact, whenOurs: () => {} },
  underLease: (_name, begin) => begin(),
  counters: () => unshared,
  channel: () => ({ post: () => {}, open: () => {}, close: () => {} }),
  sessions: { join: (receive) => nodesInOneProcess().join(receive) },
  living: () => [],
  isSteady: () => true,
  get asked() {
    return new Promise<never>(() => {});
  },
  reached: async () => {},
  isDeaf: () => false,
  drain: async () => {},
  leave: async () => {},
};
