/** The tables of frames that ask by themselves: those that wait, and the keys that adopted ones are due. */
import type { Migration } from '../../runtime/database.ts';

/**
 * `waiting_frames` are devices that asked and are nobody's: `token_hash` is the digest of a key that another server gave
 * them. `frame_keys` are frames that were adopted and are to be given a key: until `due_until`, and until they have used
 * one.
 */
export const adoptionMigrations: readonly Migration[] = [
  {
    name: 'gateway-36-adoption',
    up: [
      `create table waiting_frames (serial text primary key, first_at integer not null, last_at integer not null, asks integer not null, model text,
         firmware text, width integer, height integer, panel text, address text, token_hash text)`,
      'create index waiting_frames_by_time on waiting_frames (last_at)',
      `create table frame_keys (serial text primary key references frames(serial), due_until integer not null, given_at integer, token_hash text)`,
    ],
  },
];
