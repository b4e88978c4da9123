/** The table of frames with the vendor's offline firmware: their settings, and how their last wake went. */
import { laterTables, type Migration } from '../../../runtime/database/migration.ts';
import { defineTable } from '../../../runtime/database/table.ts';

/** One row a frame. Times are epoch milliseconds. */
const offlineFrames = defineTable(
  'offline_frames',
  {
    serial: 'text primary key references frames(serial)',
    // Digest of the secret in the address of its settings, and the ownership under which it was made; null without one.
    settings_hash: 'text',
    settings_ownership: 'integer',
    // The settings of its last call for them as JSON, since when they are these, and when the frame last asked for them.
    settings: 'text',
    settings_at: 'integer',
    settings_read_at: 'integer',
    // Its present or last wake: the first call and the last one, and how many there were. Null before the first.
    wake_at: 'integer',
    called_at: 'integer',
    calls: 'integer not null default 0',
    told_seconds: 'integer',
    // The offer of its last answer, and its version; null and 0 for one that stands for none.
    upload_id: 'text',
    file_version: 'integer not null default 0',
    // 1 when that answer was 304, and when the service saw the frame take it.
    unchanged: 'integer not null default 0',
    was_taken: 'integer not null default 0',
    // 1 once it has named a tag: states B and C of the firmware do.
    names_tags: 'integer not null default 0',
    // Why an error text may lie over a version of the picture; null while nothing speaks for it.
    doubt: 'text',
    doubt_version: 'integer not null default 0',
    // How often a picture was sent under a fresh tag in the 24 hours from `afresh_from` on.
    afresh: 'integer not null default 0',
    afresh_from: 'integer not null default 0',
    // The sleep that it keeps whatever the answers say, in seconds, and the last such sleeps as JSON.
    own_seconds: 'integer',
    own_lately: `text not null default '[]'`,
  },
  ['create unique index offline_frames_by_settings on offline_frames (settings_hash) where settings_hash is not null'],
);

/** The tables of this subject. */
export const offlineTables = [offlineFrames] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const offlineMigrations: readonly Migration[] = [laterTables('offline', offlineTables)];
