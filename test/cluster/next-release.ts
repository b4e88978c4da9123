/** The release after this one: a copy of the project with two more changes of the tables, one of each kind. */

import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tables } from '../../api/service/open/service-tables.ts';
import { schemaOf } from '../../runtime/database/migrate-database.ts';
import { floors } from '../runner/floors.ts';
import type { BalancedNodes } from './balanced-nodes.ts';

const root = join(import.meta.dirname, '../..');
const rooms = [...floors, 'package.json', 'tsconfig.json'];

/** The first change is made by the first node of the next release, the second waits for the last one. */
const nextChanges = ['next-01-colours', 'next-02-colours-are-kept'] as const;

/** The migrations that the next release adds to the list. */
const changes = `
  {
    name: '${nextChanges[0]}',
    schema: NEXT,
    up: async (db) => void (await db.raw("alter table devices add column colour text not null default 'white'")),
  },
  {
    name: 'next-01-time-index',
    schema: NEXT,
    outsideTransaction: true,
    up: async (db) => void (await db.raw('create index concurrently if not exists next_times on content_requests (created_at, id)')),
  },
  {
    name: '${nextChanges[1]}',
    kind: 'contract',
    schema: NEXT,
    up: async (db) => void (await db.raw('create unique index next_colours on devices (id, colour)')),
  },
`;

/**
 * Upgrades a cluster to the next release, each node as soon as the one before it is ready, and tries to go back.
 * @returns what did not go as it should
 */
export async function upgradeInTurn({ nodes, spare, context, folder }: BalancedNodes): Promise<string[]> {
  const release = await makeNextRelease(folder, schemaOf(tables) + 1);
  const problems: string[] = [];
  for (const node of nodes) {
    const code = await node.signal('SIGTERM');
    if (code !== 0) problems.push(`node ${node.name} ended with ${code}`);
    await node.start(release);
    const made = await context.db('migrations').whereIn('name', nextChanges).orderBy('id').pluck('name');
    const expected = nextChanges.slice(0, node === nodes.at(-1) ? 2 : 1);
    if (made.join() !== expected.join()) problems.push(`after node ${node.name}: ${made.join()}`);
  }
  const refused = await spare.start().then(String, (error: Error) => error.message);
  if (!refused.includes(nextChanges[1])) problems.push(`the former release was not refused: ${refused}`);
  return problems;
}

/** Makes the next release in a folder, and returns the path of its command. */
async function makeNextRelease(folder: string, schema: number): Promise<string> {
  const copy = join(folder, 'next-release');
  await mkdir(copy);
  for (const room of rooms) await cp(join(root, room), join(copy, room), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  const listed = join(copy, 'api/service/open/service-tables.ts');
  const text = await readFile(listed, 'utf8');
  const more = text.replace(
    /(export const tables: [^[]*\[\]? = \[)/,
    `$1${changes.replaceAll('NEXT', String(schema))}`,
  );
  if (more === text) throw new Error('the list of migrations is not found where it was');
  await writeFile(listed, more);
  return join(copy, 'cli/papergate.mjs');
}
