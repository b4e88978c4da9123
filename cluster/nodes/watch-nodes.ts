/** Reports to the operator of this node what becomes of the others: a line in the log and a count for each change. */
import type { Logger } from '../../runtime/logger.ts';
import type { NodeSeen } from './node-life.ts';
import type { NodeMeter, nodeMeasures } from './node-measures.ts';

export interface WatchNodesDeps {
  readonly logger: Logger;
  readonly meter?: NodeMeter | undefined;
}

interface Change {
  readonly state: (typeof nodeMeasures.papergate_node_changes_total.labels.state)[number];
}

type Seen = Pick<NodeSeen, 'name' | 'state' | 'heartbeatAt' | 'version' | 'address'>;

/**
 * Creates the watch of one node. It is called after each heartbeat; what it sees first is not a change.
 * @param own the id of this node
 */
export function watchNodes(
  { logger, meter }: WatchNodesDeps,
  own: string,
): (nodes: readonly NodeSeen[], isSteady: boolean) => void {
  let known: ReadonlyMap<string, Seen> | undefined;

  const note = (labels: Change): void => meter?.count('papergate_node_changes_total', labels);

  function tellDead({ name, heartbeatAt }: Seen, now: number): void {
    note({ state: 'dead' });
    const silentSeconds = Math.round((now - heartbeatAt) / 1000);
    logger.warn({ other: name, silentSeconds }, 'a node is dead: the others take over its work');
  }

  function tellNew({ name, version, address }: Seen, before: Seen | undefined): void {
    if (before?.state === 'alive') {
      note({ state: 'replaced' });
      logger.warn({ other: name, version }, 'a node ended without draining, and was started again');
      return;
    }
    note({ state: 'joined' });
    logger.info({ other: name, version, address }, 'a node joined');
  }

  function tellChange(node: Seen, before: Seen, now: number): void {
    if (node.state === before.state) return;
    if (node.state === 'dead') tellDead(node, now);
    else if (before.state === 'dead') {
      note({ state: 'returned' });
      logger.warn({ other: node.name }, 'a node that was dead is heard again: its machine was paused or cut off');
    } else if (node.state === 'draining') {
      note({ state: 'draining' });
      logger.info({ other: node.name }, 'a node is draining');
    }
  }

  function tellGone({ name, state }: Seen): void {
    // Somebody removed what a dead one had left.
    if (state === 'dead') return;
    note({ state: 'left' });
    logger.info({ other: name }, 'a node left');
  }

  return (nodes, isSteady) => {
    const before = known;
    const now = Math.max(0, ...nodes.map(({ heartbeatAt }) => heartbeatAt));
    const seen = new Map<string, Seen>();
    for (const node of nodes) {
      if (node.id === own) continue;
      // While this node's own heartbeats fail, the silence of others says nothing about them.
      const isUnsure = node.state === 'dead' && !isSteady;
      seen.set(node.id, isUnsure ? { ...node, state: before?.get(node.id)?.state ?? 'alive' } : node);
    }
    known = seen;
    const names = new Map([...seen.values()].map((node) => [node.name, node]));
    const former = new Map([...(before?.values() ?? [])].map((node) => [node.name, node]));
    for (const [id, node] of seen) {
      const was = before?.get(id);
      if (was !== undefined) tellChange(node, was, now);
      else if (node.state === 'dead') tellDead(node, now);
      else if (before !== undefined) tellNew(node, former.get(node.name));
    }
    for (const [id, node] of before ?? []) if (!seen.has(id) && !names.has(node.name)) tellGone(node);
  };
}
