/** The route behind the choice of a file that the browser cannot read: the picture as every browser reads it. */
import { z } from 'zod';
import { refuse } from '../../../runtime/refusals.ts';
import { organizationsFor, sharerOf } from '../../access/principal.ts';
import { acceptPicture, noPicture } from '../../files/accept-picture.ts';
import { remarkOfNotes } from '../../files/picture-notes.ts';
import { noParams } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { drawQueued, toReadable } from '../../rendering/renditions.ts';
import type { PaperDeps } from './paper-deps.ts';

const readable = z.object({
  width: z.number(),
  height: z.number(),
  jpeg: z
    .string()
    .describe('the picture, upright and in sRGB, at most 3200 pixels a side: a JPEG in Base64, kept nowhere'),
  remark: z.string().optional().describe('what is to be known of the file, where something about it was doubtful'),
});

/** Returns the route. Nothing that it takes or makes is stored. */
export function readableRoute(deps: PaperDeps): AnyRoute {
  return route({
    method: 'POST',
    path: '/previews/readable/',
    audit: { none: 'it changes nothing' },
    summary: 'A picture that a browser cannot read, such as HEIC, in a form that every browser reads',
    access: 'person',
    status: 200,
    noStore: true,
    params: noParams,
    query: z.object({}),
    bodyType: 'multipart',
    files: { picture: { description: 'The picture' } },
    body: z.object({}),
    output: readable,
    refuses: ['access-denied', 'unsupported-image', 'invalid-image'],
    admit: async ({ principal }) => {
      if (organizationsFor(principal, 'write').length === 0) throw refuse('access-denied');
      return { sharer: sharerOf(principal) };
    },
    sharer: ({ sharer }) => sharer,
    async handle({ files, caller: { signal } }, { sharer }) {
      const [picture] = files;
      if (picture === undefined) throw noPicture();
      const { bytes, notes } = await acceptPicture(deps.normalizeImage, picture, { sharer, signal });
      const { data, info } = await drawQueued({ sharer, signal }, () => toReadable(bytes));
      const remark = remarkOfNotes(notes);
      return { width: info.width, height: info.height, jpeg: data.toString('base64'), ...(remark && { remark }) };
    },
  });
}
