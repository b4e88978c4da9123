/** The last answers of a paper's sources, kept in its row of `recipe_data`. */
import { planAgain } from '../../../gateway/frames/plans-due.ts';
import { type Reason, readReason } from '../../../reasons/reason.ts';
import type { Database } from '../../../runtime/database/database.ts';
import type { RowIn } from '../../../runtime/database/table.ts';
import type { Validators } from '../../outgoing/request-once.ts';
import type { AnswerFormat } from '../answers/read-answer.ts';
import type { recipesTables } from './tables.ts';

export type RecipeDataRow = RowIn<typeof recipesTables, 'recipe_data'>;

/** The last answer of one address, and since when it fails. Times are epoch milliseconds. */
export interface KeptAnswer {
  /** The digest of the request: an answer to another one is not taken for it. */
  readonly asked: string;
  readonly host: string;
  /** JSON of its variables; undefined for an address that never answered. */
  readonly read?: string;
  readonly format?: AnswerFormat;
  readonly validators?: Validators;
  /** When it last answered, also that nothing has changed. */
  readonly answeredAt?: number;
  readonly failingSince?: number;
  readonly problem?: Reason;
}

/** The data of a paper as they were last polled. */
export interface KeptData {
  readonly askedAs: string;
  /** 0 for one that was never polled. */
  readonly polledAt: number;
  /** When it is polled next; undefined for data that are sent here. */
  readonly dueAt?: number | undefined;
  readonly answers: readonly KeptAnswer[];
  /** JSON of an object; undefined before there were any. */
  readonly data?: string;
  readonly changedAt?: number;
  readonly failed?: string;
  readonly hosts?: readonly string[];
}

/** Reads what is kept of a paper. */
export async function keptData(db: Database, paperId: string): Promise<KeptData | undefined> {
  const row = await db<RecipeDataRow>('recipe_data').where({ paper_id: paperId }).first();
  if (row === undefined) return undefined;
  const answers: readonly KeptAnswer[] = JSON.parse(row.answers);
  return {
    askedAs: row.asked_as,
    polledAt: row.polled_at,
    answers: answers.map(({ problem, ...answer }) => {
      const known = readReason(problem);
      return { ...answer, ...(typeof known === 'object' && { problem: known }) };
    }),
    ...(row.data !== null && { data: row.data }),
    ...(row.changed_at !== null && { changedAt: row.changed_at }),
    ...(row.failed !== null && { failed: row.failed }),
    ...(row.hosts !== null && { hosts: JSON.parse(row.hosts) }),
  };
}

/** Returns since when one of the addresses has not answered; null while all do. */
function failingSince(answers: readonly KeptAnswer[]): number | null {
  const times = answers.flatMap((answer) => (answer.failingSince === undefined ? [] : [answer.failingSince]));
  return times.length === 0 ? null : Math.min(...times);
}

/** Keeps the hosts of a paper that was not asked yet, or not since its secrets were typed. */
export async function keepHosts(db: Database, paperId: string, hosts: readonly string[]): Promise<void> {
  const isThere = (await db('papers').where({ id: paperId }).first('id')) !== undefined;
  if (!isThere) return;
  const kept = { hosts: JSON.stringify(hosts) };
  await db('recipe_data')
    .insert({ paper_id: paperId, asked_as: '', polled_at: 0, answers: '[]', ...kept })
    .onConflict('paper_id')
    .merge(kept);
}

/** Keeps data of a paper; of one that was removed meanwhile nothing. */
export async function keepData(db: Database, paperId: string, kept: KeptData): Promise<void> {
  const row = {
    asked_as: kept.askedAs,
    polled_at: kept.polledAt,
    poll_due_at: kept.dueAt ?? null,
    answers: JSON.stringify(kept.answers),
    data: kept.data ?? null,
    changed_at: kept.changedAt ?? null,
    failing_since: failingSince(kept.answers),
    failed: kept.failed ?? null,
    hosts: kept.hosts === undefined ? null : JSON.stringify(kept.hosts),
  };
  const isThere = (await db('papers').where({ id: paperId }).first('id')) !== undefined;
  if (!isThere) return;
  await db('recipe_data')
    .insert({ paper_id: paperId, ...row })
    .onConflict('paper_id')
    .merge(row);
  await planAgain(db, [paperId]);
}
