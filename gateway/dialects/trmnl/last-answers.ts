/** The last answers to frames that poll. */
import type { Database } from '../../../runtime/database.ts';
import { firstRow, insertRow } from '../../../runtime/plain-sql.ts';
import type { Doubt } from './judge-wake.ts';

/** A row of `polled_answers`. Times are epoch milliseconds. */
export interface PolledAnswerRow {
  serial: string;
  at: number;
  refresh_seconds: number;
  /** The sleeps that were sent, the newest first, as JSON. */
  lately: string;
  /** The sleep whose echo came back last; null before the first. */
  echoed_seconds: number | null;
  /** The offer that was announced, and its version; null and 0 for a picture that stands for none. */
  upload_id: string | null;
  file_version: number;
  /** The name of the picture that was announced, and the path of its file. */
  name: string;
  path: string;
  /** Time of the last error that the frame has logged since; null without one. */
  erred_at: number | null;
  /** How often a picture in doubt was announced under a fresh name in the 24 hours from `afresh_from` on. */
  afresh: number;
  afresh_from: number;
  /** Why an error screen may lie over the picture; null while none does. */
  covered_by: Doubt | null;
  /** Time at which a covered picture was last announced under a fresh name; null before the first. */
  healed_at: number | null;
  /** The version whose proof was hurried last by a short sleep; null before the first. */
  hurried: number | null;
  /** 1 when the frame says who it is as it downloads the picture; null where it does not. */
  names_itself: number | null;
}

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
