/** The tables of organizations, the people in them, and their keys. */
import { baseline, type Migration } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** Organizations. Times are epoch milliseconds. */
const organizations = defineTable(
  'organizations',
  {
    id: 'text primary key',
    name: 'text not null',
    email: 'text not null',
    kind: 'text',
    // JSON.
    meta: 'text not null',
    created_at: 'integer not null',
    updated_at: 'integer not null',
    // The root of those it was made from, whose allowance it shares; null for one that vouches for itself.
    vouched_by: 'text',
  },
  ['create index organizations_by_voucher on organizations (vouched_by) where vouched_by is not null'],
);

/**
 * A person is an account; a user is that account's membership in one organization. Times are epoch milliseconds.
 */
const accounts = defineTable('accounts', {
  id: 'text primary key',
  // The account's own id, or `issuer|subject` of the identity provider.
  subject: 'text not null unique',
  email: 'text not null',
  first_name: 'text',
  last_name: 'text',
  created_at: 'integer not null',
  updated_at: 'integer not null',
  // JSON: fields that people keep about themselves.
  meta: `text not null default '{}'`,
  // The organization by which it came here; null for one that the identity provider alone vouches for.
  vouched_by: 'text',
});

/** One account's membership in one organization. Times are epoch milliseconds. */
const users = defineTable(
  'users',
  {
    id: 'text primary key',
    account_id: 'text not null references accounts(id)',
    organization_id: 'text not null references organizations(id)',
    name: 'text not null',
    email: 'text not null',
    category: 'text',
    role: 'text not null',
    timezone: 'text',
    avatar: 'text',
    // JSON: fields that people keep about themselves.
    meta: 'text not null',
    // The hash of a code: a person who redeems it before `invite_until` becomes this user.
    invite_code: 'text',
    created_at: 'integer not null',
    updated_at: 'integer not null',
    invite_until: 'integer',
    // The code itself, so that admins can see it again.
    invite_sealed: 'text',
  },
  [
    'unique (account_id, organization_id)',
    'create index users_by_invite_code on users (invite_code) where invite_code is not null',
  ],
);

/** Keys, as hashes alone. Times are epoch milliseconds. */
const apiKeys = defineTable('api_keys', {
  id: 'text primary key',
  user_id: 'text not null references users(id)',
  hash: 'text not null unique',
  name: 'text not null',
  created_at: 'integer not null',
  // The one organization that it opens (T-104); null for all of its account's.
  organization_id: 'text references organizations(id) on delete cascade',
});

/** Sessions of browsers, as hashes alone. Times are epoch milliseconds. */
const sessions = defineTable('sessions', {
  id: 'text primary key',
  account_id: 'text not null references accounts(id) on delete cascade',
  hash: 'text not null unique',
  // What the browser says of itself.
  browser: 'text',
  created_at: 'integer not null',
  used_at: 'integer not null',
  ends_at: 'integer not null',
  // The API key by which it began, if one did: it ends with the key.
  key_id: 'text references api_keys(id) on delete cascade',
  // The time without use after which it ends, where its person keeps it; null for the usual one.
  idle_ms: 'integer',
  // How it began; null for one of a release that did not write it down.
  way: 'text',
  // The one organization that it opens (T-104); null for all of its account's.
  organization_id: 'text references organizations(id) on delete cascade',
  // The passkey by which it began, if one did: it ends with the passkey.
  passkey_id: 'text references passkeys(id) on delete cascade',
});

/** The codes of sign-in links, as hashes alone. Times are epoch milliseconds. */
const signInCodes = defineTable('sign_in_codes', {
  hash: 'text primary key',
  // Null for the code that makes the first organization.
  account_id: 'text references accounts(id) on delete cascade',
  ends_at: 'integer not null',
});

/** Sign-ins with the identity provider that came back: each state works once. `ends_at` is in epoch milliseconds. */
const returnedSignIns = defineTable('returned_sign_ins', {
  state_hash: 'text primary key',
  ends_at: 'integer not null',
});

/** Passkeys. Times are epoch milliseconds. */
const passkeys = defineTable(
  'passkeys',
  {
    id: 'text primary key',
    account_id: 'text not null references accounts(id) on delete cascade',
    // The one organization that it opens (T-104); null for all of its account's.
    organization_id: 'text references organizations(id) on delete cascade',
    // The API key by which the session began that made it: it ends with the key.
    key_id: 'text references api_keys(id) on delete cascade',
    credential_id: 'text not null',
    // The name of the service for which the browser keeps it.
    rp_id: 'text not null',
    // COSE, as base64url.
    public_key: 'text not null',
    // The number of signatures that the device reports; devices that share a passkey report 0.
    counter: 'integer not null',
    // A JSON list: how browsers reach the device.
    transports: 'text not null',
    name: 'text not null',
    created_at: 'integer not null',
    used_at: 'integer',
    // When it was seen that there may be a copy of it.
    blocked_at: 'integer',
  },
  ['unique (credential_id, rp_id)', 'create index passkeys_by_account on passkeys (account_id)'],
);

const passkeyChallenges = defineTable(
  'passkey_challenges',
  {
    hash: 'text primary key',
    account_id: 'text references accounts(id) on delete cascade',
    rp_id: 'text not null',
    ends_at: 'integer not null',
  },
  ['create index passkey_challenges_by_end on passkey_challenges (ends_at)'],
);

/** Links that somebody else made for an account, or that were sent by mail. Times are epoch milliseconds. */
const signInLinks = defineTable(
  'sign_in_links',
  {
    id: 'text primary key',
    hash: 'text not null unique',
    account_id: 'text not null references accounts(id) on delete cascade',
    organization_id: 'text not null references organizations(id) on delete cascade',
    // The user who made it; null for one that was sent by mail.
    made_by: 'text',
    // The hash of what the browser holds that asked for a link by mail; null for one that any browser may use.
    browser_hash: 'text',
    created_at: 'integer not null',
    ends_at: 'integer not null',
    used_at: 'integer',
  },
  [
    'create index sign_in_links_by_account on sign_in_links (account_id, created_at)',
    'create index sign_in_links_by_end on sign_in_links (ends_at)',
  ],
);

/** Pairings let a second browser in. */
const pairings = defineTable(
  'pairings',
  {
    id: 'text primary key',
    session_id: 'text not null references sessions(id) on delete cascade',
    // The hash of what the first browser shows.
    code_hash: 'text not null unique',
    // The hash of what the second one holds once it has opened it.
    ticket_hash: 'text unique',
    number: 'integer',
    // A JSON list of numbers, one of which is `number`.
    choices: 'text',
    // What the other browser says of itself.
    browser: 'text',
    state: 'text not null',
    ends_at: 'integer not null',
  },
  ['create index pairings_by_session on pairings (session_id)'],
);

/** The tables of this subject. */
export const directoryTables = [
  organizations,
  accounts,
  users,
  apiKeys,
  passkeys,
  sessions,
  signInCodes,
  returnedSignIns,
  passkeyChallenges,
  signInLinks,
  pairings,
] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const directoryMigrations: readonly Migration[] = [baseline('directory', directoryTables)];
