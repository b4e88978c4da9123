/** The operator's steps with other nodes: one is asked to end, and the rest of a dead one is removed. */
import type { Database } from '../../runtime/database/database.ts';
import { deadAfterMs, readNodes } from './node-life.ts';

/**
 * Asks a node to end as by SIGTERM; it does so at its next heartbeat.
 * @returns false when no living node has the name
 */
export async function askToDrain(db: Database, name: string): Promise<boolean> {
  const node = (await readNodes(db)).nodes.find((one) => one.name === name && one.state !== 'dead');
  if (node === undefined) return false;
  return (await db('nodes').where({ id: node.id }).update({ draining: 1 })) === 1;
}

/**
 * Removes the row that a dead node left.
 * @returns false when no dead node has the name
 */
export async function forgetNode(db: Database, name: string): Promise<boolean> {
  const { now, nodes } = await readNodes(db);
  const node = nodes.find((one) => one.name === name && one.state === 'dead');
  if (node === undefined) return false;
  const { id } = node;
  // One that answers again in this moment stays.
  const gone = await db('nodes')
    .where({ id })
    .where('heartbeat_at', '<', now - deadAfterMs)
    .delete();
  return gone === 1;
}
