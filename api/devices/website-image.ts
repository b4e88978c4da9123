/** A website as an image of a device. */
import { z } from 'zod';
import { viewSize } from '../../firmware-protocol/panels.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { readWebsiteUrl } from '../callbacks/plain-url.ts';
import { orientationOf } from '../delivery/offer-to-frame.ts';
import type { Principal } from '../directory/principal.ts';
import { newImageName } from './device-images.ts';
import type { ImageEdges } from './image-edges.ts';
import { panelOf, type StoredImage, storeImage } from './offer-image.ts';
import { requireDevice } from './require-device.ts';

/** Which page, and how. `waitFor` is a CSS selector that has to be there, or milliseconds. */
export const websiteWish = z.object({
  url: z.string().max(2000),
  orientation: z.enum(['portrait', 'landscape']).optional(),
  uuid: newImageName.optional(),
  css: z.string().max(65_536).optional(),
  waitFor: z.union([z.number().int().min(0).max(10_000), z.string().min(1).max(500)]).optional(),
});

/** Renders the page in the panel's size, behind the page guard, and stores and offers it like an upload. */
export async function imageFromWebsite(
  edges: ImageEdges,
  principal: Principal,
  deviceId: string,
  wish: z.output<typeof websiteWish>,
): Promise<StoredImage> {
  const device = await requireDevice(edges.database, principal, deviceId, 'write');
  const panel = panelOf(device);
  if (panel === undefined) {
    throw refuse('invalid-request', { message: `No panel is known for devices of kind ${device.kind ?? 'unknown'}` });
  }
  const url = readWebsiteUrl(wish.url);
  if (typeof url === 'string') throw refuse('invalid-request', { hint: `url: ${url}` });
  const orientation = wish.orientation ?? orientationOf('{}', device.meta);
  const { css, waitFor, uuid } = wish;
  const shot = await edges.rendering.renderPage({
    url: url.href,
    ...viewSize(panel, orientation),
    css,
    waitFor,
  });
  if (!shot.ok) throw refuse('page-not-rendered', { message: shot.reason });
  return storeImage(edges, principal, device, { uuid, source: shot.png, ready: undefined, orientation, force: false });
}
