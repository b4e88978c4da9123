/** `papergate nodes`: the processes of a service that runs as several nodes, read from their database. */
import { tables } from '../../api/service/open/service-tables.ts';
import { askToDrain, forgetNode } from '../../cluster/nodes/end-nodes.ts';
import { type NodeSeen, readNodes } from '../../cluster/nodes/node-life.ts';
import { findOldestNode } from '../../cluster/nodes/oldest-node.ts';
import { refuse } from '../../reasons/refusals.ts';
import { waitingMigrations } from '../../runtime/database/migrate-database.ts';
import { withContext } from '../ground/data-folder.ts';
import { printLine, printTable, shortTime } from '../ground/print.ts';

/** Prints every node with a row. */
export async function listNodes(options: { json?: boolean }): Promise<void> {
  await withContext(async ({ db }) => {
    const { nodes } = await readNodes(db);
    const rows = nodes.map(({ name, state, isDeaf, version, schema, address, startedAt, heartbeatAt }) => ({
      name,
      state,
      hears: isDeaf ? 'nothing' : 'the others',
      version,
      schema,
      address,
      started: shortTime(startedAt),
      heartbeat: shortTime(heartbeatAt),
    }));
    printTable(rows, ['name', 'state', 'hears', 'version', 'schema', 'address', 'started', 'heartbeat'], options.json);
  });
}

/** Asks a node to end, as SIGTERM would. */
export async function drainNode(name: string): Promise<void> {
  await withContext(async ({ db }) => {
    if (!(await askToDrain(db, name))) throw noSuchNode(name, await named(db, name), 'alive');
    printLine(`${name} drains and ends; papergate nodes list shows when it is gone`);
  });
}

/** Removes the row of a dead node. */
export async function forgetDeadNode(name: string): Promise<void> {
  await withContext(async ({ db }) => {
    if (!(await forgetNode(db, name))) throw noSuchNode(name, await named(db, name), 'dead');
    printLine(`${name} is forgotten`);
  });
}

/** Makes the changes of the tables that waited for older nodes to end: opening the database does all that is due. */
export async function contractTables(): Promise<void> {
  await withContext(async ({ db }) => {
    const waiting = await waitingMigrations(db, tables);
    const oldest = await findOldestNode(db);
    if (waiting.length === 0) return printLine('nothing waits: all tables are as this release has them');
    throw refuse('bad-configuration', {
      message: `${waiting.join(', ')} must wait for node "${oldest?.name}", which works with schema ${oldest?.schema}`,
      hint: 'upgrade or end it, or wait 20 s if it was killed, and try again',
    });
  });
}

async function named(db: Parameters<typeof readNodes>[0], name: string): Promise<NodeSeen | undefined> {
  return (await readNodes(db)).nodes.find((node) => node.name === name);
}

function noSuchNode(name: string, node: NodeSeen | undefined, wanted: 'alive' | 'dead') {
  const hint = 'papergate nodes list shows all nodes';
  if (node === undefined) return refuse('not-found', { message: `No node is named "${name}"`, hint });
  return wanted === 'dead'
    ? refuse('invalid-request', {
        message: `Node "${name}" is ${node.state}`,
        hint: `only a dead node can be forgotten: papergate nodes drain ${name} ends it, and it leaves by itself`,
      })
    : refuse('invalid-request', {
        message: `Node "${name}" is dead: nothing of it is left to drain`,
        hint: `papergate nodes forget ${name} removes what it left`,
      });
}
