/** The table of commands to frames. */
import type { Migration } from '../../runtime/database/database.ts';
import { baseline } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/**
 * A row is a command. At most one of each name waits for a frame, so that a person who sends it again and again makes
 * it happen once.
 */
const frameCommands = defineTable(
  'frame_commands',
  {
    id: 'text primary key',
    serial: 'text not null references frames(serial)',
    name: 'text not null',
    // JSON.
    data: 'text',
    state: 'text not null',
    created_at: 'integer not null',
    expires_at: 'integer not null',
    sent_at: 'integer',
    answered_at: 'integer',
    // JSON.
    answer: 'text',
  },
  [
    `create unique index frame_commands_waiting on frame_commands (serial, name) where state = 'queued'`,
    'create index frame_commands_by_age on frame_commands (created_at)',
  ],
);

/** The tables of this subject. */
export const commandsTables = [frameCommands] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const commandMigrations: readonly Migration[] = [baseline('commands', commandsTables)];
