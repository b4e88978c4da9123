/** Stores an image of a device's own, and offers it to its frame (A-28; docs/decisions/0009). */
import { type Orientation, type Panel, panelOfDevice } from '../../firmware-protocol/panels.ts';
import type { OfferedPicture } from '../../gateway/pictures/upload-log.ts';
import { transact } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { orientationOf } from '../delivery/offer-to-frame.ts';
import { uploadAttempts } from '../delivery/upload-attempts.ts';
import type { Principal } from '../directory/principal.ts';
import { acceptPicture } from '../files/accept-picture.ts';
import type { UploadedFile } from '../http/route.ts';
import type { UploadReason } from '../papers/hand-over.ts';
import { prepareUploaded } from '../papers/prepare-uploaded.ts';
import { readyPicture } from '../rendering/renditions.ts';
import { type DeviceImageRow, deviceImages, ownRevision } from './device-images.ts';
import type { ImageEdges } from './image-edges.ts';
import type { ImageUpload } from './read-image-upload.ts';
import { requireDevice } from './require-device.ts';
import { type DeviceRow, deviceStore, findDevice } from './store.ts';

/** How an image came to its frame. `uploadAttemptId` names it in the device's upload log (C-55). */
export interface ImageOffer {
  readonly skippedUpload: boolean;
  readonly reason: UploadReason;
  readonly message?: string;
  readonly uploadAttemptId: string;
}

/** Why an image is not offered. */
type NoOffer = Omit<ImageOffer, 'uploadAttemptId'>;

/** What became of an image. `offer` is null for a device without a frame. */
export interface StoredImage {
  readonly device: DeviceRow;
  readonly image: DeviceImageRow;
  readonly offer: ImageOffer | null;
}

/** What is to be stored: PNG, and how it hangs. */
interface NewImage {
  readonly uuid: string | undefined;
  readonly source: Buffer;
  readonly ready: Buffer | undefined;
  readonly orientation: Orientation;
  readonly force: boolean;
}

/** The panel of a device, undefined for kinds that are not known. */
export const panelOf = (device: DeviceRow): Panel | undefined => panelOfDevice(device.kind, device.meta);

/** Takes an upload in. Everything is judged before anything is stored. */
export async function uploadImage(
  edges: ImageEdges,
  principal: Principal,
  deviceId: string,
  upload: ImageUpload,
): Promise<StoredImage> {
  const device = await requireDevice(edges.database, principal, deviceId, 'write');
  const orientation = orientationOf('{}', device.meta);
  const source = await acceptPicture(edges.normalizeImage, upload.picture);
  const ready = upload.ready && (await deviceReady(edges, device, orientation, upload.ready));
  return storeImage(edges, principal, device, { ...upload, source, ready, orientation });
}

async function deviceReady(edges: ImageEdges, device: DeviceRow, orientation: Orientation, file: UploadedFile) {
  const image = await acceptPicture(edges.normalizeImage, file);
  const panel = panelOf(device);
  const ready = panel && (await readyPicture(image, panel, orientation));
  if (ready !== undefined) return ready;
  throw refuse('invalid-request', {
    message:
      panel === undefined
        ? `${file.field}: no panel is known for devices of kind ${device.kind ?? 'unknown'}`
        : `${file.field} does not have the size of the panel, ${panel.width}x${panel.height}`,
    hint: 'send one picture alone, and it is fitted',
  });
}

/** Stores an image under its name and offers it. When this returns, files, row and offer are on the disk. */
export async function storeImage(
  edges: ImageEdges,
  principal: Principal,
  before: DeviceRow,
  { uuid = edges.random.id(), source, ready, orientation, force }: NewImage,
): Promise<StoredImage> {
  const { database, clock, frames } = edges;
  const revision = ownRevision(edges.random.id());
  // The files go first: a crash in between leaves spare files, never a row without its picture (INV-03).
  const keys = {
    picture_key: await edges.files.put(source),
    device_picture_key: ready === undefined ? null : await edges.files.put(ready),
  };
  const picture = await pictureFor(edges, before, keys, orientation, force);
  const stored = await transact(database, async (trx) => {
    const device = await requireDevice(trx, principal, before.id, 'write');
    const { id, serial } = device;
    const now = clock.now();
    const times = { created_at: now, updated_at: now };
    await deviceImages(trx).put({ device_id: id, uuid, revision, ...keys, orientation, meta: '{}', ...times });
    await deviceStore(trx).change(device, { updated_at: now });
    const image = await deviceImages(trx).find(id, uuid);
    const changed = await findDevice(trx, id);
    if (image === undefined || changed === undefined) throw refuse('not-found');
    // A frame that was bound meanwhile, or taken away, gets nothing that was made for another.
    if (serial === null || serial !== before.serial) return { device: changed, image, offer: null };
    const uploadId = 'sha256' in picture ? await frames.offerPicture(trx, { serial, revision, ...picture }) : null;
    const outcome: NoOffer =
      'sha256' in picture
        ? { skippedUpload: false, reason: force ? 'force-upload' : 'device-frame-uploaded' }
        : picture;
    const uploadAttemptId = uploadId ?? edges.random.id();
    await uploadAttempts(trx).begin({
      ...{ attempt_id: uploadAttemptId, device_id: id, paper_id: null, paper_kind: null, cause: 'image' },
      ...{ forced: Number(force), skipped: Number(outcome.skippedUpload), problem: outcome.message ?? null },
      ...{ similarity: outcome.skippedUpload ? 100 : null, upload_id: uploadId, started_at: now, ended_at: now },
    });
    return { device: changed, image, offer: { ...outcome, uploadAttemptId } };
  });
  const { serial } = stored.device;
  if (stored.offer !== null && 'sha256' in picture && serial !== null) await frames.announce(serial);
  return stored;
}

/** The packed file in the gateway's store; or why none is offered. */
async function pictureFor(
  edges: ImageEdges,
  device: DeviceRow,
  keys: Pick<DeviceImageRow, 'picture_key' | 'device_picture_key'>,
  orientation: Orientation,
  force: boolean,
): Promise<Pick<OfferedPicture, 'sha256' | 'bytes' | 'format'> | NoOffer> {
  const panel = panelOf(device);
  const prepared = panel && (await prepareUploaded(edges, keys, panel, orientation));
  if (panel === undefined || prepared === undefined) {
    const message = `no panel is known for devices of kind ${device.kind ?? 'unknown'}`;
    return { skippedUpload: false, reason: 'iot-upload-failed', message };
  }
  const last = device.serial === null ? undefined : await edges.frames.lastOffer(device.serial);
  // C-53: after an update that failed the same pixels are news.
  if (!force && last?.sha256 === prepared.sha256 && !last.failed) {
    return { skippedUpload: true, reason: 'similarity-threshold-met' };
  }
  const sha256 = await edges.frames.storePicture(prepared.file);
  return { sha256, bytes: prepared.file.length, format: panel.packing };
}
