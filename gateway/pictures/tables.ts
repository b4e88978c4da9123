/** The table of the upload log: every picture that was offered to a frame, and how far it came. */
import { baseline, type Migration, wholeNumbers } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** A row is an offer, or what a frame has shown of one. Times are epoch milliseconds. */
const uploads = defineTable(
  'uploads',
  {
    id: 'text primary key',
    serial: 'text not null references frames(serial)',
    // The offerer's own name of the content; it is only ever compared.
    revision: 'text not null',
    path: 'text not null unique',
    picture_sha256: 'text not null',
    picture_bytes: 'integer not null',
    file_version: 'integer not null',
    previous_version: 'integer not null',
    // Downloads of the present version in the present cycle (W-13).
    gets: 'integer not null',
    offered_at: 'integer not null',
    announced_at: 'integer',
    fetched_at: 'integer',
    shown_at: 'integer',
    confirmed_at: 'integer',
    failed_at: 'integer',
    reason: 'text',
    // Set when a newer offer is made.
    replaced_at: 'integer',
    // How often the upload was announced.
    cycle: 'integer not null default 0',
    // Sums up answers of the present version and cycle that were parts or broken off (JSON of `Coverage`; decision 5).
    coverage: 'text',
    // The earlier upload of the same bytes whose download attests this one.
    vouched_by: 'text',
    // The packing of the file; null in rows from before this was stored.
    format: 'text',
    // The frame's ownership when the offer was made: offers of a former owner are shown to nobody (T-63).
    ownership: 'integer not null default 1',
    // Time at which the picture is due to be made again, because its file is missing or damaged; null otherwise (T-67).
    remake_at: 'integer',
    // Name of the panel that the file is made for; null in rows from before this was stored.
    panel: 'text',
    // The offer that this row is an earlier showing of, kept for the history (EV-06); null for an offer.
    showing_of: 'text',
    // The grade of the frame's report of this picture; null without one, and in rows from before this was stored.
    grade: 'text',
    // When the frame reported that grade first; null without a report, and in rows from before this was stored.
    graded_at: 'integer',
    // What the offerer notes about the picture's making (JSON); it is only ever handed back. Null where it notes nothing.
    made_of: 'text',
    // The sleep in which the frame was when the offer was made, in seconds; null where it was awake, or not known to sleep.
    asleep_seconds: 'integer',
  },
  [
    'create index uploads_by_serial on uploads (serial, offered_at)',
    'create index uploads_by_picture on uploads (picture_sha256)',
    'create index uploads_to_remake on uploads (remake_at) where remake_at is not null',
    'create index uploads_shown on uploads (serial, shown_at) where shown_at is not null',
    'create index uploads_past on uploads (shown_at, id) where shown_at is not null',
  ],
);

/** The tables of this subject. */
export const picturesTables = [uploads] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const pictureMigrations: readonly Migration[] = [
  baseline('pictures', picturesTables),
  {
    name: 'pictures-2-made-of',
    declaredIn: 'pictures-baseline',
    up: ['alter table uploads add column made_of text'],
  },
  {
    name: 'pictures-3-graded-at',
    declaredIn: 'pictures-baseline',
    up: ['alter table uploads add column graded_at integer'],
  },
  {
    name: 'pictures-4-asleep-seconds',
    declaredIn: 'pictures-baseline',
    up: (db) => [`alter table uploads add column asleep_seconds ${wholeNumbers(db)}`],
  },
];
