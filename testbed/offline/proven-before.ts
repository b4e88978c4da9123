/** The proof of a picture, in the judge's own words, and the time of it. */
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { Commit } from './machine/commit-log.ts';

/** A conflict of two devices with one identity counts for so long. */
export const contestedMs = 7 * 86_400_000;

/** Returns whether everything that proves an upload was recorded before a moment. */
export function provenBefore({ one, now }: Commit, upload: UploadRow, moment: number): boolean {
  const frame = one<{
    reported_version: number;
    picture_synced: number;
    glass_sha256: string | null;
    dialect: string;
    last_contact_at: number | null;
  }>('select * from frames where serial = ?', upload.serial);
  const { fetched_at: fetchedAt, announced_at: announcedAt } = upload;
  const saidAt = Math.max(upload.shown_at ?? 0, upload.confirmed_at ?? 0);
  if (frame === undefined || fetchedAt === null || announcedAt === null || upload.replaced_at !== null) return false;
  // A contact that is older than the longest sleep proves nothing any longer.
  if (now - (frame.last_contact_at ?? 0) > 26 * 3_600_000) return false;
  // A report that may come from two devices proves nothing; another check says whether there are two (T-47).
  const conflict = one<{ since: number }>('select since from frame_conflicts where serial = ?', upload.serial);
  if (frame.dialect !== 'native' && conflict !== undefined && now < conflict.since + contestedMs) return false;
  const isInOrder = announcedAt <= fetchedAt && fetchedAt <= saidAt && saidAt < moment;
  const isThis = frame.reported_version === upload.file_version && frame.picture_synced === 1;
  return isInOrder && isThis && (frame.dialect !== 'native' || frame.glass_sha256 === upload.picture_sha256);
}
