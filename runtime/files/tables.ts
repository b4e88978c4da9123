/** The table of files, for nodes that share nothing but their database. */
import { isPostgres, type Migration } from '../database.ts';

/** `condemned_at` is set while a file waits to be removed, because no row referred to it. */
const storedFiles: Migration = {
  name: 'files-01-stored-files',
  up: (db) => [
    `create table stored_files (area text not null, name text not null, size integer not null, bytes ${isPostgres(db) ? 'bytea' : 'blob'} not null, condemned_at integer,
       primary key (area, name))`,
    // Pictures are compressed already.
    ...(isPostgres(db) ? ['alter table stored_files alter column bytes set storage external'] : []),
    'create index stored_files_condemned on stored_files (condemned_at) where condemned_at is not null',
  ],
};

/** Files whose bytes are objects of a bucket: the row names the object. */
const storedObjects: Migration = {
  name: 'files-02-stored-objects',
  up: [
    `create table stored_objects (area text not null, name text not null, size integer not null, object text not null unique,
       condemned_at integer, primary key (area, name))`,
    'create index stored_objects_condemned on stored_objects (condemned_at) where condemned_at is not null',
  ],
};

export const fileMigrations: readonly Migration[] = [storedFiles, storedObjects];
