/**
 * Copies every row into an empty database, each table in one transaction, and compares every value afterwards. A killed
 * copy continues with the first table that is incomplete.
 */

import { refuse } from '../../reasons/refusals.ts';
import type { Database, Transaction } from '../database/database.ts';
import { changeFact, type FactName, forgetFact, readFact, settleFact } from '../database/service-facts.ts';
import type { CopiedRow, SourceRows, SourceTable, Value } from './source-rows.ts';

/** Dependencies of a copy. `told` is called when a table is complete. */
export interface CopyDeps {
  readonly source: SourceRows;
  readonly target: Database;
  readonly told: (table: string, rows: number) => void;
}

const factTable = 'service_facts';
const doneOf = (table: string): FactName => `moved ${table}`;

/**
 * Copies and compares. Until `finishCopy`, the target is marked as one that rows are being moved into.
 * @returns the number of rows
 * @throws Refusal `bad-configuration` for a target that holds something else, or a value that it cannot hold
 */
export async function copyRows(deps: CopyDeps): Promise<number> {
  const { source, target } = deps;
  await beginCopy(deps);
  const copied = source.tables.filter(({ name }) => name !== factTable);
  for (let attempt = 1; ; attempt++) {
    for (const table of copied) await copyTable(deps, table);
    const wrong = [];
    for (const table of copied) if (!(await isEqual(deps, table))) wrong.push(table.name);
    if (wrong.length === 0) return copied.reduce((sum, table) => sum + source.count(table), 0);
    // The source was used again after a copy that did not come to its end.
    if (attempt === 1) await emptyTables(target, copied);
    else {
      throw refuse('bad-configuration', {
        message: `DATABASE_URL: the database gives back other rows than were written, in ${wrong.join(', ')}`,
        hint: 'let nothing else write to it, empty it, and begin again',
      });
    }
  }
}

/** Copies the facts of the source; from here on the target may be served from. */
export async function finishCopy({ source, target }: Pick<CopyDeps, 'source' | 'target'>): Promise<void> {
  await target.transaction(async (trx) => {
    for (const [name, value] of factsInSource(source)) await changeFact(trx, name, value);
    for (const { name } of source.tables) await forgetFact(trx, doneOf(name));
    await forgetFact(trx, 'moving');
  });
}

/** The facts of a source, without those of a move into it. */
export function factsInSource(source: SourceRows): Map<FactName, string> {
  const table = source.tables.find(({ name }) => name === factTable);
  const rows = table === undefined ? [] : [...source.batches(table)].flat();
  const facts = rows.map((row) => [String(row.name) as FactName, String(row.value)] as const);
  return new Map(facts.filter(([name]) => !name.startsWith('mov')));
}

/** Sees that the target is empty, or what an earlier copy of the same source left. */
async function beginCopy({ source, target }: CopyDeps): Promise<void> {
  const id = factsInSource(source).get('id') ?? '';
  const moving = await readFact(target, 'moving');
  if (moving === id) return;
  const filled = [];
  for (const { name } of source.tables) {
    // A new database knows where the files of a service are that it does not have yet.
    if (name !== factTable && (await target(name).first(target.raw('1 as one'))) !== undefined) filled.push(name);
  }
  if (moving !== undefined || filled.length > 0) {
    const what = moving === undefined ? `rows in ${filled.slice(0, 3).join(', ')}` : 'a part of another service';
    throw refuse('bad-configuration', {
      message: `DATABASE_URL: the database is not empty, it has ${what}`,
      hint: 'name an empty database: createdb makes one',
    });
  }
  await settleFact(target, 'moving', id);
}

async function copyTable({ source, target, told }: CopyDeps, table: SourceTable): Promise<void> {
  if ((await readFact(target, doneOf(table.name))) !== undefined) return;
  let rows = 0;
  await target.transaction(async (trx) => {
    for (const batch of source.batches(table)) {
      for (const row of batch) requireText(table, row);
      await trx(table.name).insert(batch);
      rows += batch.length;
    }
    await changeFact(trx, doneOf(table.name), String(rows));
  });
  told(table.name, rows);
}

/** PostgreSQL knows every character but one. */
function requireText(table: SourceTable, row: CopiedRow): void {
  for (const [column, value] of Object.entries(row)) {
    if (typeof value !== 'string' || !value.includes('\0')) continue;
    const key = table.key.map((name) => `${name} ${String(row[name])}`).join(', ');
    throw refuse('bad-configuration', {
      message: `PAPERGATE_DATA: ${table.name}.${column} of ${key} has a character (NUL) that PostgreSQL cannot keep`,
      hint: 'serve once more, change that text, and move again',
    });
  }
}

/** Returns whether the target has the same rows: as many, and each with the same values. */
async function isEqual({ source, target }: CopyDeps, table: SourceTable): Promise<boolean> {
  const [found] = await target(table.name).count({ rows: '*' });
  if (Number(found?.rows) !== source.count(table)) return false;
  for (const batch of source.batches(table)) {
    const keys = batch.map((row) => table.key.map((name) => row[name] ?? null));
    const rows: CopiedRow[] = await target(table.name).whereIn([...table.key], keys as never);
    const byKey = new Map(rows.map((row) => [keyOf(table, row), row]));
    const isSame = batch.every((row) => {
      const other = byKey.get(keyOf(table, row));
      return other !== undefined && table.columns.every((name) => sameValue(row[name], other[name]));
    });
    if (!isSame) return false;
  }
  return true;
}

const keyOf = (table: SourceTable, row: CopiedRow): string => JSON.stringify(table.key.map((name) => row[name]));

function sameValue(one: Value | undefined, other: Value | undefined): boolean {
  return Buffer.isBuffer(one) ? Buffer.isBuffer(other) && one.equals(other) : one === other;
}

async function emptyTables(target: Database, tables: readonly SourceTable[]): Promise<void> {
  await target.transaction(async (trx: Transaction) => {
    for (const { name } of [...tables].reverse()) {
      await trx(name).delete();
      await forgetFact(trx, doneOf(name));
    }
  });
}
