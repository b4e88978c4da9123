/** The table of what pages were given to show, as far as it says when they change. */
import { laterTables, type Migration } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** The events that the page of an integration was given last. */
const eventTimes = defineTable('event_times', {
  paper_id: 'text primary key references papers(id) on delete cascade',
  // JSON of a list of pairs, begin and end in epoch milliseconds.
  events: 'text not null',
  read_at: 'integer not null',
});

/** The tables of this subject. */
export const plannedTables = [eventTimes] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const plannedMigrations: readonly Migration[] = [
  laterTables('planned-changes', plannedTables),
  {
    // Devices that were there before are planned for once. Frames list the table of plans, and come before this in the list.
    name: 'plans-due-tables-2-devices',
    up: [
      'insert into plans_due (place, due_at, marks) select id, 0, 1 from devices where true on conflict (place) do nothing',
    ],
  },
];
