/** The table of the last answers to frames that poll. */
import type { Migration } from '../../../runtime/database/database.ts';
import { baseline } from '../../../runtime/database/migration.ts';
import { defineTable } from '../../../runtime/database/table.ts';

/** One row a frame: its last answer, and the remains of earlier ones. Times are epoch milliseconds. */
const polledAnswers = defineTable('polled_answers', {
  serial: 'text primary key references frames(serial)',
  at: 'integer not null',
  refresh_seconds: 'integer not null',
  // The sleeps that were sent, the newest first, as JSON.
  lately: 'text not null',
  // The sleep whose echo came back last; null before the first.
  echoed_seconds: 'integer',
  // The offer that was announced, and its version; null and 0 for a picture that stands for none.
  upload_id: 'text',
  file_version: 'integer not null',
  // The name of the picture that was announced, and the path of its file.
  name: 'text not null',
  path: 'text not null',
  // Time of the last error that the frame has logged since; null without one.
  erred_at: 'integer',
  // How often a picture in doubt was announced under a fresh name in the 24 hours from `afresh_from` on.
  afresh: 'integer not null',
  afresh_from: 'integer not null',
  // Why an error screen may lie over the picture; null while none does.
  covered_by: 'text',
  // Time at which a covered picture was last announced under a fresh name; null before the first.
  healed_at: 'integer',
  // The version whose proof was hurried last by a short sleep; null before the first.
  hurried: 'integer',
  // 1 when the frame identifies itself as it downloads the picture: other downloads are not its own. Null where it does
  // not.
  names_itself: 'integer',
});

/** The tables of this subject. */
export const polledTables = [polledAnswers] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const polledMigrations: readonly Migration[] = [baseline('polled', polledTables)];
