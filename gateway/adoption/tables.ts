/** The tables of frames that ask by themselves: those that wait, and the keys that adopted ones are due. */
import type { Migration } from '../../runtime/database.ts';
import { wholeNumbers } from '../../runtime/migration.ts';

/** `frame_keys` are frames that were adopted and are to be given a key: until `due_until`, and until they have used one. */
const adoptionTables: Migration = {
  name: 'gateway-36-adoption',
  up: [
    `create table waiting_frames (serial text primary key, first_at integer not null, last_at integer not null, asks integer not null, model text,
       firmware text, width integer, height integer, panel text, address text, token_hash text)`,
    'create index waiting_frames_by_time on waiting_frames (last_at)',
    `create table frame_keys (serial text primary key references frames(serial), due_until integer not null, given_at integer, token_hash text)`,
  ],
};

/**
 * `asking_frames` are devices that asked, one row for each of those that name themselves alike. A key is due to the device that
 * was seen when its frame was adopted: to `address` and `token_hash` of `frame_keys`, which are null where none was seen.
 * `taken_at` is the time at which the answer with the key was seen to arrive.
 */
const askingTables: Migration = {
  name: 'gateway-62-asking-frames',
  up: (db) => [
    `create table asking_frames (serial text not null, asker text not null, first_at integer not null, last_at integer not null,
       asks integer not null, model text, firmware text, width integer, height integer, panel text, address text, token_hash text,
       primary key (serial, asker))`,
    'create index asking_frames_by_time on asking_frames (last_at)',
    'alter table frame_keys add column address text',
    `alter table frame_keys add column taken_at ${wholeNumbers(db)}`,
  ],
};

/** Devices that ask do so again within a quarter of an hour, so that nothing is carried over. */
const withoutWaiting: Migration = {
  name: 'gateway-63-without-waiting-frames',
  kind: 'contract',
  up: ['drop table waiting_frames'],
};

/** All of them. A new one is added here and nowhere else. */
export const adoptionMigrations: readonly Migration[] = [adoptionTables, askingTables, withoutWaiting];
