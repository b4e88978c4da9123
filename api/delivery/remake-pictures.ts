/**
 * Makes pictures again whose files were found missing or damaged, and offers them under a new version. The offer
 * stays the same one: a delivery that waits for its proof keeps waiting for it.
 */

import type { LostPicture } from '../../gateway/pictures/read-picture.ts';
import { type Because, readReasons } from '../../reasons/reason.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { wordsOf } from '../../reasons/words.ts';
import { type Database, transact } from '../../runtime/database/database.ts';
import { pictureOf } from '../delivery-state/due-pictures.ts';
import { noticeOf, wantedOf } from '../delivery-state/wanted-of-paper.ts';
import { type DeviceImageRow, deviceImages } from '../devices/device-images.ts';
import { panelOf } from '../devices/device-panel.ts';
import { readRevision, revisionOf } from '../devices/shown-item.ts';
import type { DeviceRow } from '../devices/store.ts';
import type { WantedPicture } from '../drawing/wanted-picture.ts';
import { lockPaper } from '../papers/lock-paper.ts';
import { sentPictures } from '../papers/sent-pictures.ts';
import type { LineDeps } from './line-deps.ts';
import { pictureClaims } from './picture-claims.ts';
import { pictureStore } from './picture-store.ts';

/** Wait between two tries: the source may be gone as well, and then another picture takes the place some day. */
const retryMs = 10 * 60_000;
const maxAtOnce = 4;

/** The step: `begin` starts the due work and returns, `idle` waits for it. */
export function remakePictures(deps: LineDeps) {
  const { db, clock, logger, gateway } = deps;
  const store = pictureStore(deps, pictureClaims(deps));
  const underWay = new Map<string, Promise<void>>();

  async function begin(): Promise<void> {
    for (const lost of await gateway.lostPictures()) {
      if (underWay.size >= maxAtOnce) return;
      if (underWay.has(lost.uploadId)) continue;
      const work = remake(lost)
        .catch((error: unknown) => {
          if (error instanceof Refusal) return error.reason;
          logger.error({ error }, 'making a picture again broke off');
          return 'it broke off';
        })
        .then((problem) => (problem === undefined ? undefined : tryLater(lost, problem)))
        .catch((error: unknown) => logger.error({ error }, 'another try could not be noted'))
        .finally(() => underWay.delete(lost.uploadId));
      underWay.set(lost.uploadId, work);
    }
  }

  /** Makes one picture again. Resolves to the problem that keeps it from being made, if there is one. */
  async function remake(lost: LostPicture): Promise<Because | undefined> {
    const wanted = await wantedAgain(db, lost, clock.now());
    if (wanted === undefined) return 'what it was made of no longer exists';
    const picture = await store.picture(wanted);
    if (!picture.ok) return picture.reason;
    const isNews = await transact(db, async (trx) => {
      // INV-30: the owner of the offer and the source of its picture are still the same when it is offered.
      if (wanted.image === undefined) await lockPaper(trx, wanted.paperId);
      await trx('devices').where({ serial: lost.serial }).forUpdate().first('id');
      const still = await wantedAgain(trx, lost, clock.now());
      if (still === undefined || revisionOf(still.shown) !== revisionOf(wanted.shown)) return undefined;
      if (still.edition !== wanted.edition) return undefined;
      if (picture.sentPicture !== undefined) {
        await sentPictures(trx).noteOnlyShowing(lost.uploadId, picture.sentPicture);
      }
      return gateway.remakeOffer(trx, lost, picture.made);
    });
    if (isNews === undefined) return 'what it is made of has just changed';
    logger.info({ frame: lost.serial, upload: lost.uploadId }, 'a lost picture was made again');
    if (isNews) await gateway.announce(lost.serial);
    return undefined;
  }

  async function tryLater({ uploadId, serial }: LostPicture, problem: Because): Promise<void> {
    logger.warn(
      { frame: serial, upload: uploadId, problem: wordsOf(problem) },
      'a lost picture could not be made again',
    );
    await gateway.remakeLater(uploadId, clock.now() + retryMs);
  }

  return {
    begin,
    async idle(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
  };
}

/** Gives the picture to render for an offer that its device still shows; undefined when nothing here can make it. */
async function wantedAgain(db: Database, lost: LostPicture, now: number): Promise<WantedPicture | undefined> {
  const { serial, revision } = lost;
  const device = await db<DeviceRow>('devices').where({ serial }).first();
  if (device === undefined) return undefined;
  const own = await deviceImages(db).ofRevision(device.id, revision);
  if (own !== undefined) return imageAgain(device, lost, own);
  const due = await pictureOf(db, device.id);
  const wanted = due && wantedOf(due, now);
  if (due === undefined || wanted === undefined || 'code' in wanted) return undefined;
  if (revision === revisionOf(due.shown)) return wanted;
  if (revision !== revisionOf({ kind: 'notice', id: due.paper_id })) return undefined;
  const { problem } = (await db('shown_pictures').where({ device_id: device.id }).first('problem')) ?? {};
  return noticeOf(wanted, readReasons(problem), due.paper_meta);
}

/** Gives the picture to render for an offer of an image of the device's own. */
function imageAgain(
  device: DeviceRow,
  { serial, revision }: LostPicture,
  own: DeviceImageRow,
): WantedPicture | undefined {
  const panel = panelOf(device);
  const { orientation, picture_key, device_picture_key } = own;
  const image = { picture_key, device_picture_key };
  const sharer = [device.organization_id, device.id];
  return panel && { sharer, paperId: '', shown: readRevision(revision), edition: 0, panel, orientation, serial, image };
}
