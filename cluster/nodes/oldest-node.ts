/** The oldest release that works over a database, by the nodes that live: it decides what may be taken from the tables. */
import type { Knex } from 'knex';
import type { OldestNode } from '../../runtime/database/migrate-database.ts';
import { readNodes } from './node-life.ts';

/** Finds the living node of the oldest schema; undefined where none lives, and where there is no table of nodes yet. */
export async function findOldestNode(db: Knex): Promise<OldestNode | undefined> {
  if (!(await db.schema.hasTable('nodes'))) return undefined;
  const { nodes } = await readNodes(db);
  const living = nodes.filter(({ state }) => state !== 'dead').sort((a, b) => a.schema - b.schema);
  return living[0];
}
