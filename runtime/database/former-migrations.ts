/** Databases of versions from before the first release, whose tables came about by other migrations. */
import type { Knex } from 'knex';
import { refuse } from '../../reasons/refusals.ts';

interface Named {
  readonly name: string;
}

/** Names of migrations from before the first release, and the last of them. */
const former = /^(?:api|facts|files|gateway|house|keys|nodes)-\d\d-/;
const lastFormer = 'api-67-paper-secrets';
const isBaseline = ({ name }: Named): boolean => name.endsWith('-baseline');

/**
 * Counts what the last version before the first release made as the baselines, which make the same tables. They are not
 * recorded yet.
 * @throws Refusal `bad-configuration` for tables of an earlier version
 */
export function exceptFormer<Row extends Named>(rows: readonly Row[], known: readonly Named[]): (Row | BatchOne)[] {
  const later = rows.filter(({ name }) => !former.test(name));
  if (later.length === rows.length) return later;
  if (!rows.some(({ name }) => name === lastFormer)) {
    throw refuse('bad-configuration', {
      message:
        'The database is one of a version from before the first release, which this version cannot bring up to date',
      hint: `start it once with the last version that had the migration "${lastFormer}", or begin with an empty one`,
    });
  }
  return [...known.filter(isBaseline).map(({ name }) => ({ name, batch: 1 as const })), ...later];
}

interface BatchOne extends Named {
  readonly batch: 1;
}

/** Records the baselines in place of former migrations. */
export async function replaceFormer(rows: Knex.QueryBuilder, known: readonly Named[]): Promise<void> {
  const names: string[] = await rows.clone().pluck('name');
  const old = names.filter((name) => former.test(name));
  if (old.length === 0) return;
  await rows.clone().whereIn('name', old).delete();
  const migration_time = new Date();
  await rows.clone().insert(known.filter(isBaseline).map(({ name }) => ({ name, batch: 1, migration_time })));
}
