/** The sources of albums: their rows, what is sealed of them, and their removal with everything that came from them. */
import { type Because, listOf, type Reason, readReasons, reasonOf, storedReasons } from '../../reasons/reason.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { Random } from '../../runtime/random.ts';
import { open, seal } from '../../runtime/sealed.ts';
import type { SentPictureRow } from '../papers/sent-pictures.ts';
import { SourceFault } from '../picture-sources/source.ts';
import type { ListingDoubt, StandingFault } from './judge-listing.ts';
import { type QueueRow, removeFromQueue } from './queue.ts';
import { type EnteredSource, enteredSource } from './source-kinds.ts';
import type { filledAlbumTables } from './tables.ts';

/** A row of `album_sources`. */
export type AlbumSourceRow = RowIn<typeof filledAlbumTables, 'album_sources'>;

/** The most sources of one album. */
export const maxSources = 20;

const rowsOf = (db: Database) => db<AlbumSourceRow>('album_sources');

/** Returns the sources of an album in the order in which they were added. */
export const sourcesOfAlbum = (db: Database, paperId: string): Promise<AlbumSourceRow[]> =>
  rowsOf(db).where({ paper_id: paperId }).orderBy(['created_at', 'id']);

/** The place for which a login is sealed: that of another source, or of another organization, cannot be opened in its stead. */
const placeOf = ({ id, organization_id }: Pick<AlbumSourceRow, 'id' | 'organization_id'>): string =>
  JSON.stringify(['album_sources', organization_id, id]);

/** Seals what a person entered of a source. */
export const sealEntered = (
  row: Pick<AlbumSourceRow, 'id' | 'organization_id'>,
  entered: EnteredSource,
  { sealKey, random }: { readonly sealKey: Uint8Array; readonly random: Random },
): string => seal(JSON.stringify(entered), placeOf(row), sealKey, random);

/**
 * Opens what was entered of a source.
 * @throws SourceFault for one that this release does not know, or that was sealed for another source or under another key
 */
export function openEntered(row: AlbumSourceRow, sealKey: Uint8Array): EnteredSource {
  const read = enteredSource.safeParse(openedOrNothing(row, sealKey));
  if (!read.success) throw new SourceFault('unusable', reasonOf('album-source-unreadable'));
  return read.data;
}

function openedOrNothing(row: AlbumSourceRow, sealKey: Uint8Array): unknown {
  try {
    return JSON.parse(open(row.sealed, placeOf(row), sealKey));
  } catch {
    return undefined;
  }
}

/** Returns the fault with which a source answers. */
export function faultOf({ fault_kind, fault_since, fault_attempts }: AlbumSourceRow): StandingFault | undefined {
  if (fault_kind === null || fault_since === null) return undefined;
  return { kind: fault_kind as StandingFault['kind'], since: fault_since, attempts: fault_attempts ?? 1 };
}

/** Returns the columns of a fault, with why. */
export const faultColumns = (fault: StandingFault | undefined, why?: Because) => ({
  fault_kind: fault?.kind ?? null,
  fault_since: fault?.since ?? null,
  fault_attempts: fault?.attempts ?? null,
  problem: fault === undefined || why === undefined ? null : storedReasons(why),
});

/** Returns why a source, or one of its pictures, gives nothing; undefined while it does. */
export const problemOfSource = ({ problem }: Pick<AlbumSourceRow, 'problem'>): Reason | undefined =>
  listOf(readReasons(problem)).find((reason) => typeof reason === 'object');

/** Returns the doubt about the last listing of a source. */
export const doubtOfListing = ({ doubt_since, doubt_found }: AlbumSourceRow): ListingDoubt | undefined =>
  doubt_since === null ? undefined : { since: doubt_since, found: doubt_found ?? 0 };

/** Values that one statement may hold. */
const maxAtOnce = 500;

/**
 * Removes pictures of sources: their rows, and what of them is here.
 * @param paperId the album, which is locked
 * @returns whether any of them were here, so that frames may show one
 */
export async function removePictures(trx: Transaction, paperId: string, ids: readonly string[]): Promise<boolean> {
  const wereHere = await removeCopiesOf(trx, paperId, ids);
  for (let from = 0; from < ids.length; from += maxAtOnce) {
    await trx('source_pictures')
      .whereIn('id', ids.slice(from, from + maxAtOnce))
      .delete();
  }
  return wereHere;
}

/** Removes the copies of some pictures, which may be chosen again. Returns whether there were any. */
export async function removeCopiesOf(trx: Transaction, paperId: string, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return false;
  const here: Pick<SentPictureRow, 'id' | 'source_picture'>[] = await trx<SentPictureRow>('sent_pictures')
    .where({ paper_id: paperId })
    .whereNotNull('source_picture')
    .select('id', 'source_picture');
  const named = new Set(ids);
  const copies = here.filter(({ source_picture }) => named.has(source_picture ?? ''));
  await removeCopies(
    trx,
    paperId,
    copies.map(({ id }) => id),
  );
  await trx('source_pictures')
    .whereIn(
      'id',
      copies.flatMap(({ source_picture }) => source_picture ?? []),
    )
    .update({ round: 0 });
  return copies.length > 0;
}

async function removeCopies(trx: Transaction, paperId: string, copies: readonly string[]): Promise<void> {
  const entries: QueueRow[] = await trx<QueueRow>('album_queue')
    .where({ paper_id: paperId })
    .where((any) => {
      any.whereIn('picture_id', [...copies]).orWhereIn('beside_id', [...copies]);
    });
  await removeFromQueue(trx, entries);
}

/**
 * Removes everything that came from a source, and with `isWhole` the source itself.
 * @param row of an album that is locked
 * @returns whether any of its pictures were here
 */
export async function emptySource(trx: Transaction, row: AlbumSourceRow, isWhole: boolean): Promise<boolean> {
  const copies: string[] = await trx<SentPictureRow>('sent_pictures')
    .where({ paper_id: row.paper_id, sender: senderOfSource(row) })
    .pluck('id');
  await removeCopies(trx, row.paper_id, copies);
  await trx('source_pictures').where({ source: row.number }).delete();
  if (isWhole) await rowsOf(trx).where({ id: row.id }).delete();
  return copies.length > 0;
}

/** The sender of the copies of a source. */
export const senderOfSource = ({ id }: Pick<AlbumSourceRow, 'id'>): string => `source:${id}`;
