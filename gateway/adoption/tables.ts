/** The tables of frames that ask by themselves: those that wait, and the keys that adopted ones are due. */
import { createTable, isPostgres, type Migration } from '../../runtime/database.ts';

/**
 * `waiting_frames` are devices that asked and are nobody's: `token_hash` is the digest of a key that another server gave
 * them. `frame_keys` are frames that were adopted and are to be given a key: until `due_until`, and until they have used
 * one.
 */
export const adoptionMigrations: readonly Migration[] = [
  {
    name: 'gateway-36-adoption',
    async up(db) {
      const time = isPostgres(db) ? 'bigint' : 'integer';
      await createTable(
        db,
        'waiting_frames',
        `serial text primary key, first_at ${time} not null, last_at ${time} not null, asks integer not null, model text,
         firmware text, width integer, height integer, panel text, address text, token_hash text`,
      );
      await db.raw('create index waiting_frames_by_time on waiting_frames (last_at)');
      await createTable(
        db,
        'frame_keys',
        `serial text primary key references frames(serial), due_until ${time} not null, given_at ${time}, token_hash text`,
      );
    },
  },
];
