/** The table of pictures at addresses: what each gave last. */
import { laterTables, type Migration } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** The picture that an address of a paper gave last. Times are epoch milliseconds. */
const remotePictures = defineTable(
  'remote_pictures',
  {
    paper_id: 'text not null references papers(id) on delete cascade',
    // The SHA-256 of the address as it was typed, and that of the one that was asked: it may hold the panel's size.
    asked: 'text not null',
    host: 'text not null',
    // Null for one that never gave a picture.
    picture_key: 'text',
    etag: 'text',
    last_modified: 'text',
    asked_at: 'integer not null',
    answered_at: 'integer',
    failing_since: 'integer',
    // JSON of the reasons.
    problem: 'text',
  },
  [
    'primary key (paper_id, asked)',
    'create index remote_pictures_failing on remote_pictures (failing_since) where failing_since is not null',
    'create index remote_pictures_by_picture_key on remote_pictures (picture_key) where picture_key is not null',
  ],
);

/** The tables of this subject. */
export const remotePictureTables = [remotePictures] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const remotePictureMigrations: readonly Migration[] = [laterTables('remote-pictures', remotePictureTables)];
