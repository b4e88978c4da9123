/** A process that plays no seed: at the second it is killed, at the third it hangs, and every other one is well. */
import { serveOrders } from '../../runtime/child-process/serve-orders.ts';
import type { SeedOrder, SeedOutcome } from '../../testbed/offline/night/seed-orders.ts';

const well: SeedOutcome = {
  hash: '',
  lastLines: [],
  playedMs: 1,
  processorMs: 1,
  memory: 1,
  counts: {},
  events: {},
  checked: {},
};

serveOrders<SeedOrder>(async ({ seed }) => {
  if (seed.endsWith('.2')) process.kill(process.pid, 'SIGKILL');
  if (seed.endsWith('.3')) await new Promise(() => {});
  return { outcome: well };
});
