/**
 * The queue of a filled album: the pictures that are here, in the order in which frames show them. Each frame is at a place
 * of its own; those that are ahead of every frame wait, a few behind stay for when the sources are away.
 */
import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { type SentPictureRow, sentPictures } from '../papers/sent-pictures.ts';
import type { filledAlbumTables } from './tables.ts';

/** A row of `album_queue`. */
export type QueueRow = RowIn<typeof filledAlbumTables, 'album_queue'>;

/** The pictures that wait for a frame, and those that stay behind it. */
export const windowSize = { ahead: 8, behind: 12 } as const;

const rowsOf = (db: Database) => db<QueueRow>('album_queue');

/** Reads the queue of an album in its order; empty for an album that people alone fill. */
export const readQueue = (db: Database, paperId: string): Promise<QueueRow[]> =>
  rowsOf(db).where({ paper_id: paperId }).orderBy('place');

/** An entry of the queue at a position, and how many places it lies ahead of it. */
export interface QueuedAt {
  readonly entry: QueueRow;
  readonly passed: number;
}

/**
 * Chooses the entry at a position: the first one that is not before it. When none is left all of them come again, so that
 * an album goes on while its sources are away (FI-9).
 * @param queue in its order
 */
export function queuedAt(queue: readonly QueueRow[], position: number): QueuedAt | undefined {
  const next = queue.find(({ place }) => place >= position);
  if (next !== undefined) return { entry: next, passed: next.place - position };
  const end = queue.at(-1);
  const again = end && queue[(position - end.place - 1) % queue.length];
  return again && { entry: again, passed: 0 };
}

/** The places of the frames that show an album: the one after that of what each was given last, and that of the clock. */
export async function placesOfFrames(db: Database, paperId: string): Promise<readonly number[]> {
  const [clock]: number[] = await db('filled_albums')
    .where({ paper_id: paperId })
    .where('clock_place', '>', 0)
    .pluck('clock_place');
  const given: number[] = await db('shown_pictures')
    .join('devices', 'devices.id', 'shown_pictures.device_id')
    .where('shown_pictures.paper_id', paperId)
    .andWhere('devices.paper_id', paperId)
    .pluck('shown_pictures.turn');
  return [...(clock === undefined ? [] : [clock]), ...given].map(Number);
}

/** Returns the place behind everything that is queued or was shown. */
export async function placeBehindAll(trx: Transaction, paperId: string): Promise<number> {
  const last = await rowsOf(trx).where({ paper_id: paperId }).max('place as place').first<{ place: number | null }>();
  return Math.max(Number(last?.place ?? 0) + 1, ...(await placesOfFrames(trx, paperId)));
}

/**
 * Puts a picture that a person sent where every frame that shows the album takes it next.
 * @returns false for an album that people alone fill, which has no queue
 */
export async function joinQueue(trx: Transaction, paperId: string, pictureId: string): Promise<boolean> {
  const queue = await readQueue(trx, paperId);
  if (queue.length === 0) return false;
  const place = Math.max(queue[0]?.place ?? 1, ...(await placesOfFrames(trx, paperId)));
  // From the last one on, since two entries never have one place.
  for (const entry of queue.filter((one) => one.place >= place).reverse()) {
    await rowsOf(trx)
      .where({ paper_id: paperId, place: entry.place })
      .update({ place: entry.place + 1 });
  }
  await rowsOf(trx).insert({ paper_id: paperId, place, picture_id: pictureId, is_front: 1 });
  const album = await trx('filled_albums').where({ paper_id: paperId }).first('round');
  await trx('sent_pictures')
    .where({ id: pictureId })
    .update({ round: Number(album?.round ?? 0) });
  return true;
}

/** The next picture in front that a frame was not offered yet. */
export async function frontFor(
  db: Database,
  { paperId, serial, from }: { readonly paperId: string; readonly serial: string; readonly from: number },
): Promise<number | undefined> {
  const front = await rowsOf(db)
    .where({ paper_id: paperId, is_front: 1 })
    .where('place', '>=', from)
    .whereNotExists(
      db('picture_showings')
        .join('uploads', 'uploads.id', 'picture_showings.upload_id')
        .where('uploads.serial', serial)
        .whereRaw('picture_showings.picture_id = album_queue.picture_id')
        .select(db.raw('1')),
    )
    .orderBy('place')
    .first('place');
  return front === undefined ? undefined : Number(front.place);
}

/** Takes entries out of the queue, and deletes the copies that no other entry shows. */
export async function removeFromQueue(trx: Transaction, entries: readonly QueueRow[]): Promise<void> {
  for (const { paper_id, place } of entries) await rowsOf(trx).where({ paper_id, place }).delete();
  const ids = entries.flatMap(({ picture_id, beside_id }) =>
    beside_id === null ? [picture_id] : [picture_id, beside_id],
  );
  await removeUnqueuedCopies(trx, ids);
}

async function removeUnqueuedCopies(trx: Transaction, ids: readonly string[]): Promise<void> {
  const unqueued: SentPictureRow[] = await trx<SentPictureRow>('sent_pictures')
    .whereIn('id', ids)
    .whereNotNull('source_picture')
    .whereNotExists(
      rowsOf(trx).whereRaw('(picture_id = sent_pictures.id or beside_id = sent_pictures.id)').select(trx.raw('1')),
    );
  for (const row of unqueued) await sentPictures(trx).remove(row);
}

/** Returns the entries that lie too far behind every frame. */
export function passedEntries(queue: readonly QueueRow[], frames: readonly number[]): readonly QueueRow[] {
  if (frames.length === 0) return [];
  // A frame that lags keeps a longer window, up to its double.
  const least = Math.max(Math.min(...frames), Math.max(...frames) - windowSize.behind);
  const behind = queue.filter(({ place }) => place < least);
  return behind.slice(0, Math.max(0, behind.length - windowSize.behind));
}

/** Returns the entries that no frame has come to. */
export const entriesAhead = (queue: readonly QueueRow[], frames: readonly number[]): readonly QueueRow[] =>
  queue.filter(({ place }) => place >= Math.max(0, ...frames));

/** Counts the entries of an album that no frame has come to. */
export async function countAhead(db: Database, paperId: string): Promise<number> {
  const frames = await placesOfFrames(db, paperId);
  const counted = await rowsOf(db)
    .where({ paper_id: paperId })
    .where('place', '>=', Math.max(0, ...frames))
    .count({ all: '*' })
    .first();
  return Number(counted?.all ?? 0);
}
