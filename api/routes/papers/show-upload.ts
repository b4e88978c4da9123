/** Presents uploads to papers as the HTTP contract does. */
import { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import { uploadDeadline } from '../../deadlines/deadline-of-upload.ts';
import type { TimedRow } from '../../delivery-state/timed-rows.ts';
import { uploadReasons } from '../../delivery-state/upload-reasons.ts';
import { remarksOf } from '../../files/picture-notes.ts';
import { remarkFields, tellRemarks } from '../../files/tell-remark.ts';
import { drawsItself } from '../../papers/kinds.ts';
import type { PaperRow } from '../../papers/store.ts';
import { showTimed, timedShown } from '../../timed-pictures/present-timed.ts';
import type { StoredUpload } from '../../uploads/store-picture.ts';
import type { PaperDeps } from './paper-deps.ts';
import { paperShown, showPaper } from './show-paper.ts';

/** The answer to an upload: the paper, and the fields that clients read besides (C-28). */
export const uploaded = paperShown.extend({
  skippedUpload: z.boolean(),
  similarityPercentage: z.number().nullable(),
  uploadAttemptId: z.string(),
  reason: z.enum(uploadReasons),
  /** The key of the stored picture; null for a paper that draws itself. */
  key: z.string().nullable(),
  timed: timedShown.optional().describe('The picture that waits for its time, where one was named'),
  deadline: uploadDeadline.optional().describe('How its deadline stands, where one was named'),
  ...remarkFields,
});

/** Presents a picture that waits for its time, with the paper that it is for. */
export async function showWaiting(
  deps: PaperDeps,
  row: TimedRow,
  paper: PaperRow,
  viewer: Principal,
): Promise<z.input<typeof uploaded>> {
  const shown = { ...showPaper(paper, viewer), skippedUpload: false, similarityPercentage: null };
  const [timed, remark] = [await showTimed(deps, row), await remarksOf(deps.db, row.picture_key)];
  const waiting = { uploadAttemptId: row.id, reason: 'upload-waits' as const, key: row.picture_key, timed };
  return { ...shown, ...waiting, ...tellRemarks(remark) };
}

/** Presents a picture that was stored. */
export async function showUpload(
  { db }: Pick<PaperDeps, 'db'>,
  stored: StoredUpload,
  viewer: Principal | undefined,
): Promise<z.input<typeof uploaded>> {
  const { paper, skipped: skippedUpload, similarityPercentage, attemptId, reason } = stored;
  const shown = { ...showPaper(paper, viewer), skippedUpload, similarityPercentage };
  // A paper that draws itself took no picture (C-49).
  const key = drawsItself(paper.kind) ? null : paper.picture_key;
  return { ...shown, uploadAttemptId: attemptId, reason, key, ...tellRemarks(await remarksOf(db, key)) };
}
