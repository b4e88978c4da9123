/** The outbox: status events, written in the transaction of the change that they report. */
import { baseline, type Migration, wholeNumbers } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** Events that an integration asked for are found by their place in its list; those without a place are looked for apart. */
const listIndexes = [
  'create index callback_events_listed on callback_events (connection_id, listed) where listed is not null',
  'create index callback_events_unlisted on callback_events (connection_id, generation, id) where due_at is null and listed is null',
];

/**
 * Due events are looked up by connection, so that one connection's long backlog is not read for the others (INV-62).
 * Events are listed by connection, newest first; those that wait have an index by connection already, and a second one
 * would make an acceptance a twentieth dearer. An event that was never tried is not in the index of those that were.
 */
const callbackEvents = defineTable(
  'callback_events',
  {
    id: 'text primary key',
    connection_id: 'text not null references connections(id)',
    generation: 'integer not null',
    request_id: 'text not null',
    delivery_id: 'text',
    state: 'text not null',
    // Stored as sent, so that every attempt is byte-identical (INV-59).
    body: 'text not null',
    attempts: 'integer not null',
    // Null when the event is delivered or dropped.
    due_at: 'integer',
    created_at: 'integer not null',
    delivered_at: 'integer',
    problem: 'text',
    // Each attempt, as a JSON list, for anyone who writes a receiver.
    tried: `text not null default '[]'`,
    // The node that sends the event; null while nobody does, and in a process alone.
    claimed_by: 'text',
    // When it was tried last: open pages show attempts.
    tried_at: 'integer',
    // Its place in the list of its connection's events; null until the integration asks for them (`list-events.ts`).
    listed: 'integer',
  },
  [
    'create index callback_events_turns on callback_events (connection_id, (case when attempts = 0 then 0 else 1 end), due_at, id) where due_at is not null',
    'create index callback_events_ended on callback_events (connection_id, id) where due_at is null',
    'create index callback_events_claimed on callback_events (claimed_by) where claimed_by is not null',
    'create index callback_events_tried on callback_events (tried_at) where tried_at is not null',
    ...listIndexes,
  ],
);

/** The tables of this subject. */
export const callbacksTables = [callbackEvents] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const callbackMigrations: readonly Migration[] = [
  baseline('callbacks', callbacksTables),
  {
    name: 'callbacks-2-listed',
    declaredIn: 'callbacks-baseline',
    up: (db) => [`alter table callback_events add column listed ${wholeNumbers(db)}`, ...listIndexes],
  },
];
