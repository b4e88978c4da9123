/**
 * Offers uploaded pictures, and pages without an open request, to the frames that show them. No receipts are owed for
 * these: the frame's last offer is compared with the item that its paper shows. A picture that was only made again is
 * offered if a pixel changed.
 */

import { isAwaited, lastOffered, noteMadeOf, wasOffered } from '../../gateway/pictures/offer-picture.ts';
import type { MadePicture } from '../../gateway/pictures/upload-row.ts';
import { type Because, storedReasons } from '../../reasons/reason.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { type DuePicture, duePictures, pictureOf } from '../delivery-state/due-pictures.ts';
import { offerPictureToFrame } from '../delivery-state/offer-picture-to-frame.ts';
import { retryMs } from '../delivery-state/states.ts';
import { uploadAttempts } from '../delivery-state/upload-attempts.ts';
import { noticeOf, wantedOf, whenSeen } from '../delivery-state/wanted-of-paper.ts';
import { revisionOf } from '../devices/shown-item.ts';
import type { WantedPicture } from '../drawing/wanted-picture.ts';
import { frontFor } from '../filled-albums/queue.ts';
import { changingKinds, isAlbum, isSeries } from '../papers/kinds.ts';
import { beginOfPlaylist } from '../papers/not-set-up.ts';
import { sentPictures } from '../papers/sent-pictures.ts';
import type { LineDeps } from './line-deps.ts';
import { pictureClaims } from './picture-claims.ts';
import { type PictureStore, pictureStore, type StoredPicture } from './picture-store.ts';
import { worksUnderWay } from './works-under-way.ts';

/**
 * Waits after a failure: three quick ones, then one an hour; a picture that was only made again, of something that
 * changes by itself, waits for its next occasion instead.
 */
const waitsMs = [...retryMs, 3_600_000] as const;
const quickRetries = retryMs.length;

interface ShowStepDeps extends LineDeps {
  /** True for a picture that is left to another node. */
  readonly isLeft: (due: DuePicture) => boolean;
}

interface ShowDeps extends LineDeps {
  readonly store: PictureStore;
  /** Called when another try is due. */
  readonly dueAgain: () => void;
}

/**
 * The outcome of showing a picture: `over` when it was offered or its failure was noted; `open` when it was changed
 * meanwhile, and may be due still.
 */
type Shown = 'over' | 'open';

/**
 * The step (INV-72): `begin` starts the due work and returns, `goOn` starts work that waited for other work to end,
 * `idle` waits until all of it has ended.
 * @param ended called when a piece of work has ended; `dueAgain`, when another try is due
 */
export function showPapers(deps: ShowStepDeps, { ended, dueAgain }: Record<'ended' | 'dueAgain', () => void>) {
  const { db, clock, logger } = deps;
  const showing: ShowDeps = { ...deps, store: pictureStore(deps, pictureClaims(deps)), dueAgain };
  const underWay = worksUnderWay<string>();
  /** Organizations whose due pictures were not read, because those could begin no further work. */
  let notRead: readonly string[] = [];

  function beginOne(due: DuePicture): void {
    const { device_id: deviceId, organization_id: organizationId } = due;
    const work = show(showing, due)
      .catch((error: unknown) => {
        logger.error({ error }, 'showing a paper broke off');
        return waitAfter(showing, due, error instanceof Refusal ? error.reason : 'it broke off');
      })
      .catch((error: unknown): Shown => {
        // The database may be unavailable; due work stays due.
        logger.error({ error }, 'another try could not be noted');
        return 'open';
      })
      .then((shown) => {
        if (shown === 'open') underWay.wait(deviceId, organizationId, deviceId);
      });
    underWay.begin(deviceId, organizationId, work, ended);
  }

  /**
   * Reads all due work, which costs a look at every device, except that of organizations that may begin no more:
   * otherwise, while frames are set up one by one, each of them would have all devices read.
   */
  async function begin(): Promise<void> {
    notRead = underWay.full();
    const look = underWay.look();
    const found = await duePictures(db, clock.now(), { notOf: notRead });
    underWay.forgetWaiting(notRead);
    for (const due of found) {
      if (deps.isLeft(due)) continue;
      const { device_id: deviceId, organization_id: organizationId } = due;
      if (look.mayBegin(deviceId, organizationId)) beginOne(due);
      else underWay.wait(deviceId, organizationId, deviceId);
    }
  }

  async function goOn(): Promise<void> {
    for (let next = underWay.next(); next !== undefined; next = underWay.next()) {
      const [due] = await duePictures(db, clock.now(), { deviceId: next });
      if (due !== undefined && !deps.isLeft(due)) beginOne(due);
    }
    if (notRead.some(underWay.isFree)) await begin();
  }

  return { begin, goOn, isFull: underWay.isFull, idle: underWay.idle };
}

