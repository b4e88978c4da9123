/** Stores an image of a device's own, and offers it to its frame (docs/decisions/0009). */

import type { Orientation } from '../../firmware-protocol/panels.ts';
import type { FrameFacts } from '../../gateway/frames/frame-facts.ts';
import { whyNotDrawn } from '../../gateway/frames/named-panel.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { MadePicture } from '../../gateway/pictures/upload-row.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { nameIn, type Principal } from '../access/principal.ts';
import { offerPictureToFrame } from '../delivery-state/offer-picture-to-frame.ts';
import { timedPictures } from '../delivery-state/timed-rows.ts';
import type { UploadDeps } from '../delivery-state/upload-deps.ts';
import { type DeviceImageRow, deviceImages } from '../devices/device-images.ts';
import { noPanelFor, panelOf } from '../devices/device-panel.ts';
import { requireDevice } from '../devices/require-device.ts';
import { revisionOf, type ShownItem } from '../devices/shown-item.ts';
import { type DeviceRow, deviceStore, findDevice } from '../devices/store.ts';
import { prepareUploaded } from '../drawing/prepare-uploaded.ts';
import { acceptPicture } from '../files/accept-picture.ts';
import { type NotedPicture, storeAccepted } from '../files/picture-notes.ts';
import type { UploadedFile } from '../http/uploaded-file.ts';
import type { QueuePlace } from '../images/normalize-image.ts';
import { orientationOf } from '../papers/orientation.ts';
import { likenessTo, unlike } from './compare-upload.ts';
import { readyForPanel } from './ready-for-panel.ts';
import { idOfMessage } from './sent-message.ts';
import { findRepeatedImage, type ImageOffer, type StoredImage } from './stored-image.ts';

/** The parts of an upload that somebody sends to a device. */
export interface ImageUpload {
  readonly uuid: string | undefined;
  /** The source: fitted to the frame and dithered, unless there is a picture that is ready for the panel. */
  readonly picture: UploadedFile;
  readonly ready: UploadedFile | undefined;
  /** Offers the picture to the frame although it has it already. */
  readonly force: boolean;
  /** The sender's own name of the upload: a repetition under it changes nothing. */
  readonly messageId?: string | undefined;
}

export interface OfferImageDeps extends UploadDeps {
  readonly frames: Pick<Gateway, 'lastOffer' | 'storePicture' | 'offerPicture' | 'announce'> & {
    /** Reads the facts about a frame, by its serial. */
    status(serial: string): Promise<FrameFacts | undefined>;
  };
}

/** The decision about an offer before it is made. */
export type ImageOutcome = Omit<ImageOffer, 'uploadAttemptId'>;

/** A picture that is offered, if there is one, with the decision about it. */
interface Prepared {
  readonly picture?: MadePicture;
  readonly outcome: ImageOutcome;
}

/** An image that is to be stored: its PNG files, and how it hangs. */
interface NewImage {
  readonly uuid: string | undefined;
  readonly source: NotedPicture;
  readonly ready: Buffer | undefined;
  readonly orientation: Orientation;
  readonly force: boolean;
  /** The name of the sender; that of the caller unless given. */
  readonly sender?: string | undefined;
  /** The id of the message that brought it, where its sender gave it a name. */
  readonly named?: string | undefined;
  /**
   * Writes more rows in the transaction of the offer; left out, the image takes the place of those that are shown
   * until a time. It knows whether the frame has these pixels already, or why it is offered nothing.
   */
  readonly also?: (trx: Transaction, outcome: ImageOutcome, device: DeviceRow) => Promise<void>;
}

/** Takes an upload in. Everything is judged before anything is stored. */
export async function uploadImage(
  deps: OfferImageDeps,
  principal: Principal,
  deviceId: string,
  upload: ImageUpload & Pick<QueuePlace, 'signal'>,
): Promise<StoredImage> {
  const named = idOfMessage({ ...principal, placeId: deviceId, messageId: upload.messageId });
  const repeated = await findRepeatedImage(deps.db, await requireDevice(deps.db, principal, deviceId, 'write'), named);
  if (repeated !== undefined) return repeated;
  const { device, ...accepted } = await acceptImage(deps, principal, deviceId, upload);
  return storeImage(deps, principal, device, { ...upload, ...accepted, named });
}

/** Judges an upload and decodes its pictures; nothing is stored. */
export async function acceptImage(
  deps: OfferImageDeps,
  principal: Principal,
  deviceId: string,
  upload: ImageUpload & Pick<QueuePlace, 'signal'>,
): Promise<Pick<NewImage, 'source' | 'ready' | 'orientation'> & { readonly device: DeviceRow }> {
  const device = await requireDevice(deps.db, principal, deviceId, 'write');
  const orientation = orientationOf('{}', device.meta);
  const queuePlace = { sharer: [device.organization_id, principal.accountId], signal: upload.signal };
  const source = await acceptPicture(deps.normalizeImage, upload.picture, queuePlace);
  const ready =
    upload.ready &&
    (await readyForPanel(
      deps.normalizeImage,
      {
        file: upload.ready,
        device,
        // The vendor's editor sends its pictures to papers alone.
        known: { orientation, original: source.bytes, isFromEditor: false },
        required: true,
        hint: 'send one picture alone, and it is fitted',
      },
      queuePlace,
    ));
  return { device, source, ready, orientation };
}

