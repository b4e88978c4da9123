/** The tables of frames that ask by themselves: those that wait, and the keys that adopted ones are due. */
import type { Migration } from '../../runtime/database/database.ts';
import { baseline } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/**
 * Frames that were adopted and are to be given a key: until `due_until`, and until they have used one. A key is due to
 * the device that was seen when its frame was adopted: to `address` and `token_hash`, which are null where none was
 * seen.
 */
const frameKeys = defineTable('frame_keys', {
  serial: 'text primary key references frames(serial)',
  due_until: 'integer not null',
  given_at: 'integer',
  token_hash: 'text',
  address: 'text',
  // The time at which the answer with the key was seen to arrive.
  taken_at: 'integer',
});

/** Devices that asked, one row for each of those that name themselves alike. Times are epoch milliseconds. */
const askingFrames = defineTable(
  'asking_frames',
  {
    serial: 'text not null',
    // A short code that tells apart devices that give the same name; a frame that waits shows it.
    asker: 'text not null',
    first_at: 'integer not null',
    last_at: 'integer not null',
    asks: 'integer not null',
    model: 'text',
    firmware: 'text',
    width: 'integer',
    height: 'integer',
    // The panel that its model or its size names; null where it names neither.
    panel: 'text',
    // The network address that it asks from; null where no setting names the trusted proxies.
    address: 'text',
    // Digest of the key that it shows, which another server gave it.
    token_hash: 'text',
  },
  ['primary key (serial, asker)', 'create index asking_frames_by_time on asking_frames (last_at)'],
);

/** The tables of this subject. */
export const adoptionTables = [frameKeys, askingFrames] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const adoptionMigrations: readonly Migration[] = [baseline('adoption', adoptionTables)];