async function show(deps: ShowDeps, found: DuePicture): Promise<Shown> {
  const due = { ...found, position: await positionOf(deps, found) };
  const now = deps.clock.now();
  const wanted = wantedOf(due, now);
  if ('code' in wanted) return waitAfter(deps, found, wanted);
  const picture = await deps.store.picture(wanted);
  if (picture.ok) return offer(deps, due, picture, whenSeen(due, now));
  const noted = await waitAfter(deps, found, picture.reason);
  if (due.attempts === quickRetries - 1) await offerNotice(deps, due, wanted, picture.reason);
  return noted;
}

/**
 * C-49: each upload takes the next slide. Uploads that wait to be offered are offered as one: the last of them. A picture
 * of an album stays until the frame has taken it (C-62).
 */
async function positionOf({ db }: ShowDeps, due: DuePicture): Promise<number> {
  const { device_id: deviceId, paper_id: paperId, paper_kind, position, serial, shown } = due;
  if (!isSeries(paper_kind)) return position;
  if (!isAlbum(paper_kind))
    return position + Math.max(0, (await uploadAttempts(db).waiting({ deviceId, paperId })) - 1);
  const from = (await pictureOf(db, deviceId))?.position ?? 0;
  const front = await frontFor(db, { paperId, serial, from });
  if (front !== undefined) return front;
  const waits = due.again && (await isAwaited(db, serial, revisionOf(shown)));
  return waits ? from : position;
}

async function offer(
  deps: ShowDeps,
  due: DuePicture,
  { made, remarks, sentPicture, passed = 0 }: StoredPicture & { readonly ok: true },
  madeFor: number,
): Promise<Shown> {
  const { device_id: deviceId, paper_id: paperId, paper_kind: kind, shown, edition, serial, position } = due;
  const offered = await offerPictureToFrame(deps, {
    deviceId,
    shown,
    paper: { id: paperId, kind },
    answersUploads: true,
    remember: { edition, position: position + passed, madeFor, remarks },
    async decide(trx, now) {
      await trx('devices').where({ id: deviceId }).forUpdate().first('id');
      const [still] = await duePictures(trx, now, { deviceId });
      if (still === undefined || !isUnchanged(due, still)) return undefined;
      const known = await knownOffer(trx, still, made);
      if (known !== undefined) await noteMadeOf(trx, known, made.madeOf);
      if (known !== undefined && sentPicture !== undefined) await sentPictures(trx).noteShowing(known, sentPicture);
      return { serial, picture: known === undefined ? made : undefined };
    },
    async record(trx, _decided, uploadId) {
      if (sentPicture !== undefined) await sentPictures(trx).noteShowing(uploadId, sentPicture);
      return true;
    },
  });
  return offered === undefined ? 'open' : 'over';
}

/** Asks if the device is still to show the rendered item, on the panel and at the wake that it was rendered for. */
function isUnchanged(due: DuePicture, still: DuePicture): boolean {
  if (still.render_for !== due.render_for) return false;
  if (still.paper_id !== due.paper_id || revisionOf(still.shown) !== revisionOf(due.shown)) return false;
  return still.edition === due.edition && still.device_meta === due.device_meta && still.kind === due.kind;
}

