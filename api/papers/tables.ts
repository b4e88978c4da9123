/** The tables of papers, and of the content that integrations pushed to them. */
import { baseline, type Migration } from '../../runtime/migration.ts';
import { defineTable } from '../../runtime/table.ts';

/**
 * `schedule_due_at` of a paper is the next time its own schedule names. `edition` of a paper counts the changes of
 * what it is drawn from; that of a shown picture is the one it was last made of, or tried. Where they differ the
 * picture is due again. `sequence` is the last number taken by a submission (INV-16). `picture_key` names an
 * uploaded picture in the files. The other files of an uploaded picture: `device_picture_key` names a picture that is
 * ready for the panel, as a person sees it, `editable_key` the JSON it was made from. Fields that clients write down
 * of a paper beside its meta. `selects_with_picture` is 1 for a paper that its device is to show with the first
 * picture that is sent to it. The secrets of an integration's settings, sealed; null in rows that are still to be
 * searched for them.
 */
const papers = defineTable(
  'papers',
  {
    id: 'text primary key',
    organization_id: 'text not null references organizations(id)',
    device_id: 'text not null',
    device_paper_id: 'text',
    kind: 'text not null',
    meta: 'text not null',
    author: 'text not null',
    sequence: 'integer not null',
    picture_key: 'text',
    picture_revision: 'text',
    created_at: 'integer not null',
    updated_at: 'integer not null',
    image_updated_at: 'integer',
    device_picture_key: 'text',
    editable_key: 'text',
    schedule_due_at: 'integer',
    edition: 'integer not null default 0',
    name: 'text',
    draft: 'integer not null default 0',
    selects_with_picture: 'integer',
    secrets: 'text',
  },
  [
    'create index papers_by_organization on papers (organization_id, created_at)',
    'create index papers_by_picture_key on papers (picture_key) where picture_key is not null',
    'create index papers_by_device_picture_key on papers (device_picture_key) where device_picture_key is not null',
    'create index papers_by_editable_key on papers (editable_key) where editable_key is not null',
    'create index papers_by_schedule on papers (schedule_due_at) where schedule_due_at is not null',
    'create index papers_by_change on papers (updated_at)',
    'create index papers_unsealed on papers (id) where secrets is null',
  ],
);

/**
 * `sequence` is the last number taken by a submission (INV-16). `paper_contents` holds the current content as one row,
 * text and image together, and outlives requests. `config_url` is the manifest's URL of the integration that pushed
 * the content: it goes to that integration's renderer alone (PAGE-21), also when its request is long forgotten.
 */
const paperContents = defineTable('paper_contents', {
  paper_id: 'text primary key references papers(id)',
  request_id: 'text not null',
  sequence: 'integer not null',
  text: 'text not null',
  image_key: 'text',
  received_at: 'integer not null',
  config_url: 'text',
});

const guestLinks = defineTable(
  'guest_links',
  {
    id: 'text primary key',
    paper_id: 'text not null references papers(id)',
    // The organization of the paper when the link was made: the link ends when the paper moves.
    organization_id: 'text not null',
    // The member who made the link: it ends with their right to write.
    user_id: 'text not null',
    hash: 'text not null unique',
    // The name of the guest.
    name: 'text not null',
    shows_result: 'integer not null',
    max_pictures: 'integer',
    // The number of pictures that were sent with it.
    used: 'integer not null',
    created_at: 'integer not null',
    used_at: 'integer',
    ends_at: 'integer',
    revoked_at: 'integer',
  },
  ['create index guest_links_by_paper on guest_links (paper_id, created_at)'],
);

/**
 * `sent_pictures` holds the pictures of albums, and receipts of what guests sent to other papers (without
 * `picture_key`; the picture is the paper's own then, under `revision`). `sender` is `account:ID` or `guest:ID`;
 * `place` orders an album, the largest first; `intent` is how it is dithered, null as the paper says.
 */
const sentPictures = defineTable(
  'sent_pictures',
  {
    id: 'text primary key',
    paper_id: 'text not null references papers(id)',
    revision: 'text',
    picture_key: 'text',
    thumbnail_key: 'text',
    bytes: 'integer not null',
    // `account:ID` or `guest:ID`.
    sender: 'text not null',
    sender_name: 'text not null',
    message_id: 'text',
    // The SHA-256 of the file as it was sent.
    digest: 'text not null',
    caption: 'text not null',
    // How it is dithered; null as the paper says.
    intent: 'text',
    place: 'integer not null',
    created_at: 'integer not null',
  },
  [
    'create index sent_pictures_by_place on sent_pictures (paper_id, place)',
    'create unique index sent_pictures_by_message on sent_pictures (paper_id, sender, message_id) where message_id is not null',
    'create index sent_pictures_by_picture_key on sent_pictures (picture_key) where picture_key is not null',
    'create index sent_pictures_by_thumbnail_key on sent_pictures (thumbnail_key) where thumbnail_key is not null',
  ],
);

/** `picture_showings` says which picture of an album an offer shows. */
const pictureShowings = defineTable(
  'picture_showings',
  {
    upload_id: 'text not null',
    picture_id: 'text not null',
  },
  ['primary key (upload_id, picture_id)', 'create index picture_showings_by_picture on picture_showings (picture_id)'],
);

/**
 * A value for the storage of an origin's pages has no header; a node of the release before would send it with an empty
 * one. `sealed` holds the value of the header that goes to `origin` alone; it is never given out.
 */
const addressLogins = defineTable(
  'address_logins',
  {
    id: 'text primary key',
    paper_id: 'text not null references papers(id)',
    organization_id: 'text not null',
    origin: 'text not null',
    // Empty where the value goes into the storage of pages.
    header: 'text not null',
    sealed: 'text not null',
    // Epoch milliseconds.
    set_at: 'integer not null',
    storage_item: 'text',
  },
  ['unique (paper_id, origin)'],
);

/**
 * The picture that a paper had before its present one, under the `revision` of that, so that an upload can be taken
 * back. `meta` holds the settings that the upload changed.
 */
const replacedPictures = defineTable(
  'replaced_pictures',
  {
    paper_id: 'text primary key references papers(id)',
    revision: 'text not null',
    picture_key: 'text',
    device_picture_key: 'text',
    editable_key: 'text',
    meta: 'text not null',
    replaced_at: 'integer not null',
  },
  [
    'create index replaced_pictures_by_picture_key on replaced_pictures (picture_key) where picture_key is not null',
    'create index replaced_pictures_by_device_picture_key on replaced_pictures (device_picture_key) where device_picture_key is not null',
    'create index replaced_pictures_by_editable_key on replaced_pictures (editable_key) where editable_key is not null',
  ],
);

const paperViewers = defineTable(
  'paper_viewers',
  {
    user_id: 'text not null references users(id) on delete cascade',
    paper_id: 'text not null references papers(id) on delete cascade',
    created_at: 'integer not null',
  },
  ['primary key (user_id, paper_id)', 'create index paper_viewers_by_paper on paper_viewers (paper_id)'],
);

/** The tables of this subject. */
export const papersTables = [
  papers,
  paperContents,
  guestLinks,
  sentPictures,
  pictureShowings,
  addressLogins,
  replacedPictures,
  paperViewers,
] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const paperMigrations: readonly Migration[] = [baseline('papers', papersTables)];
