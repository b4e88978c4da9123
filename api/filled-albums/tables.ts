/** The tables of albums that fill themselves. Times are epoch milliseconds. */
import { laterTables, type Migration, wholeNumbers } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** The sources of albums. */
const albumSources = defineTable(
  'album_sources',
  {
    id: 'text primary key',
    // Stands for it in `source_pictures`, of which there may be a hundred thousand.
    number: 'integer not null unique',
    paper_id: 'text not null references papers(id) on delete cascade',
    // A paper that moves to another organization takes none along.
    organization_id: 'text not null',
    kind: 'text not null',
    // JSON of what a person entered, sealed as a whole: addresses are secrets, too, where a link opens an album.
    sealed: 'text not null',
    // Where it is asked, as people may see it.
    place: 'text not null',
    title: 'text not null',
    // The name of the person who added it.
    added_by: 'text not null',
    created_at: 'integer not null',
    next_at: 'integer not null',
    // The end of the last complete listing.
    listed_at: 'integer',
    // The name that the source gave that listing, where it gives any.
    mark: 'text',
    pictures: 'integer not null default 0',
    // JSON: the numbers of those that are left out, by the reason.
    left_out: "text not null default '{}'",
    // JSON: names of some of them, by the reason.
    left_out_names: "text not null default '{}'",
    // A fault that stands, as `judge-listing.ts` follows it.
    fault_kind: 'text',
    fault_since: 'integer',
    fault_attempts: 'integer',
    // JSON of the reasons.
    problem: 'text',
    doubt_since: 'integer',
    doubt_found: 'integer',
  },
  [
    'create index album_sources_by_paper on album_sources (paper_id, created_at)',
    'create index album_sources_by_time on album_sources (next_at)',
  ],
);

/** The pictures that sources list: short rows, no files. */
const sourcePictures = defineTable(
  'source_pictures',
  {
    // A digest of the source's number and the key.
    id: 'text primary key',
    source: 'integer not null references album_sources(number) on delete cascade',
    key: 'text not null',
    // Empty where it is the end of the key.
    name: 'text not null',
    // A digest of the mark that the source gives.
    mark: 'text not null',
    // Local time of the capture, written as if it were UTC; where nothing says it, the arrival.
    taken: 'integer not null',
    // 1 for a time that is not the capture's own.
    is_guessed: 'integer not null default 0',
    // 1 once its bytes were looked at for the date of capture.
    is_read: 'integer not null default 0',
    // Month and day of the capture, such as 1224.
    day: 'integer',
    arrived_at: 'integer not null',
    width: 'integer',
    height: 'integer',
    is_favourite: 'integer not null default 0',
    // The reason.
    left_out: 'text',
    // 31 bits by which pictures are shuffled.
    rank: 'integer not null',
    // The round in which it was chosen last.
    round: 'integer not null default 0',
    // When it could not be fetched last.
    failed_at: 'integer',
    // JSON of the reasons.
    problem: 'text',
    // The beginning of the SHA-256 of its bytes, once they were fetched.
    digest: 'text',
  },
  [
    'create index source_pictures_by_source on source_pictures (source, round)',
    'create index source_pictures_by_digest on source_pictures (digest) where digest is not null',
  ],
);

/** How far the filling of an album is. */
const filledAlbums = defineTable('filled_albums', {
  paper_id: 'text primary key references papers(id) on delete cascade',
  // Shuffles each round in another way.
  seed: 'text not null',
  // Goes on by 2; the second half of a round, in which favourites come again, is odd.
  round: 'integer not null',
  // The settings under which the pictures that wait were chosen.
  chosen_as: 'text not null',
  // The picture that was chosen last.
  last_chosen: 'text',
  // When it is looked at again after a picture that could not be had.
  next_at: 'integer not null default 0',
  // The place of playlists and boards that show the album among others.
  clock_place: 'integer not null default 0',
  clock_since: 'integer not null default 0',
});

/** The pictures of a filled album that are here, in the order in which they are shown. */
const albumQueue = defineTable(
  'album_queue',
  {
    paper_id: 'text not null references papers(id) on delete cascade',
    place: 'integer not null',
    picture_id: 'text not null references sent_pictures(id) on delete cascade',
    // The portrait that is shown next to it.
    beside_id: 'text references sent_pictures(id) on delete set null',
    // 1 for a picture that a person sent, which every frame shows next.
    is_front: 'integer not null default 0',
    // The date for which it was chosen, in albums that show pictures of this day.
    chosen_for: 'text',
  },
  [
    'primary key (paper_id, place)',
    'create index album_queue_by_picture on album_queue (picture_id)',
    'create index album_queue_by_partner on album_queue (beside_id) where beside_id is not null',
  ],
);

/** The tables of this subject. */
export const filledAlbumTables = [albumSources, sourcePictures, filledAlbums, albumQueue] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const filledAlbumMigrations: readonly Migration[] = [
  laterTables('filled-albums', filledAlbumTables),
  {
    name: 'filled-albums-2-names-and-captures',
    declaredIn: 'filled-albums-tables',
    up: (db) => [
      `alter table source_pictures add column is_read ${wholeNumbers(db)} not null default 0`,
      "alter table album_sources add column left_out_names text not null default '{}'",
    ],
  },
];