/** Stores an image under its name and offers it. When this returns, files, row and offer are on the disk. */
export async function storeImage(
  deps: OfferImageDeps,
  principal: Principal,
  before: DeviceRow,
  { uuid = deps.random.id(), source, ready, orientation, force, named, also, sender }: NewImage,
): Promise<StoredImage> {
  const { db, clock, random, frames: gateway } = deps;
  const shown: ShownItem = { kind: 'deviceImage', id: named ?? random.id() };
  // The files go first: a crash in between leaves spare files, never a row without its picture (INV-03).
  const keys = {
    picture_key: await storeAccepted(deps, source, before.organization_id),
    device_picture_key: ready === undefined ? null : await deps.files.put(ready, before.organization_id),
  };
  const prepared = await pictureFor(deps, before, { keys, orientation, force });
  const attempt = { forced: force, sender: sender ?? nameIn(principal, before.organization_id) };
  const offered = await offerPictureToFrame(
    { db, clock, random, gateway },
    {
      deviceId: before.id,
      shown,
      unofferedAs: named,
      async decide(trx, now) {
        const device = await requireDevice(trx, principal, before.id, 'write');
        // Of two copies that come at once, the second finds the first.
        if ((await findRepeatedImage(trx, device, named)) !== undefined) return undefined;
        const row = { device_id: device.id, uuid, revision: revisionOf(shown), ...keys, orientation, meta: '{}' };
        await deviceImages(trx).put({ ...row, created_at: now, updated_at: now });
        await deviceStore(trx).change(device, { updated_at: now });
        const image = await deviceImages(trx).find(device.id, uuid);
        const changed = await findDevice(trx, device.id);
        // Thrown, so that the row that was just put goes with the transaction.
        if (image === undefined || changed === undefined) throw refuse('not-found');
        // A frame that was bound meanwhile, or taken away, gets nothing that was made for another.
        const serial = device.serial === before.serial ? device.serial : null;
        const { picture, outcome } = serial === null ? noFrame : prepared;
        if (also === undefined) await timedPictures(trx).replace({ column: 'device_id', id: device.id }, now);
        else await also(trx, outcome, changed);
        const { skippedUpload: skipped, message: problem, similarityPercentage: similarity } = outcome;
        return {
          serial,
          picture,
          attempt: { ...attempt, skipped, problem, similarity },
          stored: { device: changed, image },
          outcome,
        };
      },
    },
  );
  if (offered === undefined) {
    const repeated = await findRepeatedImage(db, before, named);
    if (repeated === undefined) throw refuse('not-found');
    return repeated;
  }
  const { decided, attemptId } = offered;
  return { ...decided.stored, offer: { ...decided.outcome, uploadAttemptId: attemptId }, isRepeat: false };
}

/** The outcome for a device without a frame: nothing is offered where nobody takes it. */
const noFrame: Prepared = {
  outcome: {
    skippedUpload: false,
    reason: 'iot-upload-url-missing',
    message: 'the device has no frame',
    similarityPercentage: null,
  },
};

/** The files of an image, and how they are offered. */
interface StoredFiles extends Pick<NewImage, 'orientation' | 'force'> {
  readonly keys: Pick<DeviceImageRow, 'picture_key' | 'device_picture_key'>;
}

/** Puts the packed file into the gateway's store, or reports why none is offered. */
async function pictureFor(
  deps: OfferImageDeps,
  device: DeviceRow,
  { keys, orientation, force }: StoredFiles,
): Promise<Prepared> {
  const panel = panelOf(device);
  const prepared =
    panel && (await prepareUploaded(deps, keys, { sharer: [device.organization_id, device.id], panel, orientation }));
  const facts = device.serial === null ? undefined : await deps.frames.status(device.serial);
  const trouble = facts && panel && whyNotDrawn(facts, panel.name);
  if (panel === undefined || prepared === undefined || trouble !== undefined) {
    const message = trouble ?? noPanelFor('devices', device.kind);
    const reason = 'iot-upload-failed';
    return { outcome: { skippedUpload: false, reason, message, similarityPercentage: null } };
  }
  const last = device.serial === null || force ? undefined : await deps.frames.lastOffer(device.serial);
  // C-53: after an update that failed the same pixels are news.
  const likeness = last === undefined || last.failed ? unlike : await likenessTo(panel, last, prepared);
  const { percentage: similarityPercentage } = likeness;
  if (likeness.same)
    return { outcome: { skippedUpload: true, reason: 'similarity-threshold-met', similarityPercentage } };
  const sha256 = await deps.frames.storePicture(prepared.file);
  const reason = force ? 'force-upload' : 'device-frame-uploaded';
  return {
    picture: { sha256, bytes: prepared.file.length, format: panel.packing, panel: panel.name },
    outcome: { skippedUpload: false, reason, similarityPercentage },
  };
}
