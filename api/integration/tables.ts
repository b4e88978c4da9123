/** Grants, connections and the requests pushed over them. */
import { type Migration, wholeNumbers } from '../../runtime/migration.ts';
import { redirectTokenTables } from './settings-frame/redirect-tokens.ts';

/**
 * Grants are kept as hashes only. A connection's tokens are kept as a hash for look-up, and sealed to be returned
 * (FACT-15).
 */
const integrationTables: Migration = {
  name: 'api-04-integration',
  up: [
    `create table grants (id text primary key, hash text not null unique, user_id text not null, paper_id text not null,
       config_url text not null, settings_url text not null, created_at integer not null, expires_at integer not null,
       ended_at integer)`,
    'create index grants_by_owner on grants (user_id, paper_id)',
    `create table connections (id text primary key, paper_id text not null, user_id text not null, organization_id text not null,
       generation integer not null, name text not null, token_hash text not null unique, token_sealed text not null,
       callback_token_sealed text not null, config_url text not null, settings_url text not null,
       render_url text not null, callback_url text not null, created_at integer not null, updated_at integer not null,
       revoked_at integer, unique (paper_id, user_id))`,
    `create table content_requests (id text primary key, connection_id text not null references connections(id), generation integer not null,
       paper_id text not null, message_id text not null, content_hash text not null, state text not null,
       sequence integer not null, text text not null, image_key text, created_at integer not null,
       accepted_at integer, updated_at integer not null, due_at integer,
       unique (connection_id, generation, message_id))`,
    'create index content_requests_due on content_requests (due_at) where due_at is not null',
    'create index content_requests_by_paper on content_requests (paper_id, state)',
  ],
};

/**
 * `changed_at` is the time when a change of the paper ended a connection for good; it then takes a new grant (INV-57).
 */
const endedConnections: Migration = {
  name: 'api-19-ended-connections',
  up: (db) => [`alter table connections add column changed_at ${wholeNumbers(db)}`],
};

/**
 * Requests are looked up by paper only if newer content may still end them. An index of all requests has two pages to
 * write for each submission, the request's old place and its new one: a third of what a commit of submissions wrote.
 */
const replaceableRequests: Migration = {
  name: 'api-15-replaceable-requests',
  up: [
    'drop index content_requests_by_paper',
    `create index content_requests_replaceable on content_requests (paper_id, sequence)
         where state in ('accepted', 'active', 'closed')`,
  ],
};

/** All of them. A new one is added here and nowhere else. */
export const integrationMigrations: readonly Migration[] = [
  integrationTables,
  endedConnections,
  replaceableRequests,
  redirectTokenTables,
];
