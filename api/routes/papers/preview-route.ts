/** The route behind the choice of a picture: how it would look on a panel, before it is sent anywhere. */
import { z } from 'zod';
import { type Orientation, type Panel, panelOfKind, viewSize } from '../../../firmware-protocol/panels.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import type { Sharer } from '../../../runtime/fair-shares.ts';
import { organizationsFor, type Principal, sharerOf } from '../../access/principal.ts';
import { noPanelFor, panelOf } from '../../devices/device-panel.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { acceptPicture, noPicture } from '../../files/accept-picture.ts';
import { remarksOfNotes } from '../../files/picture-notes.ts';
import { remarkFields, tellRemarks } from '../../files/tell-remark.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { type Intent, intents } from '../../inks/dithering/intents.ts';
import { fitMeans, fits } from '../../inks/fit.ts';
import { inNamedInks } from '../../inks/named-inks.ts';
import { drawQueued } from '../../inks/renditions.ts';
import { orientationOf } from '../../papers/orientation.ts';
import type { PaperDeps } from './paper-deps.ts';

/** Each intent takes a thread for a while, and its picture a place in the answer. */
const maxIntents = 4;

export const intentNames = Object.keys(intents) as [Intent, ...Intent[]];

const intentList = z
  .string()
  .max(200)
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(z.enum(intentNames)).min(1).max(maxIntents))
  .meta({ type: 'string', items: undefined, minItems: undefined, maxItems: undefined });

const previewQuery = z.object({
  deviceId: objectId.describe('A device, whose panel and palette it is drawn for').optional(),
  kind: z
    .string()
    .max(40)
    .describe('The kind of a panel, where no device is named or the kind of the device is not known')
    .optional(),
  orientation: z
    .enum(['portrait', 'landscape'])
    .describe("How the picture hangs: as the device's settings say unless given, else portrait")
    .optional(),
  fit: z.enum(fits).describe(`As a paper's meta.fit: ${fitMeans}`).optional(),
  intents: intentList
    .describe(`Up to ${maxIntents} of ${intentNames.join(', ')}, separated by commas; auto unless given`)
    .optional(),
});

const previewed = z.object({
  panel: z.string().describe('the kind of the panel'),
  width: z.number().describe('pixels as a person sees them'),
  height: z.number(),
  previews: z.array(
    z.object({
      intent: z.enum(intentNames),
      png: z
        .string()
        .describe('the exact dithered picture in the measured colours of the inks: a PNG in Base64, kept nowhere'),
    }),
  ),
  ...remarkFields,
});

/** The panel and the orientation of a preview, and the organization whose work it is. */
interface PreviewFor {
  readonly panel: Panel;
  readonly orientation: Orientation;
  readonly sharer: Sharer;
}

/** Returns the route. Nothing that it takes or makes is stored. */
export function previewRoute(deps: PaperDeps): AnyRoute {
  return route('POST /previews/', {
    audit: { none: 'it changes nothing' },
    summary: 'How a picture would look on a panel: fitted and dithered as a frame would get it, once for each intent',
    noStore: true,
    query: previewQuery,
    bodyType: 'multipart',
    files: { picture: { description: 'The picture, fitted to the panel as an upload is' } },
    body: z.object({}),
    output: previewed,
    refuses: ['not-found', 'access-denied', 'unsupported-image', 'invalid-image'],
    admit: ({ query, principal }) => findPanel(deps, principal, query),
    sharer: ({ sharer }) => sharer,
    async handle({ query, files, caller: { signal } }, { panel, orientation, sharer }) {
      const [picture, another] = files;
      if (picture === undefined) throw noPicture();
      if (another !== undefined) throw refuse('invalid-request', { message: reasonOf('several-pictures') });
      const { bytes: accepted, notes } = await acceptPicture(deps.normalizeImage, picture, { sharer, signal });
      const source = (await inNamedInks(accepted)) ?? accepted;
      const { fit = 'cover' } = query;
      const previews: { intent: Intent; png: string }[] = [];
      // One after the other, so that a caller who leaves takes no further turn.
      for (const intent of query.intents ?? ['auto' as const]) {
        signal.throwIfAborted();
        const optimize = { enabled: true, intent } as const;
        const options = { sharer, panel, orientation, fit, isPhotograph: true, optimize } as const;
        const made = await deps.rendering.preparePicture(source, options);
        const png = await drawQueued({ sharer, signal }, () => made.preview());
        if (png === undefined) throw new Error(`a picture for ${panel.name} cannot be drawn`);
        previews.push({ intent, png: png.toString('base64') });
      }
      return { panel: panel.name, ...viewSize(panel, orientation), previews, ...tellRemarks(remarksOfNotes(notes)) };
    },
  });
}

/**
 * Finds the panel that a preview is for. A device's panel is for anyone who may write the device; a panel that is named by
 * its kind is for everybody who may write anywhere.
 * @throws Refusal `not-found`, `access-denied`, or `invalid-request` where no panel is named
 */
async function findPanel(
  { db }: PaperDeps,
  principal: Principal,
  { deviceId, kind, orientation }: z.output<typeof previewQuery>,
): Promise<PreviewFor> {
  const device = deviceId === undefined ? undefined : await requireDevice(db, principal, deviceId, 'write');
  if (device === undefined && organizationsFor(principal, 'write').length === 0) throw refuse('access-denied');
  const panel = (device && panelOf(device)) ?? panelOfKind(kind ?? '');
  if (panel === undefined) {
    const hint =
      kind === undefined
        ? reasonOf('panel-not-named')
        : reasonOf('field-kind', { because: noPanelFor('devices', kind) });
    throw refuse('invalid-request', { hint: device === undefined ? hint : noPanelFor('devices', device.kind) });
  }
  return {
    panel,
    orientation: orientation ?? orientationOf('{}', device?.meta),
    sharer: device === undefined ? sharerOf(principal) : [device.organization_id, principal.accountId],
  };
}
