/** The tables behind the mailbox and the bot for pictures. Times are epoch milliseconds. */
import { laterTables, type Migration } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** A paper that moves to another organization takes none of its rows along. */
const ofAlbum = {
  paper_id: 'text not null references papers(id) on delete cascade',
  organization_id: 'text not null',
} as const;

/** The secrets in the addresses of albums. One names an album and proves nothing of a sender. */
const postAddresses = defineTable('post_addresses', {
  ...ofAlbum,
  paper_id: 'text primary key references papers(id) on delete cascade',
  // In lower case: programs change the case of addresses.
  secret: 'text not null unique',
  created_at: 'integer not null',
});

/** The people whose mail an album accepts. */
const invitedSenders = defineTable(
  'invited_senders',
  {
    id: 'text primary key',
    ...ofAlbum,
    // In lower case.
    address: 'text not null',
    // Empty where nobody gave one.
    name: 'text not null',
    created_at: 'integer not null',
    last_at: 'integer',
    pictures: 'integer not null default 0',
  },
  ['unique (paper_id, address)'],
);

/** Messages that wait for a member's yes. Their pictures are in the mailbox. */
const waitingMails = defineTable(
  'waiting_mails',
  {
    id: 'text primary key',
    ...ofAlbum,
    key: 'text not null',
    sender: 'text not null',
    subject: 'text not null',
    // JSON of the reasons.
    reason: 'text not null',
    files: 'integer not null',
    arrived_at: 'integer not null',
    held_at: 'integer not null',
    // `yes` or `no`; null while nobody decided.
    decision: 'text',
  },
  [
    'unique (paper_id, key)',
    'create index waiting_mails_by_key on waiting_mails (key)',
    'create index waiting_mails_by_time on waiting_mails (held_at)',
  ],
);

/** Messages that are dealt with: none is taken twice. */
const doneMails = defineTable('done_mails', { key: 'text primary key', at: 'integer not null' }, [
  'create index done_mails_by_time on done_mails (at)',
]);

/** How far a mailbox was read, by a digest of its address. */
const mailboxPlaces = defineTable('mailbox_places', {
  mailbox: 'text primary key',
  uid_validity: 'text not null',
  last_uid: 'integer not null',
  old_until: 'integer not null',
  // The name of the server whose results count, once a confirmed message taught it.
  trusted: 'text',
});

/** The first update of a bot that is not confirmed, by the id of the bot. */
const botOffsets = defineTable('bot_offsets', { bot: 'text primary key', next_update: 'integer not null' });

/** Codes by which chats are admitted, as hashes; one of an album. */
const chatCodes = defineTable('chat_codes', {
  ...ofAlbum,
  paper_id: 'text primary key references papers(id) on delete cascade',
  hash: 'text not null unique',
  until: 'integer not null',
});

/** The chats whose pictures an album accepts. */
const admittedChats = defineTable(
  'admitted_chats',
  {
    id: 'text primary key',
    ...ofAlbum,
    bot: 'text not null',
    chat: 'text not null',
    title: 'text not null',
    is_group: 'integer not null',
    // JSON of the people in a group whose pictures count; null for everybody in the chat.
    members: 'text',
    created_at: 'integer not null',
    last_at: 'integer',
    pictures: 'integer not null default 0',
  },
  ['unique (bot, chat)', 'create index admitted_chats_by_paper on admitted_chats (paper_id)'],
);

/** The answers to senders, one for pictures that came together. */
const postReceipts = defineTable(
  'post_receipts',
  {
    id: 'text primary key',
    ...ofAlbum,
    // `mail` or `telegram`.
    way: 'text not null',
    gathering: 'text not null',
    // Of a chat: where its message is edited.
    chat: 'text',
    message: 'integer',
    // JSON of what an answer by mail needs.
    answer: 'text',
    // JSON of the files that were left out, with why.
    left_out: "text not null default '[]'",
    created_at: 'integer not null',
    // When it is looked at next.
    next_at: 'integer not null',
    tries: 'integer not null default 0',
    // When the sender learned that the pictures are accepted.
    accepted_at: 'integer',
    // When the sender learned that they hang.
    hung_at: 'integer',
  },
  [
    'unique (way, gathering, paper_id)',
    'create index post_receipts_by_time on post_receipts (next_at) where hung_at is null',
    'create index post_receipts_by_age on post_receipts (created_at)',
  ],
);

/** The pictures that a receipt is about. */
const receiptPictures = defineTable(
  'receipt_pictures',
  {
    receipt_id: 'text not null references post_receipts(id) on delete cascade',
    picture_id: 'text not null references sent_pictures(id) on delete cascade',
  },
  ['primary key (receipt_id, picture_id)', 'create index receipt_pictures_by_picture on receipt_pictures (picture_id)'],
);

/** How the mailbox and the bot are, for all nodes. */
const postStates = defineTable('post_states', {
  // `mail` or `telegram`.
  way: 'text primary key',
  state: 'text not null',
  // The name of the bot.
  name: 'text',
  // JSON of the reasons.
  reason: 'text',
  since: 'integer not null',
});

/** The tables of this subject. */
export const postTables = [
  postAddresses,
  invitedSenders,
  waitingMails,
  doneMails,
  mailboxPlaces,
  botOffsets,
  chatCodes,
  admittedChats,
  postReceipts,
  receiptPictures,
  postStates,
] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const postMigrations: readonly Migration[] = [laterTables('picture-post', postTables)];
