/** Shows pictures at their time, and what was there before when it is over: a step of the delivery line. */

import { Refusal, refuse } from '../../reasons/refusals.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import {
  type CoverRow,
  planTimed,
  type TimedPlace,
  type TimedRow,
  timedPictures,
} from '../delivery-state/timed-rows.ts';
import { storedObject } from '../http/field-shapes.ts';
import { changeSavedPaper } from '../integration/change-saved-paper.ts';
import { keepMeta, restoreMeta } from '../papers/kept-meta.ts';
import { transactOnPaper } from '../papers/lock-paper.ts';
import { paperMeta } from '../papers/paper-meta.ts';
import { type PaperPicture, pictureIn } from '../papers/paper-picture.ts';
import { requirePaper } from '../papers/require-paper.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import { noteUpload } from '../uploads/note-upload.ts';
import { senderOfTimed, settleTimed, type TimedDeps, type TimedOutcome } from './settle-timed.ts';
import { showTimedOnDevice } from './show-timed-device.ts';

/** Carries out what is due, and returns the time at which something is due next; null when nothing is. */
export type ShowTimed = () => Promise<number | null>;

/** Makes the step. A place whose work fails is tried again with the next pass, and holds up no other. */
export function timedShower(deps: TimedDeps): ShowTimed {
  const { db, clock, logger } = deps;
  return async () => {
    for (const place of await timedPictures(db).due(clock.now())) {
      try {
        while (
          (await (place.column === 'paper_id' ? onPaper(deps, place) : showTimedOnDevice(deps, place))) === 'again'
        );
      } catch (error) {
        logger.error({ error, place: place.id }, 'a picture could not be shown at its time');
      }
    }
    return timedPictures(db).nextDue();
  };
}

async function onPaper(deps: TimedDeps, place: TimedPlace): Promise<TimedOutcome> {
  const now = deps.clock.now();
  const moment = { now, random: deps.random };
  return transactOnPaper(deps.db, place.id, async (trx): Promise<TimedOutcome> => {
    const timed = timedPictures(trx);
    const plan = planTimed(await timed.open(place), now);
    const cover = await timed.cover(place.id);
    const next = plan.lasting ?? (plan.top?.id === cover?.timed_id ? undefined : plan.top);
    if (next === undefined) {
      await settleTimed(trx, plan, now);
      if (plan.top === undefined && cover !== undefined) await uncoverPaper(trx, cover, moment);
      return 'done';
    }
    try {
      const paper = await requirePaper(trx, await senderOfTimed(trx, next), place.id, 'write');
      if (paper.organization_id !== next.organization_id) throw refuse('not-found');
      await coverPaper(trx, paper, { cover, next }, moment);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await timed.end(next.id, 'failed', now, error.reason);
      return 'again';
    }
    if (next === plan.lasting) {
      await timed.end(next.id, 'done', now);
      await settleTimed(trx, { ...plan, top: undefined, beneath: [] }, now);
      return 'again';
    }
    await settleTimed(trx, plan, now);
    return 'done';
  });
}

/** Puts a picture on a paper. What was there before is kept, unless the picture stays. */
async function coverPaper(
  trx: Transaction,
  paper: PaperRow,
  { cover, next }: { readonly cover: CoverRow | undefined; readonly next: TimedRow },
  { now, random }: Moment,
): Promise<void> {
  const settings = storedObject(next.settings ?? '{}');
  const { meta: kept = '{}' } = cover ?? {};
  const restored = restoreMeta(paper.meta, kept);
  const base = keepMeta(JSON.stringify(restored), settings, kept);
  // The settings were judged when they came.
  const meta = paperMeta(paper.kind, Object.assign(restored, settings), {});
  if (next.show_until === null) await timedPictures(trx).uncover(paper.id);
  else {
    const before = pictureIn(cover ?? paper);
    await timedPictures(trx).putCover({ place: paper.id, timed_id: next.id, ...before, meta: base });
  }
  const attemptId = next.shown_at === null ? next.id : random.id();
  const picture = pictureIn({ ...next, picture_sender: next.author });
  await putPicture(trx, paper, { ...picture, meta }, { attemptId, now });
}

/** Gives a paper back what it had before. */
async function uncoverPaper(trx: Transaction, cover: CoverRow, { now, random }: Moment): Promise<void> {
  await timedPictures(trx).uncover(cover.place);
  const paper = await paperStore(trx).find(cover.place);
  if (paper === undefined) return;
  const meta = JSON.stringify(restoreMeta(paper.meta, cover.meta));
  await putPicture(trx, paper, { ...pictureIn(cover), meta }, { attemptId: random.id(), now });
}

async function putPicture(
  trx: Transaction,
  paper: PaperRow,
  change: PaperPicture & Pick<PaperRow, 'meta'>,
  { attemptId, now }: { readonly attemptId: string; readonly now: number },
): Promise<void> {
  await changeSavedPaper(trx, paper, {
    ...change,
    picture_revision: change.picture_key === null ? null : attemptId,
    image_updated_at: Math.max(now, (paper.image_updated_at ?? 0) + 1),
    updated_at: now,
  });
  const attempt = { attemptId, forced: false, skipped: false, similarity: null, isRepeat: false };
  await noteUpload(trx, { ...paper, ...change }, attempt, now);
}
