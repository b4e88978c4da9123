/** The table of the last answers to frames that poll. */
import type { Migration } from '../../../runtime/database.ts';
import { baseline } from '../../../runtime/migration.ts';
import { defineTable } from '../../../runtime/table.ts';

/**
 * One row a frame: what it was answered last, and what is left of earlier answers. `lately` are the sleeps that were
 * told, the newest first, and `echoed_at` the time at which the newest echo came back (JSON of numbers). `erred_at` is
 * the time of the last error that the frame logged since. `afresh` counts the pictures in doubt that were told under a
 * fresh name in the day that began at `afresh_from`. `covered_by` says why an error screen may lie over the picture,
 * null while none does; `healed_at` is the time at which such a picture was last told afresh. `hurried` is the version
 * that was told with a short sleep last. `names_itself` is 1 after an answer to a frame that says who it is when it
 * downloads the picture: other downloads are not its.
 */
const polledAnswers = defineTable('polled_answers', {
  serial: 'text primary key references frames(serial)',
  at: 'integer not null',
  refresh_seconds: 'integer not null',
  // The sleeps that were told, the newest first, as JSON.
  lately: 'text not null',
  // The sleep whose echo came back last; null before the first.
  echoed_seconds: 'integer',
  // The offer that was told, and its version; null and 0 for a picture that stands for none.
  upload_id: 'text',
  file_version: 'integer not null',
  // The name of the picture that was told, and the path of its file.
  name: 'text not null',
  path: 'text not null',
  // Time of the last error that the frame has logged since; null without one.
  erred_at: 'integer',
  // How often a picture in doubt was told under a fresh name in the 24 hours from `afresh_from` on.
  afresh: 'integer not null',
  afresh_from: 'integer not null',
  // Why an error screen may lie over the picture; null while none does.
  covered_by: 'text',
  // Time at which a covered picture was last told under a fresh name; null before the first.
  healed_at: 'integer',
  // The version whose proof was hurried last by a short sleep; null before the first.
  hurried: 'integer',
  // 1 when the frame says who it is as it downloads the picture; null where it does not.
  names_itself: 'integer',
});

/** The tables of this subject. */
export const polledTables = [polledAnswers] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const polledMigrations: readonly Migration[] = [baseline('polled', polledTables)];
