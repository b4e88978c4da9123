/** The tables of organizations, the people in them, and their keys. */
import { type Migration, wholeNumbers } from '../../runtime/migration.ts';

/** A person is an account; a user is that account's membership in one organization. */
const directoryTables: Migration = {
  name: 'api-01-directory',
  up: [
    `create table organizations (id text primary key, name text not null, email text not null, kind text, meta text not null,
       created_at integer not null, updated_at integer not null)`,
    `create table accounts (id text primary key, subject text not null unique, email text not null, first_name text, last_name text,
       created_at integer not null, updated_at integer not null)`,
    `create table users (id text primary key, account_id text not null references accounts(id),
       organization_id text not null references organizations(id), name text not null, email text not null,
       category text, role text not null, timezone text, avatar text, meta text not null, invite_code text,
       created_at integer not null, updated_at integer not null, unique (account_id, organization_id))`,
    `create table api_keys (id text primary key, user_id text not null references users(id), hash text not null unique, name text not null,
       created_at integer not null)`,
  ],
};

/** Sealed codes of invitations, so that admins can see them again, and the fields that people keep about themselves. */
const accountTables: Migration = {
  name: 'api-18-accounts',
  up: [
    'alter table users add column invite_sealed text',
    "alter table accounts add column meta text not null default '{}'",
  ],
};

/** `invite_until` is the time until which an invitation's code works, in epoch milliseconds. */
const invitationTables: Migration = {
  name: 'api-08-invitations',
  up: (db) => [
    `alter table users add column invite_until ${wholeNumbers(db)}`,
    'create index users_by_invite_code on users (invite_code) where invite_code is not null',
  ],
};

/** Sessions of browsers, and the codes of sign-in links. Hashes alone are stored; times are epoch milliseconds. */
const sessionTables: Migration = {
  name: 'api-22-sessions',
  up: [
    `create table sessions (id text primary key, account_id text not null references accounts(id) on delete cascade, hash text not null unique,
       browser text, created_at integer not null, used_at integer not null, ends_at integer not null)`,
    `create table sign_in_codes (hash text primary key, account_id text references accounts(id) on delete cascade, ends_at integer not null)`,
  ],
};

/** A session that began with an API key ends with it. */
const keySessionTables: Migration = {
  name: 'api-23-key-sessions',
  up: ['alter table sessions add column key_id text references api_keys(id) on delete cascade'],
};

/** Sign-ins with the identity provider that came back: each state works once. `ends_at` is in epoch milliseconds. */
const returnedTables: Migration = {
  name: 'api-43-returned-sign-ins',
  up: ['create table returned_sign_ins (state_hash text primary key, ends_at integer not null)'],
};

/**
 * `vouched_by` is the organization that another one was made from, or by which an account came: the root, however long
 * the chain, so that a call's allowance is found where the call is recognized.
 */
const voucherTables: Migration = {
  name: 'api-41-vouchers',
  up: [
    'alter table organizations add column vouched_by text',
    'alter table accounts add column vouched_by text',
    'create index organizations_by_voucher on organizations (vouched_by) where vouched_by is not null',
  ],
};

/**
 * `idle_ms` is the time without use after which a session ends that its person keeps; null for the usual one. `way` is how
 * it began. `organization_id` is the one organization that a session, key or passkey opens (T-104), null for all of the
 * account's. A passkey that began in a session with an API key ends with the key, and a session with its passkey.
 */
const passkeyTables: Migration = {
  name: 'api-53-passkeys',
  up: (db) => [
    `create table passkeys (id text primary key, account_id text not null references accounts(id) on delete cascade,
       organization_id text references organizations(id) on delete cascade, key_id text references api_keys(id) on delete cascade,
       credential_id text not null, rp_id text not null, public_key text not null, counter integer not null, transports text not null,
       name text not null, created_at integer not null, used_at integer, blocked_at integer, unique (credential_id, rp_id))`,
    'create index passkeys_by_account on passkeys (account_id)',
    `create table passkey_challenges (hash text primary key, account_id text references accounts(id) on delete cascade, rp_id text not null,
       ends_at integer not null)`,
    'create index passkey_challenges_by_end on passkey_challenges (ends_at)',
    `alter table sessions add column idle_ms ${wholeNumbers(db)}`,
    'alter table sessions add column way text',
    'alter table sessions add column organization_id text references organizations(id) on delete cascade',
    'alter table sessions add column passkey_id text references passkeys(id) on delete cascade',
    'alter table api_keys add column organization_id text references organizations(id) on delete cascade',
  ],
};

/**
 * `sign_in_links` are links that somebody else made for an account, or that were sent by mail: `made_by` is the user who
 * made it, `browser_hash` of what the browser holds that asked for it. `pairings` let a second browser in: `code_hash` is
 * of what the first one shows, `ticket_hash` of what the second one holds once it has opened it.
 */
const linkTables: Migration = {
  name: 'api-54-sign-in-links',
  up: [
    `create table sign_in_links (id text primary key, hash text not null unique, account_id text not null references accounts(id) on delete cascade,
       organization_id text not null references organizations(id) on delete cascade, made_by text, browser_hash text,
       created_at integer not null, ends_at integer not null, used_at integer)`,
    'create index sign_in_links_by_account on sign_in_links (account_id, created_at)',
    'create index sign_in_links_by_end on sign_in_links (ends_at)',
    `create table pairings (id text primary key, session_id text not null references sessions(id) on delete cascade, code_hash text not null unique,
       ticket_hash text unique, number integer, choices text, browser text, state text not null, ends_at integer not null)`,
    'create index pairings_by_session on pairings (session_id)',
  ],
};

/**
 * Devices and papers that members see whose role does not show them everything. A link ends with either of the two, and
 * when one of them moves to another organization.
 */
const viewerTables: Migration = {
  name: 'api-57-viewers',
  up: ['device', 'paper'].flatMap((record) => [
    `create table ${record}_viewers (user_id text not null references users(id) on delete cascade,
       ${record}_id text not null references ${record}s(id) on delete cascade, created_at integer not null,
       primary key (user_id, ${record}_id))`,
    `create index ${record}_viewers_by_${record} on ${record}_viewers (${record}_id)`,
  ]),
};

/** All of them. A new one is added here and nowhere else. */
export const directoryMigrations: readonly Migration[] = [
  directoryTables,
  accountTables,
  invitationTables,
  sessionTables,
  keySessionTables,
  returnedTables,
  voucherTables,
  passkeyTables,
  linkTables,
  viewerTables,
];
