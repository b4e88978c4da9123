/** What frames were asked to do, and what became of it. */
import { createTable, type Migration } from '../runtime/database.ts';

/**
 * One row a command. `data` and `answer` are JSON texts. Of each name at most one waits for a frame, so that a person
 * who asks again and again makes it happen once.
 */
export const commandTables: Migration = {
  name: 'gateway-03-commands',
  async up(db) {
    await createTable(
      db,
      'frame_commands',
      `id text primary key, serial text not null references frames(serial), name text not null, data text,
       state text not null, created_at integer not null, expires_at integer not null, sent_at integer,
       answered_at integer, answer text`,
    );
    await db.raw(`create unique index frame_commands_waiting on frame_commands (serial, name) where state = 'queued'`);
    await db.raw('create index frame_commands_by_age on frame_commands (created_at)');
  },
};
