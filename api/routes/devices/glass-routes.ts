/** Routes of what was on a glass: which pictures, from when to when, and how each looked. */

import { z } from 'zod';
import { grades } from '../../../gateway/frames/grades.ts';
import { picturesShown } from '../../../gateway/pictures/fleet-pictures.ts';
import { gradeOf, neutralRevision } from '../../../gateway/pictures/upload-row.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import type { Principal } from '../../access/principal.ts';
import { evidenceLevels } from '../../delivery-state/weigh-evidence.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { readRevision } from '../../devices/shown-item.ts';
import { pictureStates } from '../../explanations/picture-progress.ts';
import { evidenceOfSent } from '../../explanations/sent-evidence.ts';
import { idList } from '../../http/field-shapes.ts';
import { wrongFieldIssue } from '../../http/fit-schema.ts';
import { wholeNumber } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { momentField } from '../../http/time-of-iso.ts';
import { type DrawingOptions, inkColours } from '../../inks/renditions.ts';
import type { ImageDeps } from './image-deps.ts';
import { type ImageFile, offerFile } from './shown-image.ts';

const defaultRows = 100;
const rememberedMs = 90 * 86_400_000;
const maxSentIds = 50;

const onGlass = z.object({
  uploadId: z.string(),
  fileVersion: z.number(),
  shows: z
    .enum(['content', 'picture', 'page', 'notice', 'deviceImage'])
    .describe(
      "pushed content, a picture uploaded to a paper, a page that a paper drew, a notice, or an image of the device's own",
    ),
  since: z.string(),
  until: z.string().nullable().describe('when the frame reported the next one; null for the last'),
  level: z.enum(['reported shown', 'confirmed']),
  grade: z.enum(grades).describe('what that is worth, on one scale for all frames'),
});

export function glassRoutes(deps: ImageDeps): AnyRoute[] {
  return [historyRoute(deps), pictureRoute(deps), sentRoute(deps)];
}

const sentShown = z.object({
  id: z.string(),
  state: z
    .enum(pictureStates)
    .describe(
      '`accepted`: waits for its turn; `on-its-way`: was given to the frame; `on-glass`: the frame reported it last; `was-on-glass`: it did, and others since; `replaced`: another picture came first, or it was taken away',
    ),
  since: z.string().nullable().describe('when the frame reported it; null when it never did'),
  until: z.string().nullable().describe('when the frame reported the next one'),
  level: z.enum(evidenceLevels).nullable().describe('how far it came; null when the frame never reported it'),
  grade: z.enum(grades).nullable().describe('what that is worth, on one scale for all frames'),
});

function sentRoute({ db, clock, frames }: ImageDeps): AnyRoute {
  return route('GET /devices/:deviceId/sent', {
    summary: 'What became of pictures on the frame, by the ids under which they were sent',
    noStore: true,
    query: z.object({
      ids: idList(maxSentIds).describe(
        `Up to ${maxSentIds}, separated by commas: \`id\` of pictures of albums, \`uploadAttemptId\` of uploads`,
      ),
    }),
    output: z.array(sentShown),
    async handle({ params, query, principal }) {
      const device = await requireDevice(db, principal, params.deviceId, 'read');
      const found = await evidenceOfSent({ db, clock, frames }, device, query.ids);
      return [...found].map(([id, { since, until, ...evidence }]) => ({
        id,
        ...evidence,
        since: isoTimeOrNull(since),
        until: isoTimeOrNull(until),
      }));
    },
  });
}

function historyRoute({ db, clock }: ImageDeps): AnyRoute {
  return route('GET /devices/:deviceId/uploads', {
    summary:
      'Pictures that were on the glass in the last 90 days, the newest first: taken whole by the frame, then reported as shown',
    query: z.object({
      limit: wholeNumber(1, 500).describe(`${defaultRows} unless said`).optional(),
      before: momentField(wrongFieldIssue('field-not-time'))
        .describe('Pictures that came earlier: the `since` of the last one of the page before')
        .optional(),
    }),
    output: z.array(onGlass),
    async handle({ params, query, principal }) {
      const device = await requireDevice(db, principal, params.deviceId, 'read');
      if (device.serial === null) return [];
      const limit = query.limit ?? defaultRows;
      const end = query.before ?? clock.now() + 1;
      const rows = await picturesShown(db, device.serial, end, limit);
      const earliest = clock.now() - rememberedMs;
      const kept = rows.filter(({ shown_at }) => (shown_at ?? 0) >= earliest);
      return kept.map((upload, at) => {
        const { id, file_version, revision, shown_at, confirmed_at } = upload;
        const next = kept[at - 1]?.shown_at ?? query.before;
        return {
          uploadId: id,
          fileVersion: file_version,
          shows: revision === neutralRevision ? ('notice' as const) : readRevision(revision).kind,
          since: isoTime(shown_at ?? 0),
          until: isoTimeOrNull(next),
          level: confirmed_at === null ? ('reported shown' as const) : ('confirmed' as const),
          grade: gradeOf(upload),
        };
      });
    },
  });
}

function pictureRoute(deps: ImageDeps): AnyRoute {
  return route('GET /devices/:deviceId/uploads/:uploadId/picture', {
    summary:
      'A temporary address of a picture that was offered to the frame, as PNG: on its glass, due, or earlier while its file is kept',
    noStore: true,
    query: z.object({
      colours: z.enum(inkColours).describe('What the inks look like (the default), or what they are called').optional(),
    }),
    output: z.object({ url: z.string() }),
    refuses: ['not-found', 'picture-gone'],
    async handle({ params, query, principal, caller: { signal } }) {
      const file = await offeredFile(deps, principal, params, { colours: query.colours, signal });
      return { url: deps.images.sign(file.key, params.deviceId, file.type).url };
    },
  });
}

interface OfferedPicture {
  readonly deviceId: string;
  readonly uploadId: string;
}

/**
 * Finds or draws the file of a picture that was offered to the frame of a device.
 * @throws Refusal `not-found`, `picture-gone`
 */
async function offeredFile(
  deps: ImageDeps,
  principal: Principal,
  { deviceId, uploadId }: OfferedPicture,
  options: DrawingOptions,
): Promise<ImageFile> {
  const device = await requireDevice(deps.db, principal, deviceId, 'read');
  const offer = device.serial === null ? undefined : await deps.frames.offeredPicture(device.serial, uploadId);
  if (offer === undefined) throw refuse('not-found');
  const file = await offerFile(deps, device, offer, options);
  if (file === undefined) throw refuse('picture-gone');
  return file;
}

/** Returns how a picture that was offered to the frame of a device is read, as PNG. */
export function readOffered(deps: ImageDeps) {
  return async (principal: Principal, deviceId: string, uploadId: string): Promise<Buffer | undefined> => {
    const { signal } = new AbortController();
    const { key } = await offeredFile(deps, principal, { deviceId, uploadId }, { signal });
    return deps.files.get(key);
  };
}
