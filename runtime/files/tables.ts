/** The table of files, for nodes that share nothing but their database. */
import { isPostgres, type Migration } from '../database/database.ts';
import { baseline } from '../database/migration.ts';
import { defineTable } from '../database/table.ts';

/** `condemned_at` is set while a file waits to be removed, because no row referred to it. */
const storedFiles = defineTable(
  'stored_files',
  {
    area: 'text not null',
    name: 'text not null',
    size: 'integer not null',
    bytes: 'blob not null',
    condemned_at: 'integer',
  },
  [
    'primary key (area, name)',
    'create index stored_files_condemned on stored_files (condemned_at) where condemned_at is not null',
  ],
);

/** Files whose bytes are objects of a bucket: the row names the object. */
const storedObjects = defineTable(
  'stored_objects',
  {
    area: 'text not null',
    name: 'text not null',
    size: 'integer not null',
    object: 'text not null unique',
    condemned_at: 'integer',
  },
  [
    'primary key (area, name)',
    'create index stored_objects_condemned on stored_objects (condemned_at) where condemned_at is not null',
  ],
);

/** The tables of this subject. */
export const filesTables = [storedFiles, storedObjects] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const fileMigrations: readonly Migration[] = [
  baseline('files', filesTables, (db) =>
    // Pictures are compressed already.
    isPostgres(db) ? ['alter table stored_files alter column bytes set storage external'] : [],
  ),
];
