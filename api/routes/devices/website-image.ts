/** A website as an image of a device. */

import { z } from 'zod';
import { viewSize } from '../../../firmware-protocol/panels.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { wordsOf } from '../../../reasons/words.ts';
import type { Principal } from '../../access/principal.ts';
import { newImageName } from '../../devices/device-images.ts';
import { noPanelFor, panelOf } from '../../devices/device-panel.ts';
import { requireDevice } from '../../devices/require-device.ts';
import type { DeviceRow } from '../../devices/store.ts';
import { noteOfLetters, pageNotes } from '../../files/picture-notes.ts';
import { readWebsiteUrl } from '../../outgoing/plain-url.ts';
import { orientationOf } from '../../papers/orientation.ts';
import { maxSelectorLength, maxWaitMs, selectorMeans, websiteSelectors } from '../../papers/website-selectors.ts';
import { storeImage } from '../../uploads/offer-image.ts';
import type { StoredImage } from '../../uploads/stored-image.ts';
import type { ImageDeps } from './image-deps.ts';

const selector = z.string().min(1).max(maxSelectorLength);

/** The page, and how it is rendered. */
export const websiteOptions = z.object({
  url: z.string().max(2000),
  orientation: z.enum(['portrait', 'landscape']).optional(),
  uuid: newImageName.optional(),
  css: z.string().max(65_536).optional(),
  waitFor: z
    .union([z.number().int().min(0).max(maxWaitMs), selector])
    .describe(selectorMeans.waitFor)
    .optional(),
  clickFirst: selector.describe(selectorMeans.clickFirst).optional(),
  cutOut: selector.describe(selectorMeans.cutOut).optional(),
});

/** The number of websites of one organization that people may wait for at once: each holds a connection (T-60). */
const maxPerOwner = 20;
const retryAfterSeconds = 15;

/** Options of an image of a website; its signal cancels one whose caller has left. */
type WebsiteImageOptions = z.output<typeof websiteOptions> & { readonly signal: AbortSignal };

/** Makes images of websites. */
export type WebsiteImages = (
  principal: Principal,
  deviceId: string,
  options: WebsiteImageOptions,
) => Promise<StoredImage>;

/** Returns the maker of images of websites, with a bound on those of one organization. */
export function websiteImages(deps: ImageDeps): WebsiteImages {
  const underWay = new Map<string, number>();
  return async (principal, deviceId, options) => {
    const device = await requireDevice(deps.db, principal, deviceId, 'write');
    const { organization_id: organizationId } = device;
    const count = underWay.get(organizationId) ?? 0;
    if (count >= maxPerOwner) {
      throw refuse('rate-limited', {
        message: reasonOf('websites-waited', { most: maxPerOwner }),
        retryAfterSeconds,
      });
    }
    underWay.set(organizationId, count + 1);
    try {
      return await imageFromWebsite(deps, principal, device, options);
    } finally {
      const left = (underWay.get(organizationId) ?? 1) - 1;
      if (left > 0) underWay.set(organizationId, left);
      else underWay.delete(organizationId);
    }
  };
}

/** Renders the page in the panel's size, behind the page guard, and stores and offers it like an upload. */
async function imageFromWebsite(
  deps: ImageDeps,
  principal: Principal,
  device: DeviceRow,
  options: WebsiteImageOptions,
): Promise<StoredImage> {
  const panel = panelOf(device);
  if (panel === undefined) {
    const sentence = wordsOf(noPanelFor('devices', device.kind));
    throw refuse('invalid-request', { message: sentence.charAt(0).toUpperCase() + sentence.slice(1) });
  }
  const url = readWebsiteUrl(options.url);
  if (!(url instanceof URL)) throw refuse('invalid-request', { hint: reasonOf('field-url', { because: url }) });
  const orientation = options.orientation ?? orientationOf('{}', device.meta);
  const { css, waitFor, clickFirst, cutOut, uuid, signal } = options;
  const shot = await deps.rendering.renderPage({
    sharer: [device.organization_id, device.id],
    signal,
    url: url.href,
    ...viewSize(panel, orientation),
    css,
    waitFor,
    ...websiteSelectors({ clickFirst, cutOut }),
  });
  if (!shot.ok) throw refuse('page-not-rendered', { message: shot.reason });
  const { missing } = shot;
  if (missing !== undefined) deps.missed({ deviceId: device.id }, missing);
  return storeImage(deps, principal, device, {
    uuid,
    source: {
      bytes: shot.png,
      notes: [
        ...pageNotes.filter((note) => shot.remarks?.some(({ code }) => code === note)),
        ...(missing === undefined ? [] : [noteOfLetters(missing)]),
      ],
    },
    ready: undefined,
    orientation,
    force: false,
  });
}
