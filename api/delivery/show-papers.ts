/**
 * Offers uploaded pictures, and pages without an open request, to the frames that show them. No receipts are owed for
 * these: what the frame was last offered is compared with what its paper shows (INV-72). A picture that was only made
 * again is offered if a pixel changed.
 */
import { panelOfDevice } from '../../firmware-protocol/panels.ts';
import { lastOffered, wasOffered } from '../../gateway/pictures/offer-picture.ts';
import type { OfferedPicture } from '../../gateway/pictures/upload-log.ts';
import { transact } from '../../gateway/runtime/database.ts';
import { Refusal } from '../../gateway/runtime/refusals.ts';
import { changingKinds } from '../papers/kinds.ts';
import { lockPaper } from '../papers/lock-paper.ts';
import { type DuePicture, duePictures } from './due-pictures.ts';
import type { LineEdges, WantedPicture } from './line-edges.ts';
import { orientationOf } from './offer-to-frame.ts';
import { pictureStore } from './picture-store.ts';
import { causeOf, uploadAttempts } from './upload-attempts.ts';

/**
 * Waits after a failure: three quick ones, then one an hour; a picture that was only made again, of something that
 * changes by itself, waits for its next occasion instead.
 */
const retryMs = [2_000, 10_000, 30_000, 3_600_000] as const;
const quickRetries = 3;
/** Pictures worked on at once; rendering has a queue of its own. */
const mostAtOnce = 16;
const minuteMs = 60_000;

