/** The last answers to frames that poll. */
import type { Database } from '../../../runtime/database/database.ts';
import { firstRow, insertRow } from '../../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../../runtime/database/table.ts';
import type { Doubt } from './judge-wake.ts';
import type { polledTables } from './tables.ts';

/** A row of `polled_answers`. */
export type PolledAnswerRow = RowIn<typeof polledTables, 'polled_answers', { covered_by: Doubt | null }>;

/** Reads the last answer to a frame; undefined when it was never answered. */
export function lastAnswer(db: Database, serial: string): Promise<PolledAnswerRow | undefined> {
  return firstRow(db, 'select * from polled_answers where serial = ?', [serial]);
}

/** The sleeps that a frame was sent lately, the newest first. */
export function latelyTold(last: PolledAnswerRow | undefined): readonly number[] {
  return last === undefined ? [] : (JSON.parse(last.lately) as number[]);
}

/** Keeps an answer in place of the one before. */
export async function keepAnswer(db: Database, row: PolledAnswerRow): Promise<void> {
  const changed = Object.keys(row)
    .filter((name) => name !== 'serial')
    .map((name) => `${name} = excluded.${name}`);
  await insertRow(db, 'polled_answers', { ...row }, `on conflict (serial) do update set ${changed.join(', ')}`);
}

/** Notes that a frame has logged an error since its last answer. */
export async function noteError(db: Database, serial: string, at: number): Promise<void> {
  await db<PolledAnswerRow>('polled_answers').where({ serial }).update({ erred_at: at });
}
