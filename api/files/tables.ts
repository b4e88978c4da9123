/** The tables of the files kept for each organization, and of the remarks on stored pictures. */
import type { Migration } from '../../runtime/database/database.ts';
import { baseline } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/**
 * A row for each file that an organization sent, while the file is kept. An organization that is removed leaves its
 * rows until its files are gone.
 */
const organizationFiles = defineTable(
  'organization_files',
  {
    organization_id: 'text not null',
    name: 'text not null',
    bytes: 'integer not null',
    stored_at: 'integer not null',
    // The time from which nothing referred to it.
    unused_since: 'integer',
  },
  ['primary key (organization_id, name)'],
);

/** The sum of the files of each organization, so that no call has to add up. It stays until those are gone. */
const organizationBytes = defineTable('organization_bytes', {
  organization_id: 'text primary key',
  bytes: 'integer not null',
});

/** Notes about pictures. */
const pictureNotes = defineTable('picture_notes', {
  file: 'text primary key',
  // The notes of the file, in their order, separated by spaces.
  notes: 'text not null',
  at: 'integer not null',
});

/** The tables of this subject. */
export const pictureFilesTables = [organizationFiles, organizationBytes, pictureNotes] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const pictureFileMigrations: readonly Migration[] = [baseline('picture-files', pictureFilesTables)];
