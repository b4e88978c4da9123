/** The tables of frames: identity, last report, present cycle, certificates and events. */
import { type Migration, wholeNumbers } from '../../runtime/migration.ts';
import { eventDayMigrations } from './event-days.ts';
import { presenceTables } from './presence-tables.ts';

/**
 * `serial` is lower case, `spelling` is the serial as it was provisioned (W-35). `reported_version` is the version that
 * the frame reported, `announced_version` the largest that was ever announced to it (INV-32). `cycle_upload` survives
 * reconnect and restart (W-14).
 */
const frameTables: Migration = {
  name: 'gateway-01-frames',
  up: [
    `create table frames (serial text primary key, spelling text not null, kind text not null, dialect text, activation text not null,
       activated_answer_at integer, password_hash text, sleep_seconds integer not null,
       reported_version integer not null, announced_version integer not null, picture_synced integer,
       glass_sha256 text, firmware text, panel text, battery_mv integer, rssi integer, orientation integer, wake text,
       boot integer, last_contact_at integer, last_full_wake_at integer, asleep_until integer, cycle_upload text,
       cycle_started_at integer, last_failure text, created_at integer not null, updated_at integer not null)`,
    `create table frame_certificates (fingerprint text primary key, serial text not null references frames(serial), created_at integer not null,
       expires_at integer not null, revoked_at integer)`,
    `create table frame_events (id text primary key, serial text not null, type text not null, at integer not null, payload text not null)`,
    'create index frame_events_by_serial on frame_events (serial, at)',
  ],
};

/**
 * `ownership` of a frame grows each time it changes hands; its offers and events carry the `ownership` of their time
 * (T-63).
 */
const ownershipTables: Migration = {
  name: 'gateway-11-ownership',
  kind: 'contract',
  up: ['frames', 'frame_events', 'uploads'].map(
    (table) => `alter table ${table} add column ownership integer not null default 1`,
  ),
};

/** `kept_sleep_seconds` is what the frame last said it keeps; null when it never did. */
const settingTables: Migration = {
  name: 'gateway-06-settings',
  up: ['alter table frames add column kept_sleep_seconds integer'],
};

/** `update_schedule` is an `UpdateSchedule` as JSON; null without update windows. */
const updateWindowTables: Migration = {
  name: 'gateway-07-update-windows',
  up: ['alter table frames add column update_schedule text'],
};

/** `flags` are a person's `ClassicFlags` as JSON; null where nobody said any. */
const flagTables: Migration = {
  name: 'gateway-13-flags',
  up: ['alter table frames add column flags text'],
};

/** This index finds the certificates of frames in a list. */
const certificateIndex: Migration = {
  name: 'gateway-15-certificates-by-serial',
  up: ['create index frame_certificates_by_serial on frame_certificates (serial)'],
};

/**
 * `ownership` and `password_ownership` say under which ownership an owner made a credential, which ends with it (T-63);
 * null for those that the operator made.
 */
const ownedCredentials: Migration = {
  name: 'gateway-17-owned-credentials',
  kind: 'contract',
  up: [
    'alter table frame_certificates add column ownership integer',
    'alter table frames add column password_ownership integer',
  ],
};

/**
 * `session_epoch` counts the wakes of a frame. A session carries the number of its own wake: where the frame's is higher
 * it has woken in another session since, and what the older one says proves nothing.
 */
const sessionEpochs: Migration = {
  name: 'gateway-20-session-epochs',
  kind: 'contract',
  up: (db) => [`alter table frames add column session_epoch ${wholeNumbers(db)} not null default 0`],
};

/** `prove_soon` is 1 for a frame that is to wake soon after a new picture, where only the next wake proves it. */
const proofTables: Migration = {
  name: 'gateway-39-prove-soon',
  up: ['alter table frames add column prove_soon integer'],
};

/** HomePlate's log names its frame by the key alone. */
const keyIndex: Migration = {
  name: 'gateway-40-frames-by-key',
  up: ['create index frames_by_key on frames (password_hash) where password_hash is not null'],
};

/**
 * `simulated_frames` are frames without a board, which the service plays itself: `sealed` is the password of each, `flash`
 * what it keeps while it sleeps, `pressed_at` when somebody pressed its button.
 */
const simulatedTables: Migration = {
  name: 'gateway-41-simulated-frames',
  up: [
    `create table simulated_frames (serial text primary key references frames(serial), dialect text not null, orientation text not null,
       sealed text not null, flash text, pressed_at integer, made_at integer not null)`,
  ],
};

/** All of them. A new one is added here and nowhere else. */
export const frameMigrations: readonly Migration[] = [
  frameTables,
  ownershipTables,
  ...presenceTables,
  settingTables,
  updateWindowTables,
  flagTables,
  certificateIndex,
  ownedCredentials,
  sessionEpochs,
  proofTables,
  keyIndex,
  simulatedTables,
  ...eventDayMigrations,
];
