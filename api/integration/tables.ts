/** Grants, connections and the requests pushed over them. */
import { baseline, type Migration } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';
import { redirectTokens } from './settings-frame/redirect-tokens.ts';

/** Grants are kept as hashes only. */
const grants = defineTable(
  'grants',
  {
    id: 'text primary key',
    hash: 'text not null unique',
    user_id: 'text not null',
    paper_id: 'text not null',
    config_url: 'text not null',
    settings_url: 'text not null',
    created_at: 'integer not null',
    expires_at: 'integer not null',
    ended_at: 'integer',
  },
  ['create index grants_by_owner on grants (user_id, paper_id)'],
);

/** A connection's tokens are kept as a hash for look-up, and sealed to be returned (FACT-15). */
const connections = defineTable(
  'connections',
  {
    id: 'text primary key',
    paper_id: 'text not null',
    user_id: 'text not null',
    organization_id: 'text not null',
    generation: 'integer not null',
    name: 'text not null',
    token_hash: 'text not null unique',
    token_sealed: 'text not null',
    callback_token_sealed: 'text not null',
    config_url: 'text not null',
    settings_url: 'text not null',
    render_url: 'text not null',
    callback_url: 'text not null',
    created_at: 'integer not null',
    // The time when it was connected last; its end is given by the two times that follow.
    updated_at: 'integer not null',
    revoked_at: 'integer',
    // When a change of the paper ended it for good; it then takes a new grant (INV-57).
    changed_at: 'integer',
  },
  ['unique (paper_id, user_id)'],
);

/**
 * Requests are looked up by paper only if newer content may still end them. An index of all requests has two pages to
 * write for each submission, the request's old place and its new one: a third of what a commit of submissions wrote.
 */
const contentRequests = defineTable(
  'content_requests',
  {
    id: 'text primary key',
    connection_id: 'text not null references connections(id)',
    generation: 'integer not null',
    paper_id: 'text not null',
    message_id: 'text not null',
    content_hash: 'text not null',
    state: 'text not null',
    sequence: 'integer not null',
    text: 'text not null',
    image_key: 'text',
    created_at: 'integer not null',
    accepted_at: 'integer',
    updated_at: 'integer not null',
    due_at: 'integer',
  },
  [
    'unique (connection_id, generation, message_id)',
    'create index content_requests_due on content_requests (due_at) where due_at is not null',
    'create index content_requests_by_image on content_requests (image_key) where image_key is not null',
    `create index content_requests_replaceable on content_requests (paper_id, sequence) where state in ('accepted', 'active', 'closed')`,
  ],
);

/** The tables of this subject. */
export const integrationTables = [grants, connections, contentRequests, redirectTokens] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const integrationMigrations: readonly Migration[] = [baseline('integration', integrationTables)];