/**
 * The offer by which the frame has the very pixels of a picture made again; undefined when there is none, or somebody
 * wants an offer nevertheless.
 */
async function knownOffer(trx: Transaction, due: DuePicture, { sha256 }: MadePicture): Promise<string | undefined> {
  const { device_id: deviceId, paper_id: paperId, serial, shown } = due;
  // An image that a person sent to the device itself stays until the paper has something new.
  if (!due.again || (await uploadAttempts(trx).isForced({ deviceId, paperId }))) return undefined;
  const last = await lastOffered(trx, serial, revisionOf(shown));
  return last?.picture_sha256 === sha256 ? last.id : undefined;
}

/** Offers the reason as a notice to a frame that was never offered anything. Every other frame keeps its picture. */
async function offerNotice(deps: ShowDeps, due: DuePicture, wanted: WantedPicture, reason: Because): Promise<void> {
  const { device_id: deviceId, paper_id: id, paper_kind: kind, serial } = due;
  if (await wasOffered(deps.db, serial)) return;
  const notice = noticeOf(wanted, reason, due.paper_meta);
  const picture = await deps.store.picture(notice);
  if (!picture.ok) return;
  await offerPictureToFrame(deps, {
    deviceId,
    shown: notice.shown,
    paper: { id, kind },
    async decide(trx) {
      return (await wasOffered(trx, serial)) ? undefined : { serial, picture: picture.made };
    },
  });
}

/** A failure is written down with the time of the next try: without one the step would begin again at once. */
async function waitAfter(deps: ShowDeps, due: DuePicture, problem: Because): Promise<Shown> {
  const { db, clock, logger } = deps;
  const { device_id: deviceId, paper_id: paperId, edition, serial } = due;
  const now = clock.now();
  const attempts = due.attempts + 1;
  const usual = waitsMs[Math.min(attempts, waitsMs.length) - 1] as number;
  // A playlist that has not begun is due when it begins, at the latest.
  const beginsIn = (beginOfPlaylist([problem]) ?? 0) - now;
  const waitMs = beginsIn > 0 ? Math.min(usual, beginsIn) : usual;
  const failed = { attempts, problem: storedReasons(problem), updated_at: now, turn: due.position + 1, edition };
  // The frame goes on showing its picture, so the row goes on naming it.
  const isTriedAgain = attempts <= quickRetries || beginsIn > 0 || !changingKinds.includes(due.paper_kind);
  const next = isTriedAgain ? now + waitMs : null;
  const change = due.again
    ? { ...failed, render_due_at: next }
    : { ...failed, paper_id: paperId, revision: '', due_at: now + waitMs, render_due_at: null };
  // Another node may have shown it meanwhile, or failed as well: what it wrote stays.
  if (!(await noteFailed(deps, due, change))) return 'open';
  await uploadAttempts(db).failed({ deviceId, paperId }, problem);
  // The owner fixes this and sees it in `why`, so it is not logged as a warning.
  logger.info({ paper: paperId, frame: serial, problem: wordsOf(problem) }, 'a paper could not be shown');
  clock.after(waitMs, deps.dueAgain);
  return 'over';
}

/** Writes what became of a picture into its row, if that is as it was read; false when it is not. */
async function noteFailed({ db }: ShowDeps, due: DuePicture, change: Record<string, unknown>): Promise<boolean> {
  const { device_id, before } = due;
  if (before !== null) {
    const changed: number = await db('shown_pictures')
      .where({ device_id, ...before })
      .update(change);
    return changed > 0;
  }
  const inserted = await db<Record<string, unknown>>('shown_pictures')
    .insert({ device_id, ...change })
    .onConflict('device_id')
    .ignore()
    .returning('device_id');
  return inserted.length > 0;
}
