/** The route that takes a picture off a frame again, by showing what it was offered before. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import type { Principal } from '../../access/principal.ts';
import { senderOfShown } from '../../delivery-state/upload-attempts.ts';
import { type DeviceImageRow, deviceImages, imageName } from '../../devices/device-images.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { readRevision } from '../../devices/shown-item.ts';
import type { DeviceRow } from '../../devices/store.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { storeImage } from '../../uploads/offer-image.ts';
import { changeDevice } from './change-device.ts';
import type { ImageDeps } from './image-deps.ts';
import { deviceShown, showDevice } from './show-device.ts';
import { offerFile, orientationOfOffer } from './shown-image.ts';

/** Which offer is shown again. */
const again = z.object({
  uploadId: objectId.describe('An offer of the frame’s log: what it showed is shown again'),
  insteadOf: imageName
    .describe('The image of the device’s own that is taken off; refused with `conflict` when the frame was given more')
    .optional(),
  exactly: z
    .boolean()
    .describe(
      'Shows the picture itself, as an image of the device’s own, although its paper shows another one now; left out, an offer of a paper stands for the paper that is selected',
    )
    .optional(),
});

/** Returns the route. */
export function showAgainRoute(deps: ImageDeps): AnyRoute {
  return route('POST /devices/:deviceId/show-again', {
    summary: 'Show again what an earlier offer showed: an image of the device’s own, else the selected paper',
    audit: { action: 'device.shown-again', on: 'device' },
    noStore: true,
    body: again,
    output: deviceShown,
    refuses: ['not-found', 'access-denied', 'conflict', 'nothing-to-return-to', 'picture-gone'],
    async handle({ params: { deviceId }, body: { uploadId, insteadOf, exactly }, principal, caller: { signal } }) {
      const device = await requireDevice(deps.db, principal, deviceId, 'write');
      if (insteadOf !== undefined) await requireNewest(deps, device, insteadOf);
      const changed =
        exactly === true
          ? await showExactly(deps, principal, device, { uploadId, signal })
          : await showFormer(deps, principal, device, await imageOf(deps, device, uploadId));
      return showDevice(changed, deps.frames, deps.clock.now());
    },
  });
}

/** An image that somebody else took off the glass meanwhile needs no taking off. */
async function requireNewest({ db, frames }: ImageDeps, { id, serial }: DeviceRow, uuid: string): Promise<void> {
  const offer = serial === null ? undefined : await frames.lastOffer(serial);
  const image = await deviceImages(db).find(id, uuid);
  if (image === undefined) throw refuse('not-found', { message: reasonOf('device-image-none') });
  if (offer?.revision !== image.revision) throw refuse('conflict', { message: reasonOf('another-image-since') });
}

interface FormerPicture {
  readonly uploadId: string;
  readonly signal: AbortSignal;
}

/**
 * Shows the very inks of an offer again, drawn in the colours of their names, from which every panel makes the same
 * inks.
 */
async function showExactly(
  deps: ImageDeps,
  principal: Principal,
  device: DeviceRow,
  { uploadId, signal }: FormerPicture,
): Promise<DeviceRow> {
  const offer = device.serial === null ? undefined : await deps.frames.offeredPicture(device.serial, uploadId);
  if (offer === undefined) throw refuse('not-found');
  const orientation = await orientationOfOffer(deps, device, offer);
  const file = await offerFile(deps, device, offer, { colours: 'nominal', signal });
  const bytes = file && (await deps.files.get(file.key));
  if (bytes === undefined) throw refuse('picture-gone');
  const sender = await senderOfShown(deps.db, device.id, offer.revision);
  const shown = { uuid: undefined, source: { bytes, notes: [] }, ready: bytes, orientation, force: false, sender };
  return (await storeImage(deps, principal, device, shown)).device;
}

/** The image of the device's own that an offer showed; undefined for an offer of a paper. */
async function imageOf(
  { db, frames }: ImageDeps,
  { id, serial }: DeviceRow,
  uploadId: string,
): Promise<DeviceImageRow | undefined> {
  const offer = serial === null ? undefined : await frames.offeredPicture(serial, uploadId);
  if (offer === undefined) throw refuse('not-found');
  if (readRevision(offer.revision).kind !== 'deviceImage') return undefined;
  return deviceImages(db).ofRevision(id, offer.revision);
}

async function showFormer(
  deps: ImageDeps,
  principal: Principal,
  device: DeviceRow,
  image: DeviceImageRow | undefined,
): Promise<DeviceRow> {
  const source = image && (await deps.files.get(image.picture_key));
  if (image === undefined || source === undefined) {
    if (device.paper_id === null) throw refuse('nothing-to-return-to');
    return changeDevice(deps, principal, device.id, { paper: device.paper_id });
  }
  const ready = image.device_picture_key === null ? undefined : await deps.files.get(image.device_picture_key);
  const { uuid, orientation } = image;
  const sender = await senderOfShown(deps.db, device.id, image.revision);
  const shown = { uuid, source: { bytes: source, notes: [] }, ready, orientation, force: false, sender };
  return (await storeImage(deps, principal, device, shown)).device;
}
