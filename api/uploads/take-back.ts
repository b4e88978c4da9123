/** Takes an upload to a paper back: the picture that it replaced is the paper's again. */
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import type { Principal } from '../access/principal.ts';
import { timedPictures } from '../delivery-state/timed-rows.ts';
import type { UploadDeps } from '../delivery-state/upload-deps.ts';
import { changeSavedPaper } from '../integration/change-saved-paper.ts';
import { keepMeta, restoreMeta } from '../papers/kept-meta.ts';
import { transactOnPaper } from '../papers/lock-paper.ts';
import { type PaperPicture, pictureIn } from '../papers/paper-picture.ts';
import { replacedPictures, takeBackMs } from '../papers/replaced-pictures.ts';
import { requirePaper } from '../papers/require-paper.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import { noteUpload } from './note-upload.ts';

/** An upload that is about to change a paper. */
interface ComingUpload {
  readonly keys: Pick<PaperPicture, 'picture_key'>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly attemptId: string;
}

/** Keeps what a paper has before an upload; one that is sent again keeps what was there before the first time. */
export async function keepReplaced(
  trx: Transaction,
  paper: PaperRow,
  { keys, settings, attemptId }: ComingUpload,
  now: number,
): Promise<void> {
  const replaced = replacedPictures(trx);
  const known = await replaced.find(paper.id);
  const isAgain = keys.picture_key === paper.picture_key && known?.revision === paper.picture_revision;
  if (isAgain) return replaced.put({ ...known, revision: attemptId });
  // A picture shown until a set time ends with the upload: the picture before it is the one that would have come back.
  const picture = pictureIn((await timedPictures(trx).cover(paper.id)) ?? paper);
  const meta = keepMeta(paper.meta, settings);
  return replaced.put({ paper_id: paper.id, revision: attemptId, ...picture, meta, replaced_at: now });
}

/**
 * Takes an upload back.
 * @throws Refusal `conflict` when another picture came since, `picture-gone` when it is too long ago
 */
export function takeBackUpload(
  { db, clock, random }: UploadDeps,
  principal: Principal,
  paperId: string,
  attemptId: string,
): Promise<PaperRow> {
  return transactOnPaper(db, paperId, async (trx) => {
    const now = clock.now();
    const paper = await requirePaper(trx, principal, paperId, 'write');
    const before = await replacedPictures(trx).find(paperId);
    if (paper.picture_revision !== attemptId) throw refuse('conflict', { message: reasonOf('another-picture-since') });
    if (before?.revision !== attemptId || before.replaced_at < now - takeBackMs) throw refuse('picture-gone');
    const meta = JSON.stringify(restoreMeta(paper.meta, before.meta));
    const change = { ...pictureIn(before), meta };
    const revision = random.id();
    await changeSavedPaper(trx, paper, {
      ...change,
      picture_revision: before.picture_key === null ? null : revision,
      image_updated_at: Math.max(now, (paper.image_updated_at ?? 0) + 1),
      updated_at: now,
    });
    await replacedPictures(trx).forgetOf(paperId);
    const attempt = { attemptId: revision, forced: false, skipped: false, similarity: null, isRepeat: false };
    await noteUpload(trx, { ...paper, ...change }, attempt, now);
    const changed = await paperStore(trx).find(paperId);
    if (changed === undefined) throw refuse('not-found');
    return changed;
  });
}
