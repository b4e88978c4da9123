/** The tables by which processes over one database know each other. Times in them are the database's own. */
import type { Migration } from '../../runtime/database/database.ts';
import { baseline } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** Processes over this database. */
const nodes = defineTable('nodes', {
  id: 'text primary key',
  name: 'text not null unique',
  version: 'text not null',
  address: 'text not null',
  started_at: 'integer not null',
  heartbeat_at: 'integer not null',
  draining: 'integer not null default 0',
  // The number of the schema that is the node's own: what it cannot do without stays while it lives.
  schema: 'integer not null default 1',
  // 1 while it hears nothing of the others on the channel.
  deaf: 'integer not null default 0',
});

const leases = defineTable('leases', {
  name: 'text primary key',
  holder: 'text not null',
  epoch: 'integer not null',
  until_at: 'integer not null',
});

/** The tables of this subject. */
export const nodesTables = [nodes, leases] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const nodeMigrations: readonly Migration[] = [baseline('nodes', nodesTables)];
