/** Routes of devices' images: addresses, metadata, uploads of up to two files, websites. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { transact } from '../../../runtime/database/database.ts';
import { deadlineOfUpload, readUploadDeadline, uploadDeadline } from '../../deadlines/deadline-of-upload.ts';
import type { DeadlineSubject } from '../../deadlines/deadline-store.ts';
import type { TimedRow } from '../../delivery-state/timed-rows.ts';
import { uploadReasons } from '../../delivery-state/upload-reasons.ts';
import { deviceImages, imageName, newImageName } from '../../devices/device-images.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { revisionOf } from '../../devices/shown-item.ts';
import type { DeviceRow } from '../../devices/store.ts';
import { remarksOf } from '../../files/picture-notes.ts';
import { remarkFields, tellRemarks } from '../../files/tell-remark.ts';
import { metaText, objectId, openObject, storedObject } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { inkColours } from '../../inks/renditions.ts';
import { showTimed, timedShown } from '../../timed-pictures/present-timed.ts';
import { readShowTimes, scheduleForDevice } from '../../timed-pictures/schedule-picture.ts';
import { uploadImage } from '../../uploads/offer-image.ts';
import { sendQuery } from '../../uploads/sent-message.ts';
import type { ImageOffer, StoredImage } from '../../uploads/stored-image.ts';
import type { ImageDeps } from './image-deps.ts';
import { imageFields, readImageUpload } from './read-image-upload.ts';
import { showAgainRoute } from './show-again.ts';
import { deviceShown, showDevice } from './show-device.ts';
import { deviceImageFile } from './shown-image.ts';
import { websiteImages, websiteOptions } from './website-image.ts';

/** `deviceMeta` is kept with the image; `iotUpload` describes its upload to the frame, null when nothing was sent. */
const imageShown = z.object({
  deviceMeta: z.object({ uuid: z.string(), meta: openObject, createdAt: z.string(), updatedAt: z.string() }),
  deviceUpdate: deviceShown,
  iotUpload: z
    .object({
      skippedUpload: z.boolean(),
      reason: z.enum(uploadReasons),
      message: z.string().optional(),
      similarityPercentage: z.number().nullable(),
      uploadAttemptId: z.string(),
      key: z.string().describe('Under which the image is stored'),
    })
    .nullable(),
  url: z.string(),
  timed: timedShown.optional().describe('The picture that waits for its time, where one was named'),
  deadline: uploadDeadline.optional().describe('How its deadline stands, where one was named'),
  ...remarkFields,
});

/** An image, with its offer if one was asked for. */
type ShownImage = Omit<StoredImage, 'offer' | 'isRepeat'> & { readonly offer: StoredImage['offer'] | null };

type ShowImage = (shown: ShownImage) => Promise<z.input<typeof imageShown>>;

/** The subject of a deadline that comes with an upload to a device. */
type SentToDevice = Pick<DeadlineSubject, 'timedId' | 'revision'>;

const common = { noStore: true, output: imageShown } as const;

function uploadRoute(deps: ImageDeps, show: ShowImage): AnyRoute {
  return route('POST /devices/uploadSingleImage/:deviceId', {
    ...common,
    summary: 'Show an image on the frame until its paper next offers something; up to two files',
    audit: { action: 'device.uploaded', on: 'device' },
    query: sendQuery,
    bodyType: 'multipart',
    files: {
      picture: { description: 'The source image; of two, the first is ready for the panel', most: 2 },
      pictureDevice: { description: 'A picture that is ready for the panel' },
    },
    body: imageFields,
    refuses: ['not-found', 'access-denied', 'conflict', 'nothing-to-return-to', 'storage-full'],
    admit: ({ params, principal }) => requireDevice(deps.db, principal, params.deviceId, 'write'),
    async handle({ params, query: { messageId }, body, files, principal, caller: { signal }, note }) {
      const upload = { ...readImageUpload(body, files), messageId, signal };
      const times = readShowTimes(body, deps.clock.now());
      const by = readUploadDeadline(body.deadline, deps.clock.now());
      const dueBy = async ({ id, organization_id: organizationId }: DeviceRow, sent: SentToDevice) => {
        if (by === undefined) return {};
        const subject = { organizationId, paperId: null, devices: [id], ...sent };
        return { deadline: await deadlineOfUpload(deps, principal, subject, by) };
      };
      if (times !== undefined) {
        const row = await scheduleForDevice(deps, principal, params.deviceId, { ...upload, times });
        deps.nudge();
        const device = await requireDevice(deps.db, principal, params.deviceId, 'read');
        const due = await dueBy(device, { timedId: row.id, revision: null });
        return { ...(await showWaiting(deps, row, device)), ...due };
      }
      const { isRepeat, ...stored } = await uploadImage(deps, principal, params.deviceId, upload);
      if (isRepeat) note({ nothing: true });
      const revision = revisionOf({ kind: 'deviceImage', id: stored.image.revision });
      return { ...(await show(stored)), ...(await dueBy(stored.device, { timedId: null, revision })) };
    },
  });
}

