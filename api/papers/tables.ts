/** The tables of papers, and of the content that integrations pushed to them. */
import { baseline, type Migration, wholeNumbers } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** Papers. Times are epoch milliseconds. */
const papers = defineTable(
  'papers',
  {
    id: 'text primary key',
    organization_id: 'text not null references organizations(id)',
    // Empty when the device was removed.
    device_id: 'text not null',
    device_paper_id: 'text',
    kind: 'text not null',
    // JSON of any value.
    meta: 'text not null',
    author: 'text not null',
    // The last number taken by a submission (INV-16).
    sequence: 'integer not null',
    // An uploaded picture in the files.
    picture_key: 'text',
    // New with every upload that frames are to be offered.
    picture_revision: 'text',
    created_at: 'integer not null',
    updated_at: 'integer not null',
    image_updated_at: 'integer',
    // A picture that is ready for the panel, as a person sees it.
    device_picture_key: 'text',
    // The JSON that the picture was made from.
    editable_key: 'text',
    // The next time that its own schedule names.
    schedule_due_at: 'integer',
    // Counts the changes of what it is drawn from.
    edition: 'integer not null default 0',
    name: 'text',
    // 0 or 1; means something to clients alone.
    draft: 'integer not null default 0',
    // 1 for a paper that its device is to show with the first picture that is sent to it.
    selects_with_picture: 'integer',
    // Those of its integration's settings, sealed; null in rows that are still to be searched for them.
    secrets: 'text',
    // The name, as it was then, of the person who sent the uploaded picture.
    picture_sender: 'text',
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

/** The current content of a paper as one row, text and image together. It outlives requests. */
const paperContents = defineTable('paper_contents', {
  paper_id: 'text primary key references papers(id)',
  request_id: 'text not null',
  sequence: 'integer not null',
  text: 'text not null',
  image_key: 'text',
  received_at: 'integer not null',
  // The manifest's URL of the integration that pushed it: it goes to that integration's renderer alone (PAGE-21).
  config_url: 'text',
});

/** Links by which a guest sends pictures. Times are epoch milliseconds. */
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

/** The pictures of albums, and receipts of what guests sent to other papers. */
const sentPictures = defineTable(
  'sent_pictures',
  {
    id: 'text primary key',
    paper_id: 'text not null references papers(id)',
    // Of a receipt: under it the paper's own picture is the one that was sent.
    revision: 'text',
    // Null for a receipt.
    picture_key: 'text',
    thumbnail_key: 'text',
    bytes: 'integer not null',
    // `account:ID`, `guest:ID`, `source:ID`, `mail:ADDRESS` or `telegram:ID`.
    sender: 'text not null',
    sender_name: 'text not null',
    message_id: 'text',
    // The SHA-256 of the file as it was sent.
    digest: 'text not null',
    caption: 'text not null',
    // How it is dithered; null follows the paper.
    intent: 'text',
    // Orders an album, the largest first.
    place: 'integer not null',
    created_at: 'integer not null',
    // Of a copy from a source of the album: the picture there.
    source_picture: 'text',
    // The capture's own local time, `YYYY-MM-DDTHH:MM:SS`; null where nothing says it.
    taken: 'text',
    // The name of the place where it was taken.
    location: 'text',
    // Whom its licence names.
    credit: 'text',
    // The round of a filled album in which it was chosen last.
    round: 'integer not null default 0',
  },
  [
    'create index sent_pictures_by_place on sent_pictures (paper_id, place)',
    'create unique index sent_pictures_by_message on sent_pictures (paper_id, sender, message_id) where message_id is not null',
    'create index sent_pictures_by_picture_key on sent_pictures (picture_key) where picture_key is not null',
    'create index sent_pictures_by_thumbnail_key on sent_pictures (thumbnail_key) where thumbnail_key is not null',
    'create index sent_pictures_by_source_picture on sent_pictures (source_picture) where source_picture is not null',
  ],
);

/** Which picture of an album an offer shows. */
const pictureShowings = defineTable(
  'picture_showings',
  {
    upload_id: 'text not null',
    picture_id: 'text not null',
  },
  ['primary key (upload_id, picture_id)', 'create index picture_showings_by_picture on picture_showings (picture_id)'],
);

/** The logins that people gave for addresses. A paper that moved to another organization takes none along. */
const addressLogins = defineTable(
  'address_logins',
  {
    id: 'text primary key',
    paper_id: 'text not null references papers(id)',
    organization_id: 'text not null',
    origin: 'text not null',
    // Empty where the value goes into the storage of pages; a node of the release before would send it with an empty one.
    header: 'text not null',
    // The value that goes to `origin` alone; it is never given out.
    sealed: 'text not null',
    // Epoch milliseconds.
    set_at: 'integer not null',
    storage_item: 'text',
  },
  ['unique (paper_id, origin)'],
);

/** The picture that a paper had before its present one, so that an upload can be taken back. */
const replacedPictures = defineTable(
  'replaced_pictures',
  {
    paper_id: 'text primary key references papers(id)',
    // That of the picture which took its place.
    revision: 'text not null',
    picture_key: 'text',
    device_picture_key: 'text',
    editable_key: 'text',
    // The settings that the upload changed.
    meta: 'text not null',
    replaced_at: 'integer not null',
    picture_sender: 'text',
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
export const paperMigrations: readonly Migration[] = [
  baseline('papers', papersTables),
  {
    name: 'papers-2-picture-sender',
    declaredIn: 'papers-baseline',
    up: [
      'alter table papers add column picture_sender text',
      'alter table replaced_pictures add column picture_sender text',
    ],
  },
  {
    name: 'papers-3-pictures-of-sources',
    declaredIn: 'papers-baseline',
    up: (db) => [
      ...['source_picture', 'taken', 'location', 'credit'].map(
        (name) => `alter table sent_pictures add column ${name} text`,
      ),
      `alter table sent_pictures add column round ${wholeNumbers(db)} not null default 0`,
      'create index sent_pictures_by_source_picture on sent_pictures (source_picture) where source_picture is not null',
    ],
  },
];
