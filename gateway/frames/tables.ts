/** The tables of frames: identity, last report, present cycle, certificates and events. */
import { baseline, type Migration } from '../../runtime/migration.ts';
import { defineTable } from '../../runtime/table.ts';
import { eventDayBaseline } from './event-days.ts';
import { presenceMigrations } from './presence-tables.ts';

/**
 * `serial` is lower case, `spelling` is the serial as it was provisioned (W-35). `reported_version` is the version
 * that the frame reported, `announced_version` the largest that was ever announced to it (INV-32). `cycle_upload`
 * survives reconnect and restart (W-14). `kept_sleep_seconds` is what the frame last said it keeps; null when it never
 * did. `update_schedule` is an `UpdateSchedule` as JSON; null without update windows. `flags` are a person's
 * `ClassicFlags` as JSON; null where nobody said any. `ownership` and `password_ownership` say under which ownership
 * an owner made a credential, which ends with it (T-63); null for those that the operator made. `session_epoch` counts
 * the wakes of a frame. A session carries the number of its own wake: where the frame's is higher it has woken in
 * another session since, and what the older one says proves nothing. `prove_soon` is 1 for a frame that is to wake
 * soon after a new picture, where only the next wake proves it. HomePlate's log names its frame by the key alone.
 */
const frames = defineTable(
  'frames',
  {
    serial: 'text primary key',
    // The serial as it was written when the frame was provisioned.
    spelling: 'text not null',
    kind: 'text not null',
    // Name of the dialect that the frame used last.
    dialect: 'text',
    activation: 'text not null',
    activated_answer_at: 'integer',
    password_hash: 'text',
    sleep_seconds: 'integer not null',
    reported_version: 'integer not null',
    announced_version: 'integer not null',
    picture_synced: 'integer',
    glass_sha256: 'text',
    firmware: 'text',
    panel: 'text',
    battery_mv: 'integer',
    rssi: 'integer',
    orientation: 'integer',
    wake: 'text',
    boot: 'integer',
    last_contact_at: 'integer',
    last_full_wake_at: 'integer',
    asleep_until: 'integer',
    cycle_upload: 'text',
    cycle_started_at: 'integer',
    last_failure: 'text',
    created_at: 'integer not null',
    updated_at: 'integer not null',
    kept_sleep_seconds: 'integer',
    update_schedule: 'text',
    // A number that grows each time the frame changes hands (T-63).
    ownership: 'integer not null default 1',
    flags: 'text',
    // The ownership under which an owner set the password; null for one that the operator set.
    password_ownership: 'integer',
    // A number that grows with each wake: a session whose wake was an earlier one is superseded.
    session_epoch: 'integer not null default 0',
    prove_soon: 'integer',
  },
  [
    'create index frames_by_wake on frames (asleep_until) where asleep_until is not null',
    'create index frames_by_key on frames (password_hash) where password_hash is not null',
  ],
);

/**
 * `serial` is lower case, `spelling` is the serial as it was provisioned (W-35). `ownership` and `password_ownership`
 * say under which ownership an owner made a credential, which ends with it (T-63); null for those that the operator
 * made.
 */
const frameCertificates = defineTable(
  'frame_certificates',
  {
    fingerprint: 'text primary key',
    serial: 'text not null references frames(serial)',
    created_at: 'integer not null',
    expires_at: 'integer not null',
    revoked_at: 'integer',
    // The ownership under which an owner had it made; null for one that the operator made.
    ownership: 'integer',
  },
  [
    'create index frame_certificates_by_serial on frame_certificates (serial)',
    'create index frame_certificates_ending on frame_certificates (expires_at) where revoked_at is null',
  ],
);

/**
 * `ownership` is the frame's at the time of the event (T-63). On PostgreSQL the table is divided by days (event-days.ts).
 */
const frameEvents = defineTable(
  'frame_events',
  {
    id: 'text primary key',
    serial: 'text not null',
    type: 'text not null',
    at: 'integer not null',
    payload: 'text not null',
    ownership: 'integer not null default 1',
  },
  ['create index frame_events_by_serial on frame_events (serial, at)'],
);

/**
 * `simulated_frames` are frames without a board, which the service plays itself: `sealed` is the password of each,
 * `flash` what it keeps while it sleeps, `pressed_at` when somebody pressed its button.
 */
const simulatedFrames = defineTable('simulated_frames', {
  serial: 'text primary key references frames(serial)',
  dialect: 'text not null',
  orientation: 'text not null',
  // Its password, sealed.
  sealed: 'text not null',
  // What it keeps while it sleeps, as JSON of the simulation; null before its first sleep.
  flash: 'text',
  // When somebody pressed its button last.
  pressed_at: 'integer',
  made_at: 'integer not null',
});

/** The tables of this subject. */
export const framesTables = [frames, frameCertificates, frameEvents, simulatedFrames] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const frameMigrations: readonly Migration[] = [
  baseline('frames', framesTables),
  ...presenceMigrations,
  eventDayBaseline,
];
