/** The outbox: status events, written in the transaction of the change that they report. */
import { type Migration, wholeNumbers } from '../../runtime/migration.ts';
import { dueColumns } from './due-events.ts';

/**
 * `body` is stored as sent, so that every attempt is byte-identical (INV-59). `due_at` is null when the event is
 * delivered or dropped.
 */
const callbackTables: Migration = {
  name: 'api-06-callbacks',
  up: [
    `create table callback_events (id text primary key, connection_id text not null references connections(id), generation integer not null,
       request_id text not null, delivery_id text, state text not null, body text not null, attempts integer not null,
       due_at integer, created_at integer not null, delivered_at integer, problem text)`,
    'create index callback_events_due on callback_events (due_at) where due_at is not null',
  ],
};

/**
 * Due events are looked up by connection, so that one connection's long backlog is not read for the others (INV-62).
 */
const callbackQueues: Migration = {
  name: 'api-17-callback-turns',
  up: [
    'drop index callback_events_due',
    `create index callback_events_turns on callback_events (${dueColumns}) where due_at is not null`,
  ],
};

/**
 * Each attempt is kept with its event, for whoever writes a receiver. Events are listed by connection, newest first; those
 * that wait have an index by connection already, and a second one would make an acceptance a twentieth dearer.
 */
const callbackAttempts: Migration = {
  name: 'api-24-callback-attempts',
  up: [
    "alter table callback_events add column tried text not null default '[]'",
    'create index callback_events_ended on callback_events (connection_id, id) where due_at is null',
  ],
};

/** `claimed_by` names the node that sends the event; null where the service is one process, and while nobody does. */
const callbackClaims: Migration = {
  name: 'api-30-callback-claims',
  up: [
    'alter table callback_events add column claimed_by text',
    'create index callback_events_claimed on callback_events (claimed_by) where claimed_by is not null',
  ],
};

/** When an event was tried last: open pages are told of attempts. An event that was never tried is not in the index. */
const callbackTries: Migration = {
  name: 'api-61-callback-tries',
  up: (db) => [
    `alter table callback_events add column tried_at ${wholeNumbers(db)}`,
    'create index callback_events_tried on callback_events (tried_at) where tried_at is not null',
  ],
};

/** All of them. A new one is added here and nowhere else. */
export const callbackMigrations: readonly Migration[] = [
  callbackTables,
  callbackQueues,
  callbackAttempts,
  callbackClaims,
  callbackTries,
];
