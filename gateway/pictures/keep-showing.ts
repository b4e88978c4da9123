/** Keeps what was on a glass in a row of its own, before its offer begins again. */
import type { Database } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { newDownloadPath, type UploadRow } from './upload-row.ts';

/**
 * Writes down that a frame has shown this picture, before the offer's times are emptied (EV-06). The row only records
 * what was on the glass: it is never fetched, and is not an offer.
 */
export async function keepShowing(db: Database, upload: UploadRow, { now, random }: Moment): Promise<void> {
  const { fetched_at, shown_at } = upload;
  if (fetched_at === null || shown_at === null || shown_at < fetched_at) return;
  const own = { id: random.id(), path: newDownloadPath(random), showing_of: upload.id };
  await db<UploadRow>('uploads').insert({ ...upload, ...own, replaced_at: now, remake_at: null });
}
