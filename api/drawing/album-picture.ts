/** The picture that an album shows at one of its positions, as an upload that can be drawn. */
import { storedObject } from '../http/field-shapes.ts';
import { albumPictureAt, type SentPictureRow, sentPictures } from '../papers/sent-pictures.ts';
import type { PaperRow } from '../papers/store.ts';
import type { Uploaded } from './prepare-uploaded.ts';

interface AlbumDeps {
  readonly db: Parameters<typeof sentPictures>[0];
}

/**
 * Finds the picture at a position of an album; at 0 it is the one that is shown next.
 * @returns undefined for an album without pictures
 */
export async function albumPicture(
  { db }: AlbumDeps,
  paper: PaperRow,
  position: number,
): Promise<(Uploaded & Pick<SentPictureRow, 'id'>) | undefined> {
  const pictures = await sentPictures(db).ofAlbum(paper.id);
  if (pictures.length === 0) return undefined;
  const settings = storedObject(paper.meta);
  const { id, picture_key, intent } = albumPictureAt(pictures, settings, paper.id, position);
  const meta =
    intent === null ? paper.meta : JSON.stringify({ fit: settings.fit, optimize: { enabled: true, intent } });
  return { id, picture_key, device_picture_key: null, meta };
}
