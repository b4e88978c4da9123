/** The table of what is to be known of stored pictures. */
import { createTable, type Migration } from '../../runtime/database.ts';

const pictureNotesTable: Migration = {
  name: 'api-45-picture-notes',
  async up(db) {
    await createTable(db, 'picture_notes', 'file_key text primary key, notes text not null, at integer not null');
  },
};

/** All of them. A new one is added here and nowhere else. */
export const pictureFileMigrations: readonly Migration[] = [pictureNotesTable];
