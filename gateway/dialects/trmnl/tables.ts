/** The table of the last answers to frames that poll. */
import type { Migration } from '../../../runtime/database.ts';
import { baseline } from '../../../runtime/migration.ts';
import { defineTable } from '../../../runtime/table.ts';

/**
 * One row a frame: what it was answered last, and what is left of earlier answers. `lately` are the sleeps that were
 * sent, the newest first, and `echoed_at` the time at which the newest echo came back (JSON of numbers). `erred_at` is
 * the time of the last error that the frame logged since. `afresh` counts the pictures in doubt that were announced under a
 * fresh name in the day that began at `afresh_from`. `covered_by` says why an error screen may lie over the picture,
 * null while none does; `healed_at` is the time at which such a picture was last announced afresh. `hurried` is the version
 * that was announced with a short sleep last. `names_itself` is 1 after an answer to a frame that says who it is when it
 * downloads the picture: other downloads are not its.
 */
const polledAnswers = defineTable('polled_answers', {
  serial: 'text primary key references frames(serial)',
  at: 'integer not null',
  refresh_seconds: 'integer not null',
  lately: 'text not null',
  echoed_seconds: 'integer',
  upload_id: 'text',
  file_version: 'integer not null',
  name: 'text not null',
  path: 'text not null',
  erred_at: 'integer',
  afresh: 'integer not null',
  afresh_from: 'integer not null',
  covered_by: 'text',
  healed_at: 'integer',
  hurried: 'integer',
  names_itself: 'integer',
});

/** The tables of this subject. */
export const polledTables = [polledAnswers] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const polledMigrations: readonly Migration[] = [baseline('polled', polledTables)];
