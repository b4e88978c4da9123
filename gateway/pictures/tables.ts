/** The upload log: every picture ever offered to a frame, and how far it came. */
import { createTable, type Migration } from '../runtime/database.ts';

/**
 * One row an offer. `revision` is the offerer's own word for the content and is only ever compared. `gets` counts
 * downloads of the present version in the present cycle (W-13). `replaced_at` is set when a newer offer came.
 */
const offerTables: Migration = {
  name: 'gateway-02-pictures',
  async up(db) {
    await createTable(
      db,
      'uploads',
      `id text primary key, serial text not null references frames(serial), revision text not null, path text not null unique,
       picture_sha256 text not null, picture_bytes integer not null, file_version integer not null,
       previous_version integer not null, gets integer not null, offered_at integer not null, announced_at integer,
       fetched_at integer, shown_at integer, confirmed_at integer, failed_at integer, reason text, replaced_at integer`,
    );
    await db.raw('create index uploads_by_serial on uploads (serial, offered_at)');
  },
};

/**
 * `cycle` counts how often the upload was announced. `coverage` is what the answers of the present version and cycle
 * came to, when they were parts or broken off (JSON of `Coverage`; docs/decisions/0005). `vouched_by` names the earlier
 * upload of the same bytes whose download stands for this one's.
 */
const rangeTables: Migration = {
  name: 'gateway-06-ranges',
  async up(db) {
    await db.raw('alter table uploads add column cycle integer not null default 0');
    await db.raw('alter table uploads add column coverage text');
    await db.raw('alter table uploads add column vouched_by text');
  },
};

/** `format` says how the offered file is packed; null in rows from before, whose files were packed for the frame's kind. */
const formatTables: Migration = {
  name: 'gateway-10-picture-formats',
  async up(db) {
    await db.raw('alter table uploads add column format text');
  },
};

/** Finds the offers of a file, for the pass that clears away files without any. */
const pictureFileIndex: Migration = {
  name: 'gateway-07-picture-files',
  async up(db) {
    await db.raw('create index uploads_by_picture on uploads (picture_sha256)');
  },
};

/** All of them. */
export const pictureTables: readonly Migration[] = [offerTables, rangeTables, pictureFileIndex, formatTables];
