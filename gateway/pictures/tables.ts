/** The table of the upload log: every picture that was offered to a frame, and how far it came. */
import { type Migration, wholeNumbers } from '../../runtime/migration.ts';

/**
 * A row is an offer. `revision` is the offerer's own name of the content and is only ever compared. `gets` counts
 * downloads of the present version in the present cycle (W-13). `replaced_at` is set when a newer offer is made.
 */
const offerTables: Migration = {
  name: 'gateway-02-pictures',
  up: [
    `create table uploads (id text primary key, serial text not null references frames(serial), revision text not null, path text not null unique,
       picture_sha256 text not null, picture_bytes integer not null, file_version integer not null,
       previous_version integer not null, gets integer not null, offered_at integer not null, announced_at integer,
       fetched_at integer, shown_at integer, confirmed_at integer, failed_at integer, reason text, replaced_at integer)`,
    'create index uploads_by_serial on uploads (serial, offered_at)',
  ],
};

/**
 * `cycle` counts how often the upload was announced. `coverage` sums up the answers of the present version and cycle
 * that were parts or broken off (JSON of `Coverage`; docs/decisions/0005). `vouched_by` names the earlier upload of the
 * same bytes whose download attests this one.
 */
const rangeTables: Migration = {
  name: 'gateway-06-ranges',
  up: [
    'alter table uploads add column cycle integer not null default 0',
    'alter table uploads add column coverage text',
    'alter table uploads add column vouched_by text',
  ],
};

/** `format` is the packing of the offered file; null in older rows, whose files were packed for the frame's kind. */
const formatTables: Migration = {
  name: 'gateway-10-picture-formats',
  up: ['alter table uploads add column format text'],
};

/** `remake_at` is the time at which a picture whose file is missing or damaged is due to be made again (T-67); null otherwise. */
const remakeTables: Migration = {
  name: 'gateway-12-remade-pictures',
  up: (db) => [
    `alter table uploads add column remake_at ${wholeNumbers(db)}`,
    'create index uploads_to_remake on uploads (remake_at) where remake_at is not null',
  ],
};

/** `panel` names the panel that the offered file is made for; null in older rows. */
const panelTables: Migration = {
  name: 'gateway-14-picture-panels',
  up: ['alter table uploads add column panel text'],
};

/** This index finds the offers of a file, for the pass that removes files without any. */
const pictureFileIndex: Migration = {
  name: 'gateway-07-picture-files',
  up: ['create index uploads_by_picture on uploads (picture_sha256)'],
};

/** This index finds what each frame shows, and what it showed before, among all that it was offered. */
const shownIndex: Migration = {
  name: 'gateway-16-shown-pictures',
  up: ['create index uploads_shown on uploads (serial, shown_at) where shown_at is not null'],
};

/** This index finds what was on any glass lately, the newest first. */
const pastIndex: Migration = {
  name: 'gateway-18-past-pictures',
  up: ['create index uploads_past on uploads (shown_at, id) where shown_at is not null'],
};

/**
 * `showing_of` makes a row of something that a frame has shown, and whose offer has begun anew since: it names the offer.
 * Null for offers.
 */
const keptShowings: Migration = {
  name: 'gateway-31-kept-showings',
  up: ['alter table uploads add column showing_of text'],
};

/** `grade` says what the frame's report of a picture is worth. */
const gradeTables: Migration = {
  name: 'gateway-38-grades',
  up: ['alter table uploads add column grade text'],
};

/** All migrations of the upload log, in order. A new one is added here and nowhere else. */
export const pictureMigrations: readonly Migration[] = [
  offerTables,
  rangeTables,
  pictureFileIndex,
  formatTables,
  remakeTables,
  panelTables,
  shownIndex,
  pastIndex,
  keptShowings,
  gradeTables,
];
