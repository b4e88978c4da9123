/** The picture that an album shows at one of its positions, as an upload that can be drawn. */
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import { localDate } from '../../runtime/local-time.ts';
import { albumChoices } from '../filled-albums/album-choices.ts';
import { isOfThisDay } from '../filled-albums/choose-next.ts';
import { type QueueRow, queuedAt, readQueue } from '../filled-albums/queue.ts';
import { storedObject } from '../http/field-shapes.ts';
import { captionLines, captionParts } from '../inks/words/caption-lines.ts';
import type { PictureWords } from '../inks/words/draw-words.ts';
import { albumPictureAt, type SentPictureRow, sentPictures } from '../papers/sent-pictures.ts';
import type { PaperRow } from '../papers/store.ts';
import type { Uploaded } from './prepare-uploaded.ts';

export type AlbumDeps = Pick<CommonDeps, 'db' | 'clock'>;

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
  /** When it is seen, epoch milliseconds; left out, now. */
  readonly seenAt?: number | undefined;
}

/**
 * Finds the picture at a position of an album; at 0 it is the one that is shown next.
 * @returns undefined for an album without pictures
 */
export async function albumPicture(
  { db, clock }: AlbumDeps,
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
  const seenAt = at.seenAt ?? clock.now();
  return { row, beside, passed, picture: uploadedOf(paper, { row, beside, seenAt }) };
}

/** A picture, the one that hangs next to it, and when they are seen, epoch milliseconds. */
type SeenPictures = Pick<AlbumPicture, 'row' | 'beside'> & { readonly seenAt: number };

/** Returns a picture of an album, with the one that hangs next to it, as an upload with the words of the album. */
export function uploadedOf(paper: PaperRow, { row, beside, seenAt }: SeenPictures): Uploaded {
  const settings = storedObject(paper.meta);
  const { picture_key, intent } = row;
  const meta =
    intent === null ? paper.meta : JSON.stringify({ fit: settings.fit, optimize: { enabled: true, intent } });
  const besideKey = beside?.picture_key;
  const words = wordsOf(settings, { row, beside, seenAt });
  return { picture_key, device_picture_key: null, meta, besideKey, words };
}

/** The words that an album has on its pictures: of a pair, those of each. */
function wordsOf(
  settings: Readonly<Record<string, unknown>>,
  { row, beside, seenAt }: SeenPictures,
): PictureWords | undefined {
  const { words } = settings;
  const shows = Array.isArray(words) ? captionParts.filter((part) => words.includes(part)) : [];
  if (shows.length === 0) return undefined;
  const language = typeof settings.language === 'string' ? settings.language : 'en';
  const { order, timeZone } = albumChoices(settings);
  const today = localDate(seenAt, timeZone);
  const linesOf = ({ taken, location, caption, credit, source_picture }: SentPictureRow): readonly string[] =>
    captionLines({
      taken: taken ?? undefined,
      place: location ?? undefined,
      caption: caption || (credit ?? undefined),
      shows,
      // Pictures that people send come whatever their day.
      isOfOtherDay: order === 'onThisDay' && source_picture !== null && !isOfThisDay(taken, today),
      language,
    });
  const [lines, other] = [linesOf(row), beside && linesOf(beside)];
  return lines.length + (other?.length ?? 0) === 0 ? undefined : { lines, beside: other, language };
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
