/** Claims of nodes that are gone. */
import type { Database } from '../../runtime/database/database.ts';
import { databaseNow } from '../../runtime/database/database-time.ts';
import type { Cluster } from '../cluster.ts';
import { deadAfterMs } from './node-life.ts';

/**
 * Returns the condition, as SQL, that a claim was made by a node that is gone: it has no row any longer, or its heartbeats
 * have ended. As long as this node is not steady only missing rows count.
 * @param column the column that names the node of the claim
 */
export function ofGoneNode(db: Database, column: string, { isSteady }: Pick<Cluster, 'isSteady'>): string {
  const alive = isSteady() ? ` and nodes.heartbeat_at > ${databaseNow(db)} - ${deadAfterMs}` : '';
  return `${column} is not null and not exists (select 1 from nodes where nodes.id = ${column}${alive})`;
}
