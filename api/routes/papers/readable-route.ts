/** The routes behind the choice of a file that the browser cannot read: the picture as every browser reads it. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { organizationsFor, sharerOf } from '../../access/principal.ts';
import { acceptPicture, noPicture } from '../../files/accept-picture.ts';
import { remarksOfNotes } from '../../files/picture-notes.ts';
import { remarkFields, tellRemarks } from '../../files/tell-remark.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { UploadedFile } from '../../http/uploaded-file.ts';
import type { QueuePlace } from '../../images/normalize-image.ts';
import { drawQueued, toReadable } from '../../inks/renditions.ts';
import { guestOf, leftOf } from './admit-guest.ts';
import type { PaperDeps } from './paper-deps.ts';

const readable = z.object({
  width: z.number(),
  height: z.number(),
  jpeg: z
    .string()
    .describe('the picture, upright and in sRGB, at most 3200 pixels a side: a JPEG in Base64, kept nowhere'),
  ...remarkFields,
});

const common = {
  audit: { none: 'it changes nothing' },
  noStore: true,
  query: z.object({}),
  bodyType: 'multipart',
  files: { picture: { description: 'The picture' } },
  body: z.object({}),
  output: readable,
} as const;

/** Returns the routes, for people and for guests. Nothing that they take or make is stored. */
export function readableRoutes(deps: PaperDeps): AnyRoute[] {
  return [
    route('POST /previews/readable/', {
      ...common,
      summary: 'A picture that a browser cannot read, such as HEIC, in a form that every browser reads',
      refuses: ['access-denied', 'unsupported-image', 'invalid-image'],
      admit: async ({ principal }) => {
        if (organizationsFor(principal, 'write').length === 0) throw refuse('access-denied');
        return { sharer: sharerOf(principal) };
      },
      sharer: ({ sharer }) => sharer,
      handle: ({ files, caller: { signal } }, { sharer }) => readPicture(deps, files, { sharer, signal }),
    }),
    route('POST /guest/previews/readable/', {
      ...common,
      summary: "A guest's picture that a browser cannot read, in a form that every browser reads; it counts as none",
      access: 'guest',
      refuses: ['guest-link-used-up', 'unsupported-image', 'invalid-image'],
      async admit(arrival) {
        const guest = await guestOf(deps, arrival);
        if (leftOf(guest) === 0) throw refuse('guest-link-used-up');
        return { sharer: [guest.paper.organization_id, guest.link.id] as const };
      },
      sharer: ({ sharer }) => sharer,
      handle: ({ files, caller: { signal } }, { sharer }) => readPicture(deps, files, { sharer, signal }),
    }),
  ];
}

async function readPicture(
  deps: PaperDeps,
  [picture]: readonly UploadedFile[],
  queuePlace: QueuePlace,
): Promise<z.input<typeof readable>> {
  if (picture === undefined) throw noPicture();
  const { bytes, notes } = await acceptPicture(deps.normalizeImage, picture, queuePlace);
  const { data, info } = await drawQueued(queuePlace, () => toReadable(bytes));
  const { width, height } = info;
  return { width, height, jpeg: data.toString('base64'), ...tellRemarks(remarksOfNotes(notes)) };
}
