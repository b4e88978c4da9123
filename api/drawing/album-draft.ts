/** The next picture of an album with choices that are not saved yet, as somebody sees them who is about to choose. */
import type { Database } from '../../runtime/database/database.ts';
import { albumChoices } from '../filled-albums/album-choices.ts';
import { storedObject } from '../http/field-shapes.ts';
import { fitsInPair, type ViewPixels } from '../inks/paired-picture.ts';
import { type SentPictureRow, sentPictures } from '../papers/sent-pictures.ts';
import type { PaperRow } from '../papers/store.ts';
import { type AlbumDeps, type AlbumPicture, albumPicture, uploadedOf } from './album-picture.ts';

/**
 * Finds the picture that a draft of an album shows: the next one and, where pairs are chosen, the first pair that is here.
 * Pairs are put together while an album is filled, so a choice that was just made would show none.
 * @param view the pixels of the panel, as a person sees them
 * @returns undefined for an album without pictures
 */
export async function draftAlbumPicture(
  { db, clock }: AlbumDeps,
  paper: PaperRow,
  view: ViewPixels,
): Promise<AlbumPicture | undefined> {
  const next = await albumPicture({ db, clock }, paper, { position: 0, isPart: false });
  if (next === undefined) return undefined;
  const { pairs } = albumChoices(storedObject(paper.meta));
  const [row, beside] = pairs ? ((await firstPair(db, next, view)) ?? [next.row, undefined]) : [next.row, undefined];
  return { row, beside, passed: 0, picture: uploadedOf(paper, { row, beside, seenAt: clock.now() }) };
}

/** Returns the pair that is next, else the first of the pictures that are here. */
async function firstPair(
  db: Database,
  { row, beside }: AlbumPicture,
  view: ViewPixels,
): Promise<readonly [SentPictureRow, SentPictureRow] | undefined> {
  if (beside !== undefined) return [row, beside];
  const sized = await withSizes(db, await sentPictures(db).ofAlbum(row.paper_id));
  for (const [at, [one, size]] of sized.entries()) {
    const found = sized.slice(at + 1).find(([, other]) => fitsInPair(size, other, view));
    if (found !== undefined) return [one, found[0]];
  }
  return undefined;
}

/** Returns the pictures whose size their source knows. */
async function withSizes(
  db: Database,
  rows: readonly SentPictureRow[],
): Promise<readonly (readonly [SentPictureRow, ViewPixels])[]> {
  const ids = rows.flatMap(({ source_picture }) => source_picture ?? []);
  const listed: { id: string; width: number | null; height: number | null }[] = await db('source_pictures')
    .whereIn('id', ids)
    .select('id', 'width', 'height');
  const sizes = new Map(listed.map((one) => [one.id, one]));
  return rows.flatMap((row) => {
    const { width, height } = sizes.get(row.source_picture ?? '') ?? {};
    return width == null || height == null ? [] : [[row, { width, height }] as const];
  });
}
