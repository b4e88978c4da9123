/** The tables of papers, and of the content that integrations pushed to them. */
import { indexesOf, type Migration } from '../../runtime/migration.ts';

/**
 * `sequence` is the last number taken by a submission (INV-16). `picture_key` names an uploaded picture in the files.
 * `paper_contents` holds the current content as one row, text and image together, and outlives requests.
 */
const paperTables: Migration = {
  name: 'api-03-papers',
  up: [
    `create table papers (id text primary key, organization_id text not null references organizations(id), device_id text not null,
       device_paper_id text, kind text not null, meta text not null, author text not null, sequence integer not null,
       picture_key text, picture_revision text, created_at integer not null, updated_at integer not null,
       image_updated_at integer)`,
    'create index papers_by_organization on papers (organization_id, created_at)',
    `create table paper_contents (paper_id text primary key references papers(id), request_id text not null, sequence integer not null,
       text text not null, image_key text, received_at integer not null)`,
  ],
};

/**
 * The other files of an uploaded picture: `device_picture_key` names a picture that is ready for the panel, as a person
 * sees it, `editable_key` the JSON it was made from. The indexes let the nightly pass find who refers to a file without
 * reading every paper.
 */
const paperPictureTables: Migration = {
  name: 'api-08-paper-pictures',
  up: [
    'alter table papers add column device_picture_key text',
    'alter table papers add column editable_key text',
    ...indexesOf('papers', 'picture_key', 'device_picture_key', 'editable_key'),
  ],
};

/** Fields that clients write down of a paper beside its meta. */
const paperNames: Migration = {
  name: 'api-18-paper-names',
  up: ['alter table papers add column name text', 'alter table papers add column draft integer not null default 0'],
};

/**
 * `config_url` is the manifest's URL of the integration that pushed the content: it goes to that integration's renderer
 * alone (PAGE-21), also when its request is long forgotten.
 */
const contentIntegrations: Migration = {
  name: 'api-16-content-integrations',
  up: [
    'alter table paper_contents add column config_url text',
    `update paper_contents set config_url = coalesce(
         (select connections.config_url from content_requests
            join connections on connections.id = content_requests.connection_id
            where content_requests.id = paper_contents.request_id),
         (select connections.config_url from connections where connections.paper_id = paper_contents.paper_id
            order by connections.updated_at desc limit 1))`,
  ],
};

/** This index finds what was changed just now. */
const changedPapers: Migration = {
  name: 'api-22-changed-papers',
  up: ['create index papers_by_change on papers (updated_at)'],
};

/**
 * `sent_pictures` holds the pictures of albums, and receipts of what guests sent to other papers (without `picture_key`; the
 * picture is the paper's own then, under `revision`). `sender` is `account:ID` or `guest:ID`; `place` orders an album, the
 * largest first; `intent` is how it is dithered, null as the paper says. `picture_showings` says which picture of an album an offer shows.
 */
const albumTables: Migration = {
  name: 'api-25-albums',
  up: [
    `create table guest_links (id text primary key, paper_id text not null references papers(id), organization_id text not null,
       user_id text not null, hash text not null unique, name text not null, shows_result integer not null,
       max_pictures integer, used integer not null, created_at integer not null, used_at integer, ends_at integer,
       revoked_at integer)`,
    'create index guest_links_by_paper on guest_links (paper_id, created_at)',
    `create table sent_pictures (id text primary key, paper_id text not null references papers(id), revision text, picture_key text,
       thumbnail_key text, bytes integer not null, sender text not null, sender_name text not null, message_id text,
       digest text not null, caption text not null, intent text, place integer not null, created_at integer not null)`,
    'create index sent_pictures_by_place on sent_pictures (paper_id, place)',
    `create unique index sent_pictures_by_message on sent_pictures (paper_id, sender, message_id)
         where message_id is not null`,
    ...indexesOf('sent_pictures', 'picture_key', 'thumbnail_key'),
    'create table picture_showings (upload_id text not null, picture_id text not null, primary key (upload_id, picture_id))',
    'create index picture_showings_by_picture on picture_showings (picture_id)',
  ],
};

/** A value for the storage of an origin's pages has no header; a node of the release before would send it with an empty one. */
const storedLogins: Migration = {
  name: 'api-64-stored-logins',
  up: ['alter table address_logins add column storage_item text'],
};

/** `sealed` holds the value of the header that goes to `origin` alone; it is never given out. */
const loginTable: Migration = {
  name: 'api-44-address-logins',
  up: [
    `create table address_logins (id text primary key, paper_id text not null references papers(id), organization_id text not null,
       origin text not null, header text not null, sealed text not null, set_at integer not null,
       unique (paper_id, origin))`,
  ],
};

/**
 * The picture that a paper had before its present one, under the `revision` of that, so that an upload can be taken back.
 * `meta` holds the settings that the upload changed.
 */
const replacedPictures: Migration = {
  name: 'api-55-replaced-pictures',
  up: [
    `create table replaced_pictures (paper_id text primary key references papers(id), revision text not null, picture_key text,
       device_picture_key text, editable_key text, meta text not null, replaced_at integer not null)`,
    ...indexesOf('replaced_pictures', 'picture_key', 'device_picture_key', 'editable_key'),
  ],
};

/** `selects_with_picture` is 1 for a paper that its device is to show with the first picture that is sent to it. */
const awaitedPictures: Migration = {
  name: 'api-60-awaited-pictures',
  up: ['alter table papers add column selects_with_picture integer'],
};

/** The secrets of an integration's settings, sealed; null in rows that are still to be searched for them. */
const paperSecrets: Migration = {
  name: 'api-67-paper-secrets',
  up: [
    'alter table papers add column secrets text',
    'create index papers_unsealed on papers (id) where secrets is null',
  ],
};

/** All of them. A new one is added here and nowhere else. */
export const paperMigrations: readonly Migration[] = [
  paperTables,
  paperPictureTables,
  paperNames,
  contentIntegrations,
  changedPapers,
  albumTables,
  loginTable,
  replacedPictures,
  awaitedPictures,
  storedLogins,
  paperSecrets,
];
