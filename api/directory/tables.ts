/** Organizations, the people in them, and their keys. */
import { createTable, isPostgres, type Migration } from '../../gateway/runtime/database.ts';

/** A person is an account; a user is that account's membership in one organization. */
export const directoryTables: Migration = {
  name: 'api-01-directory',
  async up(db) {
    await createTable(
      db,
      'organizations',
      `id text primary key, name text not null, email text not null, kind text, meta text not null,
       created_at integer not null, updated_at integer not null`,
    );
    await createTable(
      db,
      'accounts',
      `id text primary key, subject text not null unique, email text not null, first_name text, last_name text,
       created_at integer not null, updated_at integer not null`,
    );
    await createTable(
      db,
      'users',
      `id text primary key, account_id text not null references accounts(id),
       organization_id text not null references organizations(id), name text not null, email text not null,
       category text, role text not null, timezone text, avatar text, meta text not null, invite_code text,
       created_at integer not null, updated_at integer not null, unique (account_id, organization_id)`,
    );
    await createTable(
      db,
      'api_keys',
      `id text primary key, user_id text not null references users(id), hash text not null unique, name text not null,
       created_at integer not null`,
    );
  },
};

/** Until when the code of an invitation works; epoch milliseconds. */
export const invitationTables: Migration = {
  name: 'api-08-invitations',
  async up(db) {
    await db.raw(`alter table users add column invite_until ${isPostgres(db) ? 'bigint' : 'integer'}`);
    await db.raw('create index users_by_invite_code on users (invite_code) where invite_code is not null');
  },
};