export function deviceImageRoutes(deps: ImageDeps): AnyRoute[] {
  const show = async ({ device, image, offer }: ShownImage): Promise<z.input<typeof imageShown>> => ({
    deviceMeta: {
      uuid: image.uuid,
      meta: storedObject(image.meta),
      createdAt: isoTime(image.created_at),
      updatedAt: isoTime(image.updated_at),
    },
    deviceUpdate: await showDevice(device, deps.frames, deps.clock.now()),
    iotUpload: offer && showOffer(offer, image.picture_key),
    url: deps.images.sign(image.picture_key, device.id, 'png').url,
    ...tellRemarks(await remarksOf(deps.db, image.picture_key)),
  });
  const imageFromWebsite = websiteImages(deps);
  return [
    addressRoute(deps),
    route('POST /devices/updateSingleImageMeta/:deviceId', {
      ...common,
      summary: 'Replace what is kept about an image of the device',
      audit: { action: 'device.image-changed', on: 'device', values: ['uuid'] },
      body: z.object({ meta: openObject, uuid: newImageName }),
      async handle({ params, body, principal }) {
        const changed = await transact(deps.db, async (trx) => {
          const device = await requireDevice(trx, principal, params.deviceId, 'write');
          const images = deviceImages(trx);
          const now = deps.clock.now();
          await images.change(device.id, body.uuid, { meta: metaText(body.meta), updated_at: now });
          const image = await images.find(device.id, body.uuid);
          if (image === undefined) throw refuse('not-found', { message: reasonOf('device-image-none') });
          return { device, image, offer: null };
        });
        return show(changed);
      },
    }),
    uploadRoute(deps, show),
    showAgainRoute(deps),
    route('POST /devices/updateSingleImageFromWebsite/:deviceId', {
      ...common,
      summary: 'Show a website on the frame until its paper next offers something',
      audit: { action: 'device.website', on: 'device' },
      body: websiteOptions,
      async handle({ params, body, principal, caller: { signal } }) {
        return show(await imageFromWebsite(principal, params.deviceId, { ...body, signal }));
      },
    }),
  ];
}

const showOffer = ({ message, ...offer }: ImageOffer, key: string) => ({
  ...offer,
  ...(message !== undefined && { message: wordsOf(message) }),
  key,
});

async function showWaiting(deps: ImageDeps, row: TimedRow, device: DeviceRow): Promise<z.input<typeof imageShown>> {
  const timed = await showTimed(deps, row);
  const [createdAt, uuid] = [isoTime(row.created_at), row.uuid ?? row.id];
  return {
    deviceMeta: { uuid, meta: {}, createdAt, updatedAt: createdAt },
    deviceUpdate: await showDevice(device, deps.frames, deps.clock.now()),
    iotUpload: {
      skippedUpload: false,
      reason: 'upload-waits',
      message: timed.message,
      similarityPercentage: null,
      uploadAttemptId: row.id,
      key: row.picture_key ?? '',
    },
    url: timed.url ?? '',
    timed,
    ...tellRemarks(await remarksOf(deps.db, row.picture_key)),
  };
}

function addressRoute(deps: ImageDeps): AnyRoute {
  return route('GET /devices/image/:deviceId/:uuid', {
    summary: 'A temporary address of an image of the device, or of what its frame shows (`current-frame`)',
    noStore: true,
    params: z.object({ deviceId: objectId, uuid: imageName }),
    query: z.object({
      colours: z
        .enum(inkColours)
        .describe('Of current-frame: what the inks look like (the default), or what they are called')
        .optional(),
    }),
    output: z.object({ url: z.string() }),
    async handle({ params, query, principal, caller: { signal } }) {
      const device = await requireDevice(deps.db, principal, params.deviceId, 'read');
      if (query.colours !== undefined && params.uuid !== 'current-frame') {
        throw refuse('invalid-request', { hint: 'colours: for current-frame, which shows the inks of a panel' });
      }
      const file = await deviceImageFile(deps, device, params.uuid, { colours: query.colours, signal });
      if (file === undefined) throw refuse('not-found');
      return { url: deps.images.sign(file.key, device.id, file.type).url };
    },
  });
}
