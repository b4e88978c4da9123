/** Facts that all processes over one database agree on: its id, where its files are, what is being moved into it, that it was restored, how far the wall's record reaches, of what its session tickets are made. */
import { join } from 'node:path';
import { refuse } from '../../reasons/refusals.ts';
import { readOrCreate } from '../disk/durable-file.ts';
import type { Database, Migration } from './database.ts';
import { baseline } from './migration.ts';
import { defineTable } from './table.ts';

const serviceFacts = defineTable('service_facts', {
  name: 'text primary key',
  value: 'text not null',
});

/** The tables of this subject. */
export const factsTables = [serviceFacts] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const factMigrations: readonly Migration[] = [baseline('facts', factsTables)];

export type FactName =
  | 'id'
  | 'files'
  | 'shared folder'
  | 'moving'
  | 'restored'
  | 'restored at'
  | 'traces swept'
  | 'wall recorded'
  | 'examined'
  | 'tickets'
  | `moved ${string}`
  | `archived in ${string}`;

/** Reads a fact; undefined while nobody has settled it. */
export async function readFact(db: Database, name: FactName): Promise<string | undefined> {
  const row: { value: string } | undefined = await db('service_facts').where({ name }).first('value');
  return row?.value;
}

/** Settles a fact unless it is settled. Of several processes that do so at once one succeeds; all get its value. */
export async function settleFact(db: Database, name: FactName, value: string): Promise<string> {
  const settled = await readFact(db, name);
  if (settled !== undefined) return settled;
  await db('service_facts').insert({ name, value }).onConflict('name').ignore();
  return (await readFact(db, name)) ?? value;
}

/** Writes a fact over what it was. */
export async function changeFact(db: Database, name: FactName, value: string): Promise<void> {
  await db('service_facts').insert({ name, value }).onConflict('name').merge();
}

/**
 * Replaces a fact unless another process was faster.
 * @returns the value that stands now
 */
export async function replaceFact(db: Database, name: FactName, before: string, value: string): Promise<string> {
  await db('service_facts').where({ name, value: before }).update({ value });
  return (await readFact(db, name)) ?? value;
}

/** Removes a fact. */
export async function forgetFact(db: Database, name: FactName): Promise<void> {
  await db('service_facts').where({ name }).delete();
}

/** The file in which a node's data folder remembers to which database it belongs. */
export const ownerFile = 'service.id';

/**
 * Has a node's data folder remember its database, and refuses one that belongs to another: its keys and copies are of
 * other frames.
 * @throws Refusal `bad-configuration`
 */
export async function requireOwnFolder(folder: string, id: string): Promise<void> {
  const remembered = (await readOrCreate(join(folder, ownerFile), () => `${id}\n`)).trim();
  if (remembered === id) return;
  throw refuse('bad-configuration', {
    message: `PAPERGATE_DATA: ${folder} belongs to nodes over another database`,
    hint: 'correct DATABASE_URL, or name an empty folder',
  });
}
