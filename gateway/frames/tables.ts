/** The tables of frames: identity, last report, present cycle, certificates and events. */
import { baseline, laterTables, type Migration, wholeNumbers } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';
import { eventDayBaseline } from './event-days.ts';
import { presenceMigrations } from './presence-tables.ts';

/** Frames. Times are epoch milliseconds. */
const frames = defineTable(
  'frames',
  {
    // Lower case (W-35).
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
    // The version that the frame reported.
    reported_version: 'integer not null',
    // The largest that was ever announced to it (INV-32).
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
    // Survives reconnect and restart (W-14).
    cycle_upload: 'text',
    cycle_started_at: 'integer',
    last_failure: 'text',
    created_at: 'integer not null',
    updated_at: 'integer not null',
    // The sleep that the frame last reported to keep; null when it never did.
    kept_sleep_seconds: 'integer',
    // An `UpdateSchedule` as JSON; null without update windows.
    update_schedule: 'text',
    // A number that grows each time the frame changes hands (T-63).
    ownership: 'integer not null default 1',
    // A person's `ClassicFlags` as JSON; null where nobody set any.
    flags: 'text',
    // The ownership under which an owner set the password, which ends with it (T-63); null for one that the operator set.
    password_ownership: 'integer',
    // Counts its wakes. A session carries the number of its wake: where the frame's is higher, it proves nothing.
    session_epoch: 'integer not null default 0',
    // 1 for a frame that is to wake soon after a new picture, where only the next wake proves it.
    prove_soon: 'integer',
    // Lists of `PlannedChange` as JSON (planned-changes.ts); null where none is known.
    planned_changes: 'text',
    planned_deadlines: 'text',
    // The most wakes of a day that its owner allows; null where nobody set a bound.
    max_wakes_per_day: 'integer',
  },
  [
    'create index frames_by_wake on frames (asleep_until) where asleep_until is not null',
    // HomePlate's log names its frame by the key alone.
    'create index frames_by_key on frames (password_hash) where password_hash is not null',
  ],
);

/** Certificates of frames. Times are epoch milliseconds. */
const frameCertificates = defineTable(
  'frame_certificates',
  {
    fingerprint: 'text primary key',
    serial: 'text not null references frames(serial)',
    created_at: 'integer not null',
    expires_at: 'integer not null',
    revoked_at: 'integer',
    // The ownership under which an owner had it made, which ends with it (T-63); null for one that the operator made.
    ownership: 'integer',
  },
  [
    'create index frame_certificates_by_serial on frame_certificates (serial)',
    'create index frame_certificates_ending on frame_certificates (expires_at) where revoked_at is null',
  ],
);

/** On PostgreSQL the table is divided by days (event-days.ts). */
const frameEvents = defineTable(
  'frame_events',
  {
    id: 'text primary key',
    serial: 'text not null',
    type: 'text not null',
    at: 'integer not null',
    payload: 'text not null',
    // The frame's at the time of the event (T-63).
    ownership: 'integer not null default 1',
  },
  ['create index frame_events_by_serial on frame_events (serial, at)'],
);

/** Frames without a board, which the service plays itself. */
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

/** Papers and devices whose future is to be planned again. */
const plansDue = defineTable(
  'plans_due',
  {
    // The id of a paper or of a device.
    place: 'text primary key',
    // 0 where something was changed.
    due_at: 'integer not null',
    // Counts the changes, so that one that comes while it is planned is not overlooked.
    marks: 'integer not null',
  },
  ['create index plans_due_by_time on plans_due (due_at)'],
);

const firstTables = [frames, frameCertificates, frameEvents, simulatedFrames] as const;

/** The tables of this subject. */
export const framesTables = [...firstTables, plansDue] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const frameMigrations: readonly Migration[] = [
  baseline('frames', firstTables),
  ...presenceMigrations,
  eventDayBaseline,
  {
    name: 'frames-2-planned-changes',
    declaredIn: 'frames-baseline',
    up: ['alter table frames add column planned_changes text', 'alter table frames add column planned_deadlines text'],
  },
  laterTables('plans-due', [plansDue]),
  {
    name: 'frames-3-wakes-per-day',
    declaredIn: 'frames-baseline',
    up: (db) => [`alter table frames add column max_wakes_per_day ${wholeNumbers(db)}`],
  },
];
