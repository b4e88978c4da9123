/** The values that are read for the metrics: counts of open or due work, never of rows that are merely stored. */

import type { Cluster } from '../../cluster/cluster.ts';
import { readNodes } from '../../cluster/nodes/node-life.ts';
import type { FrameBroker } from '../../gateway/broker/broker.ts';
import { isSimulatedSql } from '../../gateway/frames/simulated-frames.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { commitsOf } from '../../runtime/database/prepared-sqlite.ts';
import type { PoolStatus } from '../browser/browser-pool.ts';
import { sumOfLevels } from '../service-level/level.ts';
import type { Health } from './health.ts';

export interface GaugeDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  readonly broker: () => Pick<FrameBroker, 'load'> | undefined;
  readonly rendering: () => PoolStatus;
  readonly health: Health;
  readonly cluster: Pick<Cluster, 'id' | 'single'>;
}

/** One value, with the value of its label where it has one. */
export interface Reading {
  readonly value: number;
  readonly label?: string;
}

/** A value to be read. `label` is the label's name, `kind` the type of the metric for Prometheus. */
export interface Gauge {
  readonly kind: 'gauge' | 'counter';
  readonly help: string;
  readonly label?: string;
  /** Reads the value; the list is empty when it is unknown. A gauge whose read rejects is left out. */
  readonly read: (deps: GaugeDeps) => Promise<readonly Reading[]>;
}

const one = (value: number | undefined): Reading[] => (value === undefined ? [] : [{ value }]);
const healthValue = { ok: 1, degraded: 0.5, down: 0 } as const;

async function countOf(query: Promise<{ count?: unknown } | undefined>): Promise<Reading[]> {
  return one(Number((await query)?.count));
}

export const gauges = {
  papergate_health: {
    kind: 'gauge',
    help: 'Parts of the service as /iotdevice/status tells them: 1 ok, 0.5 degraded, 0 down',
    label: 'kind',
    async read({ health }) {
      const found = await Promise.all(health.kinds.map(async (kind) => [kind, await health.look(kind)] as const));
      return found.map(([label, finding]) => ({ label, value: healthValue[finding?.status ?? 'down'] }));
    },
  },
  papergate_nodes: {
    kind: 'gauge',
    help: 'Nodes of the service by their state; none where one process is the service',
    label: 'state',
    async read({ db }) {
      const { nodes } = await readNodes(db);
      if (nodes.length === 0) return [];
      const states = ['alive', 'draining', 'dead'] as const;
      return states.map((label) => ({ label, value: nodes.filter(({ state }) => state === label).length }));
    },
  },
  papergate_leases_held: {
    kind: 'gauge',
    help: 'Leases that this node holds: 1 where it does the single tasks, 0 at the others; none where one process is the service',
    read: async ({ cluster: { id, single } }) => one(id === null ? undefined : Number(single.isOurs())),
  },
  papergate_frames_connected: {
    kind: 'gauge',
    help: 'Frames that are connected right now; those that sleep are not',
    read: async ({ broker }) => one(broker()?.load().connected),
  },
  papergate_frames_overdue: {
    kind: 'gauge',
    help: 'Frames that did not come back when they were expected; simulated ones are not counted',
    read: ({ db }) =>
      countOf(
        db('frame_watch')
          .whereNotNull('overdue_since')
          .whereRaw(`not (${isSimulatedSql('frame_watch.serial')})`)
          .count({ count: '*' })
          .first(),
      ),
  },
  papergate_frames_simulated: {
    kind: 'gauge',
    help: 'Simulated frames that the service plays itself; while they are awake they are among those connected',
    read: ({ db }) => countOf(db('simulated_frames').count({ count: '*' }).first()),
  },
  papergate_outages_open: {
    kind: 'gauge',
    help: 'Outages that last, or ended minutes ago',
    read: ({ db }) => countOf(db('alert_outages').whereNull('closed_at').count({ count: '*' }).first()),
  },
  papergate_alerts_waiting: {
    kind: 'gauge',
    help: 'What alert channels have to tell that is not sent yet',
    read: ({ db }) => countOf(db('alert_notices').whereNull('sent_at').count({ count: '*' }).first()),
  },
  papergate_level_pictures: {
    kind: 'gauge',
    help: 'Pictures of the last 30 days that were, or were not, proven within one sleep of their frame and five minutes',
    label: 'outcome',
    async read({ db, clock }) {
      const { pictures, inTime } = await sumOfLevels(db, clock.now());
      return [
        { label: 'in-time', value: inTime },
        { label: 'late', value: pictures - inTime },
      ];
    },
  },
  papergate_level_budget: {
    kind: 'gauge',
    help: 'The least part of the late pictures which its target allows that an organization has left: 1 all, 0 none, below 0 more were late',
    read: async ({ db, clock }) => one((await sumOfLevels(db, clock.now())).leastBudget),
  },
  papergate_messages_waiting: {
    kind: 'gauge',
    help: 'Messages of frames that wait to be recorded',
    read: async ({ broker }) => one(broker()?.load().waiting),
  },
  papergate_requests_open: {
    kind: 'gauge',
    help: 'Pushed content that is being worked on or watched',
    read: ({ db }) => countOf(db('content_requests').whereNotNull('due_at').count({ count: '*' }).first()),
  },
  papergate_deliveries_open: {
    kind: 'gauge',
    help: 'Deliveries on their way, by state',
    label: 'state',
    async read({ db }) {
      const rows: { state: string; count: unknown }[] = await db('deliveries')
        .whereNotNull('due_at')
        .groupBy('state')
        .select('state')
        .count({ count: '*' });
      const found = new Map(rows.map(({ state, count }) => [state, Number(count)]));
      return ['pending', 'prepared'].map((label) => ({ label, value: found.get(label) ?? 0 }));
    },
  },
  papergate_callbacks_waiting: {
    kind: 'gauge',
    help: 'Callbacks in the outbox',
    read: ({ db }) => countOf(db('callback_events').whereNotNull('due_at').count({ count: '*' }).first()),
  },
  papergate_callbacks_oldest_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest callback in the outbox; 0 when there is none',
    async read({ db, clock }) {
      const row = await db('callback_events').whereNotNull('due_at').min({ at: 'created_at' }).first();
      return one(typeof row?.at === 'number' ? Math.max(0, (clock.now() - row.at) / 1000) : 0);
    },
  },
  papergate_renders_running: {
    kind: 'gauge',
    help: 'Pages being rendered',
    read: async ({ rendering }) => one(rendering().running),
  },
  papergate_renders_waiting: {
    kind: 'gauge',
    help: 'Pages that wait for the browser',
    read: async ({ rendering }) => one(rendering().waiting),
  },
  papergate_sqlite_commits_total: {
    kind: 'counter',
    help: 'Commits of this process to SQLite, an fsync each; absent on PostgreSQL',
    read: async ({ db }) => one(commitsOf(db)),
  },
} as const satisfies Record<string, Gauge>;
