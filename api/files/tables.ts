/** The tables of what is kept for each organization, and of what is to be known of stored pictures. */
import type { Migration } from '../../runtime/database.ts';

/**
 * `organization_files` has a row for each file that an organization sent, while the file is kept; `unused_since` is the
 * time at which nothing referred to it any more. `organization_bytes` is the sum of each, so that no call has to add up.
 * An organization that is removed leaves its rows until its files are gone.
 */
const organizationFileTables: Migration = {
  name: 'api-42-organization-files',
  up: [
    `create table organization_files (organization_id text not null, name text not null, bytes integer not null, stored_at integer not null,
       unused_since integer, primary key (organization_id, name))`,
    'create table organization_bytes (organization_id text primary key, bytes integer not null)',
  ],
};

const pictureNotesTable: Migration = {
  name: 'api-45-picture-notes',
  up: ['create table picture_notes (file text primary key, notes text not null, at integer not null)'],
};

/** All migrations of this room. A new one is added here and nowhere else. */
export const pictureFileMigrations: readonly Migration[] = [organizationFileTables, pictureNotesTable];
