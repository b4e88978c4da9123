/** The picture that an album shows at one of its positions, as an upload that can be drawn. */
import type { Database } from '../../runtime/database/database.ts';
import { type QueueRow, queuedAt, readQueue } from '../filled-albums/queue.ts';
import { storedObject } from '../http/field-shapes.ts';
import { captionLines, captionParts } from '../inks/words/caption-lines.ts';
import type { PictureWords } from '../inks/words/draw-words.ts';
import { albumPictureAt, type SentPictureRow, sentPictures } from '../papers/sent-pictures.ts';
import type { PaperRow } from '../papers/store.ts';
import type { Uploaded } from './prepare-uploaded.ts';

interface AlbumDeps {
  readonly db: Database;
}

/** A picture of an album as it is drawn. */
export interface AlbumPicture {
  readonly picture: Uploaded;
  readonly row: SentPictureRow;
  /** The portrait that hangs next to it. */
  readonly beside: SentPictureRow | undefined;
  /** The places that it lies ahead of the position. */
  readonly passed: number;
}

/** A place in an album. */
interface AlbumPosition {
  readonly position: number;
  /** True where another paper shows the album among others. */
  readonly isPart: boolean;
}

/**
 * Finds the picture at a position of an album; at 0 it is the one that is shown next.
 * @returns undefined for an album without pictures
 */
export async function albumPicture(
  { db }: AlbumDeps,
  paper: PaperRow,
  at: AlbumPosition,
): Promise<AlbumPicture | undefined> {
  const pictures = await sentPictures(db).ofAlbum(paper.id);
  if (pictures.length === 0) return undefined;
  const settings = storedObject(paper.meta);
  const queue = await readQueue(db, paper.id);
  const queued = queue.length === 0 ? undefined : ofQueue(queue, pictures, settings, await placeAt(db, paper, at));
  const { row, beside, passed } = queued ?? {
    row: albumPictureAt(pictures, settings, paper.id, at.position),
    beside: undefined,
    passed: 0,
  };
  return { row, beside, passed, picture: uploadedOf(paper, row, beside) };
}

/** Returns a picture of an album, with the one that hangs next to it, as an upload with the words of the album. */
export function uploadedOf(paper: PaperRow, row: SentPictureRow, beside: SentPictureRow | undefined): Uploaded {
  const settings = storedObject(paper.meta);
  const { picture_key, intent } = row;
  const meta =
    intent === null ? paper.meta : JSON.stringify({ fit: settings.fit, optimize: { enabled: true, intent } });
  const besideKey = beside?.picture_key;
  const words = wordsOf(settings, beside === undefined ? [row] : [row, beside]);
  return { picture_key, device_picture_key: null, meta, besideKey, words };
}

/** The words that an album has on its pictures: of a pair, those of both in each line. */
function wordsOf(
  { words, language }: Readonly<Record<string, unknown>>,
  rows: readonly SentPictureRow[],
): PictureWords | undefined {
  const shows = Array.isArray(words) ? captionParts.filter((part) => words.includes(part)) : [];
  if (shows.length === 0) return undefined;
  const tag = typeof language === 'string' ? language : 'en';
  const each = rows.map(({ taken, location, caption, credit }) =>
    captionLines({
      taken: taken ?? undefined,
      place: location ?? undefined,
      caption: caption || (credit ?? undefined),
      shows,
      language: tag,
    }),
  );
  const lines = each.length === 1 ? each.flat() : each.map((own) => own.join(' · '));
  const said = [...new Set(lines.filter((line) => line !== ''))];
  return said.length === 0 ? undefined : { lines: said, language: tag };
}

async function placeAt(db: Database, { id }: PaperRow, { position, isPart }: AlbumPosition): Promise<number> {
  if (!isPart) return position;
  const album = await db('filled_albums').where({ paper_id: id }).first('clock_place');
  return Number(album?.clock_place ?? 0);
}

/** The picture of a filled album at a position; one that stays with the newest has what came last. */
function ofQueue(
  queue: readonly QueueRow[],
  pictures: readonly SentPictureRow[],
  { order }: Readonly<Record<string, unknown>>,
  position: number,
): Omit<AlbumPicture, 'picture'> | undefined {
  const byId = new Map(pictures.map((row) => [row.id, row]));
  const createdAt = ({ picture_id }: QueueRow): number => byId.get(picture_id)?.created_at ?? 0;
  const newest = [...queue].sort((one, other) => createdAt(other) - createdAt(one))[0];
  const at = order === 'newest' ? newest && { entry: newest, passed: 0 } : queuedAt(queue, position);
  const row = at && byId.get(at.entry.picture_id);
  if (at === undefined || row === undefined) return undefined;
  return { row, beside: byId.get(at.entry.beside_id ?? ''), passed: at.passed };
}