/** The step: `begin` starts what is due and returns, `idle` waits for it. */
export function showPapers(edges: LineEdges, ended: () => void) {
  const { db, clock, logger } = edges;
  const store = pictureStore(edges);
  const underWay = new Map<string, Promise<void>>();

  async function begin(): Promise<void> {
    for (const due of await duePictures(db, clock.now())) {
      if (underWay.size >= mostAtOnce) return;
      if (underWay.has(due.device_id)) continue;
      const work = show(due)
        .catch((error: unknown) => {
          logger.error({ error }, 'showing a paper broke off');
          return waitAfter(due, error instanceof Refusal ? error.message : 'it broke off');
        })
        .finally(() => {
          underWay.delete(due.device_id);
          ended();
        });
      underWay.set(due.device_id, work);
    }
  }

  async function show(found: DuePicture): Promise<void> {
    const due = { ...found, turn: found.turn + (await slidesAhead(found)) };
    const wanted = wantedOf(due, clock.now());
    const picture =
      wanted === undefined
        ? { ok: false as const, reason: `no panel is known for frames of kind ${due.kind ?? 'unknown'}` }
        : await store.picture(wanted);
    if (picture.ok) return offer(due, picture);
    await waitAfter(found, picture.reason);
    if (wanted !== undefined && due.attempts === quickRetries - 1) await showNotice(due, wanted, picture.reason);
  }

  /** C-49: each upload takes the next slide. Those that wait to be offered are offered as one: the last of them. */
  async function slidesAhead({ device_id: deviceId, paper_id: paperId, paper_kind }: DuePicture): Promise<number> {
    if (paper_kind !== 'slides') return 0;
    return Math.max(0, (await uploadAttempts(db).waiting({ deviceId, paperId })) - 1);
  }

  async function offer(due: DuePicture, picture: Pick<OfferedPicture, 'sha256' | 'bytes' | 'format'>): Promise<void> {
    const { device_id: deviceId, paper_id: paperId, revision, edition, serial, turn } = due;
    const now = clock.now();
    const offered = await transact(db, async (trx) => {
      // Newer content, or another paper on this frame, comes before this offer or after it, and never in between.
      await lockPaper(trx, paperId);
      await trx('devices').where({ id: deviceId }).forUpdate().first('id');
      const [still] = await duePictures(trx, now, deviceId);
      if (still?.paper_id !== paperId || still.revision !== revision || still.edition !== edition) return false;
      if (still.device_meta !== due.device_meta || still.kind !== due.kind) return false;
      // What a person sent to the device itself stays until the paper has something new.
      const attempts = uploadAttempts(trx);
      const isNews = !still.again || (await attempts.isForced({ deviceId, paperId }));
      const same = !isNews && (await lastOffered(trx, serial, revision)) === picture.sha256;
      if (same) await attempts.same({ deviceId, paperId }, now);
      else {
        const uploadId = await edges.gateway.offerPicture(trx, { serial, revision, ...picture });
        const made = { deviceId, paperId, paperKind: due.paper_kind, cause: causeOf(revision), uploadId };
        await attempts.offered(made, now);
      }
      await store.remember(trx, { deviceId, paperId, revision, edition, turn }, now);
      return !same;
    });
    if (offered) await edges.gateway.announce(serial);
  }

  /** A frame that was never offered anything says why, rather than nothing. Every other one keeps its picture. */
  async function showNotice(due: DuePicture, wanted: WantedPicture, reason: string): Promise<void> {
    const { serial } = due;
    if (await wasOffered(db, serial)) return;
    const notice = { title: 'Nothing to show yet', text: reason };
    const picture = await store.picture({ ...wanted, revision: `notice:${wanted.revision}`, notice });
    if (!picture.ok) return;
    const offered = await transact(db, async (trx) => {
      await lockPaper(trx, due.paper_id);
      if (await wasOffered(trx, serial)) return false;
      const { device_id: deviceId, paper_id: paperId, paper_kind: paperKind } = due;
      const revision = `notice:${paperId}`;
      const uploadId = await edges.gateway.offerPicture(trx, { serial, revision, ...picture });
      await uploadAttempts(trx).note({ deviceId, paperId, paperKind, cause: causeOf(revision), uploadId }, clock.now());
      return true;
    });
    if (offered) await edges.gateway.announce(serial);
  }

  /** A failure is written down with the time of the next try: without one the step would begin anew at once. */
  async function waitAfter(due: DuePicture, problem: string): Promise<void> {
    const { device_id: deviceId, paper_id: paperId, edition, serial } = due;
    const now = clock.now();
    const attempts = due.attempts + 1;
    const waitMs = retryMs[Math.min(attempts, retryMs.length) - 1] as number;
    const failed = { attempts, problem, updated_at: now, turn: due.turn + 1, edition };
    await uploadAttempts(db).failed({ deviceId, paperId }, problem);
    if (due.again) {
      // What the frame shows stays, and stays known.
      const next = attempts <= quickRetries || !changingKinds.includes(due.paper_kind) ? now + waitMs : null;
      await db('shown_pictures')
        .where({ device_id: deviceId, paper_id: paperId, revision: due.revision })
        .update({ ...failed, render_due_at: next });
    } else {
      const row = { ...failed, paper_id: paperId, revision: '', due_at: now + waitMs, render_due_at: null };
      await db('shown_pictures')
        .insert({ device_id: deviceId, ...row })
        .onConflict('device_id')
        .merge(row);
    }
    logger.warn({ paper: paperId, frame: serial, problem }, 'a paper could not be shown');
    clock.after(waitMs, ended);
  }

  return {
    begin,
    async idle(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
  };
}

/** What to render; undefined for a frame whose panel is not known. */
function wantedOf(due: DuePicture, now: number): WantedPicture | undefined {
  const panel = panelOfDevice(due.kind, due.device_meta);
  if (panel === undefined) return undefined;
  const { paper_id: paperId, revision, edition, serial, turn } = due;
  const orientation = orientationOf(due.paper_meta, due.device_meta);
  const picture = { paperId, revision, edition, panel, orientation, serial };
  if (!changingKinds.includes(due.paper_kind)) return picture;
  // By the minute, so that frames which wake together share one picture. It is seen when the frame wakes.
  const at = Math.max(now, due.render_for ?? 0);
  return { ...picture, at: at - (at % minuteMs), ...(due.paper_kind === 'slides' && { turn }) };
}
