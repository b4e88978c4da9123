/** The route by which a guest sees how a picture would look on the panel, before it is sent. */
import { z } from 'zod';
import { viewSize } from '../../../firmware-protocol/panels.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { prepareSource } from '../../drawing/prepare-uploaded.ts';
import { acceptPicture } from '../../files/accept-picture.ts';
import { remarksOfNotes } from '../../files/picture-notes.ts';
import { remarkFields, tellRemarks } from '../../files/tell-remark.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { drawQueued } from '../../inks/renditions.ts';
import { guestOf, leftOf, panelForGuest } from './admit-guest.ts';
import { onlyPicture, sendFiles } from './album-routes.ts';
import type { PaperDeps } from './paper-deps.ts';

const previewed = z.object({
  width: z.number().describe('pixels as a person sees them'),
  height: z.number(),
  png: z.string().describe('the exact dithered picture, as the paper says: a PNG in Base64, kept nowhere'),
  ...remarkFields,
});

/** Returns the route. It is for links that show the panel's picture, and counts as no picture. */
export function guestPreviewRoute(deps: PaperDeps): AnyRoute {
  return route('POST /guest/previews/', {
    audit: { none: 'it changes nothing' },
    summary: 'How a picture would look on the panel if it were sent with a guest link, for links with `showsResult`',
    access: 'guest',
    noStore: true,
    bodyType: 'multipart',
    files: sendFiles,
    body: z.object({}),
    output: previewed,
    refuses: ['access-denied', 'guest-link-used-up', 'conflict', 'unsupported-image', 'invalid-image'],
    async admit(arrival) {
      const guest = await guestOf(deps, arrival);
      if (guest.link.shows_result !== 1) {
        throw refuse('access-denied', { hint: reasonOf('guest-sees-no-panel') });
      }
      if (leftOf(guest) === 0) throw refuse('guest-link-used-up');
      const found = await panelForGuest(deps, guest);
      if (found === undefined) {
        const message = 'No frame shows this paper, so that no panel is known for it';
        throw refuse('conflict', {
          message,
          hint: reasonOf('guest-no-panel'),
        });
      }
      const { paper, link } = guest;
      return { ...found, meta: paper.meta, sharer: [paper.organization_id, link.id] as const };
    },
    sharer: ({ sharer }) => sharer,
    async handle({ files, caller: { signal } }, { panel, orientation, meta, sharer }) {
      const { bytes: source, notes } = await acceptPicture(deps.normalizeImage, onlyPicture(files), { sharer, signal });
      const made = await prepareSource(deps.rendering, { source, meta }, { sharer, panel, orientation });
      const png = await drawQueued({ sharer, signal }, () => made.preview());
      if (png === undefined) throw new Error(`a picture for ${panel.name} cannot be drawn`);
      return { ...viewSize(panel, orientation), png: png.toString('base64'), ...tellRemarks(remarksOfNotes(notes)) };
    },
  });
}
