/** Grants, connections and the requests pushed over them. */
import { createTable, type Migration } from '../../gateway/runtime/database.ts';

/** Grants are kept as hashes only; a connection's tokens as hash for look-up and sealed for being returned (F15). */
export const integrationTables: Migration = {
  name: 'api-04-integration',
  async up(db) {
    await createTable(
      db,
      'grants',
      `id text primary key, hash text not null unique, user_id text not null, paper_id text not null,
       config_url text not null, settings_url text not null, created_at integer not null, expires_at integer not null,
       ended_at integer`,
    );
    await db.raw('create index grants_by_owner on grants (user_id, paper_id)');
    await createTable(
      db,
      'connections',
      `id text primary key, paper_id text not null, user_id text not null, organization_id text not null,
       generation integer not null, name text not null, token_hash text not null unique, token_sealed text not null,
       callback_token_sealed text not null, config_url text not null, settings_url text not null,
       render_url text not null, callback_url text not null, created_at integer not null, updated_at integer not null,
       revoked_at integer, unique (paper_id, user_id)`,
    );
    await createTable(
      db,
      'content_requests',
      `id text primary key, connection_id text not null references connections(id), generation integer not null,
       paper_id text not null, message_id text not null, content_hash text not null, state text not null,
       sequence integer not null, text text not null, image_key text, created_at integer not null,
       accepted_at integer, updated_at integer not null, due_at integer,
       unique (connection_id, generation, message_id)`,
    );
    await db.raw('create index content_requests_due on content_requests (due_at) where due_at is not null');
    await db.raw('create index content_requests_by_paper on content_requests (paper_id, state)');
  },
};

/**
 * Only what newer content may still end is looked up by paper. An index of all requests has two pages to write for each
 * submission, one where its request was and one where it is now: a third of what a commit of submissions wrote.
 */
export const replaceableRequests: Migration = {
  name: 'api-15-replaceable-requests',
  async up(db) {
    await db.raw('drop index content_requests_by_paper');
    await db.raw(
      `create index content_requests_replaceable on content_requests (paper_id, sequence)
         where state in ('accepted', 'active', 'closed')`,
    );
  },
};
