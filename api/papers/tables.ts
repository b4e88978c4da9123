/** Papers, and the content that integrations pushed to them. */
import { createTable, type Migration } from '../../gateway/runtime/database.ts';

/**
 * `sequence` is the last one taken by a submission (INV-16). `picture_key` names an uploaded picture in the files.
 * `paper_contents` holds the current content as one row, text and image together (INV-20), and outlives requests.
 */
export const paperTables: Migration = {
  name: 'api-03-papers',
  async up(db) {
    await createTable(
      db,
      'papers',
      `id text primary key, organization_id text not null references organizations(id), device_id text not null,
       device_paper_id text, kind text not null, meta text not null, author text not null, sequence integer not null,
       picture_key text, picture_revision text, created_at integer not null, updated_at integer not null,
       image_updated_at integer`,
    );
    await db.raw('create index papers_by_organization on papers (organization_id, created_at)');
    await createTable(
      db,
      'paper_contents',
      `paper_id text primary key references papers(id), request_id text not null, sequence integer not null,
       text text not null, image_key text, received_at integer not null`,
    );
  },
};

/**
 * What came with an uploaded picture: `device_picture_key` names a picture that is ready for the panel, as a person sees
 * it, `editable_key` the JSON it was made from. The nightly pass finds who refers to a file without reading every paper.
 */
export const paperPictureTables: Migration = {
  name: 'api-08-paper-pictures',
  async up(db) {
    await db.raw('alter table papers add column device_picture_key text');
    await db.raw('alter table papers add column editable_key text');
    for (const column of ['picture_key', 'device_picture_key', 'editable_key']) {
      await db.raw(`create index papers_by_${column} on papers (${column}) where ${column} is not null`);
    }
  },
};

/**
 * Whose content it is, by the URL of the manifest: it goes to that integration's renderer alone (P-21), also when its
 * request is long forgotten.
 */
export const contentIntegrations: Migration = {
  name: 'api-16-content-integrations',
  async up(db) {
    await db.raw('alter table paper_contents add column config_url text');
    await db.raw(
      `update paper_contents set config_url = coalesce(
         (select connections.config_url from content_requests
            join connections on connections.id = content_requests.connection_id
            where content_requests.id = paper_contents.request_id),
         (select connections.config_url from connections where connections.paper_id = paper_contents.paper_id
            order by connections.updated_at desc limit 1))`,
    );
  },
};
