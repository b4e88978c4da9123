/** The tables of deliveries, shown pictures and upload attempts, as migrations. */
import { baseline, type Migration, wholeNumbers } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/**
 * The indexes let a report find its frame's open deliveries, a request the devices of its paper in their order, and the
 * nightly pass the references to a file, each without reading rows that are merely stored. The index of failures holds
 * only those with a reason, so that an acceptance writes nothing into it.
 */
const deliveries = defineTable(
  'deliveries',
  {
    id: 'text primary key',
    request_id: 'text not null references content_requests(id)',
    paper_id: 'text not null',
    device_id: 'text not null',
    serial: 'text not null',
    assignment: 'integer not null',
    frame_name: 'text not null',
    state: 'text not null',
    upload_id: 'text',
    attempts: 'integer not null',
    reason: 'text',
    // Null once the state is terminal, so that a sweep reads due rows and no others.
    due_at: 'integer',
    created_at: 'integer not null',
    updated_at: 'integer not null',
    // The node that makes the present attempt (`claimTables`); null while nobody does, and in a process alone.
    claimed_by: 'text',
  },
  [
    'unique (request_id, device_id, assignment)',
    'create index deliveries_due on deliveries (due_at) where due_at is not null',
    'create index deliveries_by_request on deliveries (request_id)',
    'create index deliveries_open_by_serial on deliveries (serial) where due_at is not null',
    'create index deliveries_claimed on deliveries (claimed_by) where claimed_by is not null',
    'create index deliveries_failures on deliveries (device_id, updated_at) where reason is not null',
    `create index deliveries_failed on deliveries (request_id) where state = 'failed'`,
  ],
);

/** The last picture that each device was offered, or why offering fails, for papers that nobody pushes to. */
const shownPictures = defineTable(
  'shown_pictures',
  {
    device_id: 'text primary key',
    paper_id: 'text not null',
    revision: 'text not null',
    attempts: 'integer not null',
    due_at: 'integer not null',
    problem: 'text',
    updated_at: 'integer not null',
    // When to make a picture again that changes by itself.
    render_due_at: 'integer',
    // The wake that was last seen to.
    render_for: 'integer',
    // The moment for which the last picture was made; null for one from before that was stored.
    made_for: 'integer',
    // How often the picture was made.
    turn: 'integer not null default 0',
    // The edition of the paper that it was last made of, or tried; where they differ it is due again.
    edition: 'integer not null default 0',
    // Kept for `why`: a remark about a picture that was made all the same.
    remark: 'text',
  },
  [
    'create index shown_pictures_due on shown_pictures (render_due_at) where render_due_at is not null',
    'create index shown_pictures_failing on shown_pictures (device_id) where problem is not null',
  ],
);

/**
 * Attempts to give a device a picture (C-55), one row for each device that an upload or an offer was for. Times are
 * epoch milliseconds.
 */
const uploadAttempts = defineTable(
  'upload_attempts',
  {
    // What the uploader was answered, unless it is the offer's own id.
    attempt_id: 'text not null',
    device_id: 'text not null',
    paper_id: 'text',
    paper_kind: 'text',
    cause: 'text not null',
    // 0 or 1.
    forced: 'integer not null',
    // A percentage.
    similarity: 'real',
    // 0 or 1.
    skipped: 'integer not null',
    // The reasons why no picture could be made, as `storedReasons` writes them.
    problem: 'text',
    // The offer that the attempt led to.
    upload_id: 'text',
    started_at: 'integer not null',
    // Null while the picture is still to be offered.
    ended_at: 'integer',
    // The name, as it was then, of the person who sent the picture; null where nobody did.
    sender: 'text',
  },
  [
    'primary key (attempt_id, device_id)',
    'create index upload_attempts_by_device on upload_attempts (device_id, started_at)',
    'create index upload_attempts_by_upload on upload_attempts (upload_id) where upload_id is not null',
    'create index upload_attempts_open on upload_attempts (device_id, paper_id) where ended_at is null',
    'create index upload_attempts_by_age on upload_attempts (started_at)',
  ],
);

/**
 * Pictures of a paper or of a device's own, never both. Their indexes find the due ones, those open at a place, and the
 * references to a file. Times are epoch milliseconds.
 */
const timedPictures = defineTable(
  'timed_pictures',
  {
    id: 'text primary key',
    organization_id: 'text not null',
    paper_id: 'text',
    device_id: 'text',
    account_id: 'text not null',
    author: 'text not null',
    state: 'text not null',
    reason: 'text',
    picture_key: 'text',
    device_picture_key: 'text',
    editable_key: 'text',
    // JSON that goes into the paper's meta.
    settings: 'text',
    uuid: 'text',
    orientation: 'text',
    show_from: 'integer not null',
    // Null for a picture that stays.
    show_until: 'integer',
    // The next time at which something happens; null at the end. The files are named until then.
    due_at: 'integer',
    // Null before it was first shown.
    shown_at: 'integer',
    created_at: 'integer not null',
    updated_at: 'integer not null',
  },
  [
    'create index timed_pictures_due on timed_pictures (due_at) where due_at is not null',
    'create index timed_pictures_by_organization on timed_pictures (organization_id, show_from)',
    'create index timed_pictures_by_paper_id on timed_pictures (paper_id) where paper_id is not null',
    'create index timed_pictures_by_device_id on timed_pictures (device_id) where device_id is not null',
    'create index timed_pictures_by_picture_key on timed_pictures (picture_key) where picture_key is not null',
    'create index timed_pictures_by_device_picture_key on timed_pictures (device_picture_key) where device_picture_key is not null',
    'create index timed_pictures_by_editable_key on timed_pictures (editable_key) where editable_key is not null',
  ],
);

/**
 * The picture that covers a place, and what a paper had before; a device has its paper. Their indexes find what refers
 * to a file.
 */
const coveredPictures = defineTable(
  'covered_pictures',
  {
    place: 'text primary key',
    timed_id: 'text not null',
    picture_key: 'text',
    device_picture_key: 'text',
    editable_key: 'text',
    meta: 'text not null',
    picture_sender: 'text',
  },
  [
    'create index covered_pictures_by_picture_key on covered_pictures (picture_key) where picture_key is not null',
    'create index covered_pictures_by_device_picture_key on covered_pictures (device_picture_key) where device_picture_key is not null',
    'create index covered_pictures_by_editable_key on covered_pictures (editable_key) where editable_key is not null',
  ],
);

/** For nodes alone: which of them makes a picture, or what was made. */
const madePictures = defineTable('made_pictures', {
  // Names everything that the picture follows from.
  key: 'text primary key',
  // The node that makes the present attempt.
  claimed_by: 'text',
  claimed_until: 'integer not null',
  // Counts its claims.
  attempt: 'integer not null',
  // JSON.
  outcome: 'text',
  // 1 where the outcome is the reason for a missing picture.
  failed: 'integer not null',
  changed_at: 'integer not null',
});

/** The tables of this subject. */
export const deliveryTables = [
  deliveries,
  shownPictures,
  uploadAttempts,
  timedPictures,
  coveredPictures,
  madePictures,
] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const deliveryMigrations: readonly Migration[] = [
  baseline('delivery', deliveryTables),
  {
    name: 'delivery-2-made-for',
    declaredIn: 'delivery-baseline',
    up: (db) => [`alter table shown_pictures add column made_for ${wholeNumbers(db)}`],
  },
  {
    name: 'delivery-3-senders',
    declaredIn: 'delivery-baseline',
    up: [
      'alter table upload_attempts add column sender text',
      'alter table covered_pictures add column picture_sender text',
    ],
  },
];
