/** Routes of devices' images: addresses, metadata, uploads of up to two files, websites (A-20, A-21, A-28). */
import { z } from 'zod';
import { isoTime } from '../../gateway/runtime/clock.ts';
import { transact } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { metaText, objectId, openObject, storedObject } from '../http/field-shapes.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { uploadReasons } from '../papers/hand-over.ts';
import { inkColours } from '../rendering/renditions.ts';
import { deviceImages, imageName, newImageName } from './device-images.ts';
import type { ImageEdges } from './image-edges.ts';
import { type StoredImage, uploadImage } from './offer-image.ts';
import { imageFields, readImageUpload } from './read-image-upload.ts';
import { requireDevice } from './require-device.ts';
import { deviceShown, showDevice } from './show-device.ts';
import { deviceImageFile } from './shown-image.ts';
import { imageFromWebsite, websiteWish } from './website-image.ts';

const oneDevice = z.object({ deviceId: objectId });

/** `deviceMeta` is what is kept of the image; `iotUpload` how it went to the frame, null when nothing was to go. */
const imageShown = z.object({
  deviceMeta: z.object({ uuid: z.string(), meta: openObject, createdAt: z.string(), updatedAt: z.string() }),
  deviceUpdate: deviceShown,
  iotUpload: z
    .object({
      skippedUpload: z.boolean(),
      reason: z.enum(uploadReasons),
      message: z.string().optional(),
      uploadAttemptId: z.string(),
    })
    .nullable(),
  url: z.string(),
});

/** The routes. */
export function imageRoutes(edges: ImageEdges): AnyRoute[] {
  const show = async ({ device, image, offer }: StoredImage): Promise<z.input<typeof imageShown>> => ({
    deviceMeta: {
      uuid: image.uuid,
      meta: storedObject(image.meta),
      createdAt: isoTime(image.created_at),
      updatedAt: isoTime(image.updated_at),
    },
    deviceUpdate: await showDevice(device, edges.frames, edges.clock.now()),
    iotUpload: offer,
    url: edges.images.sign(image.picture_key, device.id, 'png').url,
  });
  const common = { method: 'POST', access: 'person', status: 200, noStore: true, output: imageShown } as const;
  return [
    addressRoute(edges),
    route({
      ...common,
      path: '/devices/updateSingleImageMeta/:deviceId',
      summary: 'Replace what is kept about an image of the device',
      params: oneDevice,
      body: z.object({ meta: openObject, uuid: newImageName }),
      async handle({ params, body, principal }) {
        const changed = await transact(edges.database, async (trx) => {
          const device = await requireDevice(trx, principal, params.deviceId, 'write');
          const images = deviceImages(trx);
          const now = edges.clock.now();
          await images.change(device.id, body.uuid, { meta: metaText(body.meta), updated_at: now });
          const image = await images.find(device.id, body.uuid);
          if (image === undefined) throw refuse('not-found', { message: 'The device has no such image' });
          return { device, image, offer: null };
        });
        return show(changed);
      },
    }),
    route({
      ...common,
      path: '/devices/uploadSingleImage/:deviceId',
      summary: 'Show an image on the frame until its paper next offers something; up to two files',
      params: oneDevice,
      bodyType: 'multipart',
      files: {
        picture: { description: 'The source image; of two, the first is ready for the panel', most: 2 },
        pictureDevice: { description: 'A picture that is ready for the panel' },
      },
      body: imageFields,
      admit: ({ params, principal }) => requireDevice(edges.database, principal, params.deviceId, 'write'),
      async handle({ params, body, files, principal }) {
        return show(await uploadImage(edges, principal, params.deviceId, readImageUpload(body, files)));
      },
    }),
    route({
      ...common,
      path: '/devices/updateSingleImageFromWebsite/:deviceId',
      summary: 'Show a website on the frame until its paper next offers something',
      params: oneDevice,
      body: websiteWish,
      async handle({ params, body, principal }) {
        return show(await imageFromWebsite(edges, principal, params.deviceId, body));
      },
    }),
  ];
}

function addressRoute(edges: ImageEdges): AnyRoute {
  return route({
    method: 'GET',
    path: '/devices/image/:deviceId/:uuid',
    summary: 'A temporary address of an image of the device, or of what its frame shows (`current-frame`)',
    access: 'person',
    status: 200,
    noStore: true,
    params: z.object({ deviceId: objectId, uuid: imageName }),
    query: z.object({
      colours: z
        .enum(inkColours)
        .describe('Of current-frame: what the inks look like (the default), or what they are called')
        .optional(),
    }),
    output: z.object({ url: z.string() }),
    async handle({ params, query, principal }) {
      const device = await requireDevice(edges.database, principal, params.deviceId, 'read');
      if (query.colours !== undefined && params.uuid !== 'current-frame') {
        throw refuse('invalid-request', { hint: 'colours: for current-frame, which shows the inks of a panel' });
      }
      const file = await deviceImageFile(edges, device, params.uuid, query.colours);
      if (file === undefined) throw refuse('not-found');
      return { url: edges.images.sign(file.key, device.id, file.type).url };
    },
  });
}
