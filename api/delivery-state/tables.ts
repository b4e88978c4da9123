/** The tables of deliveries, shown pictures and upload attempts, as migrations. */
import { indexesOf, isPostgres, type Migration, wholeNumbers } from '../../runtime/migration.ts';

/**
 * `due_at` is null once the state is terminal, so that a sweep reads due rows and no others. `shown_pictures` holds the
 * last picture that each device was offered, or why offering fails, for papers that nobody pushes to.
 */
const deliveryTables: Migration = {
  name: 'api-05-deliveries',
  up: [
    `create table deliveries (id text primary key, request_id text not null references content_requests(id), paper_id text not null,
       device_id text not null, serial text not null, assignment integer not null, frame_name text not null,
       state text not null, upload_id text, attempts integer not null, reason text, due_at integer,
       created_at integer not null, updated_at integer not null, unique (request_id, device_id, assignment))`,
    `create table shown_pictures (device_id text primary key, paper_id text not null, revision text not null, attempts integer not null,
       due_at integer not null, problem text, updated_at integer not null)`,
    'create index deliveries_due on deliveries (due_at) where due_at is not null',
    'create index deliveries_by_request on deliveries (request_id)',
  ],
};

/**
 * Pictures that change by themselves: `render_due_at` is when to make one again, `render_for` the wake that was
 * last seen to, `turn` how often it was made. `schedule_due_at` of a paper is the next time its own schedule names.
 */
const renderAgainTables: Migration = {
  name: 'api-12-render-again',
  up: (db) => [
    `alter table shown_pictures add column render_due_at ${wholeNumbers(db)}`,
    `alter table shown_pictures add column render_for ${wholeNumbers(db)}`,
    `alter table shown_pictures add column turn ${wholeNumbers(db)} not null default 0`,
    `alter table papers add column schedule_due_at ${wholeNumbers(db)}`,
    'create index shown_pictures_due on shown_pictures (render_due_at) where render_due_at is not null',
    'create index papers_by_schedule on papers (schedule_due_at) where schedule_due_at is not null',
  ],
};

/**
 * `edition` of a paper counts the changes of what it is drawn from; that of a shown picture is the one it was last made
 * of, or tried. Where they differ the picture is due again.
 */
const editionTables: Migration = {
  name: 'api-13-editions',
  kind: 'contract',
  up: [
    'alter table papers add column edition integer not null default 0',
    'alter table shown_pictures add column edition integer not null default 0',
  ],
};

/**
 * A report finds its frame's open deliveries, a request the devices of its paper in their order, and the nightly pass
 * who refers to a file, each without reading what is merely stored.
 */
const deliveryIndexes: Migration = {
  name: 'api-07-what-is-due',
  up: [
    'create index deliveries_open_by_serial on deliveries (serial) where due_at is not null',
    'drop index devices_by_paper',
    'create index devices_by_paper on devices (paper_id, created_at, id)',
    'create index content_requests_by_image on content_requests (image_key) where image_key is not null',
  ],
};

/**
 * Attempts to give a device a picture (C-55), one row for each device that an upload or an offer was for. The uploader
 * was told `attempt_id`, unless it is the offer's own id; `upload_id` names the offer that the attempt led to.
 * `ended_at` is null while the picture is still to be offered; `problem` says why it could not be. `forced` and
 * `skipped` are 0 or 1, `similarity` is a percentage.
 */
const uploadAttemptTables: Migration = {
  name: 'api-14-upload-attempts',
  up: (db) => [
    `create table upload_attempts (attempt_id text not null, device_id text not null, paper_id text, paper_kind text, cause text not null,
       forced integer not null, similarity ${isPostgres(db) ? 'double precision' : 'real'}, skipped integer not null, problem text, upload_id text,
       started_at integer not null, ended_at integer, primary key (attempt_id, device_id))`,
    'create index upload_attempts_by_device on upload_attempts (device_id, started_at)',
    'create index upload_attempts_by_upload on upload_attempts (upload_id) where upload_id is not null',
    'create index upload_attempts_open on upload_attempts (device_id, paper_id) where ended_at is null',
    'create index upload_attempts_by_age on upload_attempts (started_at)',
  ],
};

/** The column `remark` keeps, for `why`, a remark about a picture that was made all the same. */
const remarkTables: Migration = {
  name: 'api-21-remarks',
  up: ['alter table shown_pictures add column remark text'],
};

/**
 * Pictures that are shown at a time, or until a time: see `TimedRow` and `CoverRow`. Their indexes find what is due, what
 * is open at a place, and who refers to a file.
 */
const timedPictureTables: Migration = {
  name: 'api-24-timed-pictures',
  up: [
    `create table timed_pictures (id text primary key, organization_id text not null, paper_id text, device_id text, account_id text not null,
       author text not null, state text not null, reason text, picture_key text, device_picture_key text,
       editable_key text, settings text, uuid text, orientation text, show_from integer not null, show_until integer,
       due_at integer, shown_at integer, created_at integer not null, updated_at integer not null)`,
    `create table covered_pictures (place text primary key, timed_id text not null, picture_key text, device_picture_key text, editable_key text,
       meta text not null)`,
    'create index timed_pictures_due on timed_pictures (due_at) where due_at is not null',
    'create index timed_pictures_by_organization on timed_pictures (organization_id, show_from)',
    ...indexesOf('timed_pictures', 'paper_id', 'device_id', 'picture_key', 'device_picture_key', 'editable_key'),
    ...indexesOf('covered_pictures', 'picture_key', 'device_picture_key', 'editable_key'),
  ],
};

/**
 * `claimed_by` names the node that makes the present attempt; null where the service is one process, and while nobody does.
 * `made_pictures` is for nodes alone: which of them makes a picture, or what was made. `key` names everything that the
 * picture follows from, `attempt` counts its claims, `outcome` is JSON, and `failed` is 1 for one that says why there is
 * no picture.
 */
const claimTables: Migration = {
  name: 'api-30-claims',
  up: [
    'alter table deliveries add column claimed_by text',
    'create index deliveries_claimed on deliveries (claimed_by) where claimed_by is not null',
    `create table made_pictures (key text primary key, claimed_by text, claimed_until integer not null, attempt integer not null,
       outcome text, failed integer not null, changed_at integer not null)`,
  ],
};

/**
 * This index finds why deliveries to a device failed last, for `why`. It holds only those with a reason, so that an
 * acceptance writes nothing into it.
 */
const failureIndex: Migration = {
  name: 'api-31-delivery-failures',
  up: ['create index deliveries_failures on deliveries (device_id, updated_at) where reason is not null'],
};

/** The files of these panels have another form than in the release before: what hangs on them is drawn again. */
const otherForms: Migration = {
  name: 'house-65-other-forms-of-panels',
  up: [
    `update shown_pictures set edition = -1
       where device_id in (select id from devices where kind in ('seeede1003', 'seeede1004'))`,
  ],
};

/** All migrations of this room. A new one is added here and nowhere else. */
export const deliveryMigrations: readonly Migration[] = [
  deliveryTables,
  renderAgainTables,
  editionTables,
  deliveryIndexes,
  uploadAttemptTables,
  remarkTables,
  timedPictureTables,
  claimTables,
  failureIndex,
  otherForms,
];
