/** Routes of papers' images: uploads, temporary addresses for reading, and for putting one into storage (A-25, A-28). */
import { z } from 'zod';
import { isoTime } from '../../gateway/runtime/clock.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { mayDo, membershipIn, type Principal } from '../directory/principal.ts';
import { directoryStore } from '../directory/store.ts';
import { signedPrefix } from '../files/sign-address.ts';
import { objectId } from '../http/field-shapes.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { inkColours } from '../rendering/renditions.ts';
import { uploadReasons } from './hand-over.ts';
import { drawsItself, showsUploads } from './kinds.ts';
import type { PaperEdges } from './paper-edges.ts';
import { imageKinds, paperImage } from './paper-images.ts';
import { readUpload, uploadFields } from './read-upload.ts';
import { requirePaper } from './require-paper.ts';
import { paperShown, showPaper } from './show-paper.ts';
import type { PaperRow } from './store.ts';
import { type StoredUpload, storePicture } from './store-picture.ts';

const onePaper = z.object({ paperId: objectId });

/** What one may ask of a paper's images, in the body or in the query. */
const imageWish = z.object({
  kind: z.enum(imageKinds).optional(),
  return: z.enum(['url', 'json']).optional(),
  colours: z
    .enum(inkColours)
    .describe('Of kind .png: what the inks look like (the default), or what they are called')
    .optional(),
});
type ImageWish = z.output<typeof imageWish>;

const temporary = { signedUrl: z.string().optional(), expiresAt: z.string().optional(), json: z.unknown().optional() };
/** Besides the paper, what clients ask of an upload (C-28, C-54). */
const uploaded = paperShown.extend({
  skippedUpload: z.boolean(),
  similarityPercentage: z.number().nullable(),
  uploadAttemptId: z.string(),
  reason: z.enum(uploadReasons),
  /** Under which the picture is stored; null for a paper that draws itself. */
  key: z.string().nullable(),
});

/** Every route of papers' images, one paper's own row among them. */
export function imageRoutes(edges: PaperEdges): AnyRoute[] {
  return [readRoute(edges), addressRoute(edges), uploadRoute(edges), putRoute(edges)];
}

function readRoute(edges: PaperEdges): AnyRoute {
  return route({
    method: 'GET',
    path: '/papers/:paperId',
    summary: 'One paper; with a kind, also a temporary address of that image of it',
    access: 'person',
    status: 200,
    noStore: true,
    params: onePaper,
    query: imageWish,
    body: imageWish,
    output: paperShown.extend(temporary),
    async handle({ params, query, body, principal }) {
      const paper = await requirePaper(edges.database, principal, params.paperId, 'read');
      const wish = { ...body, ...query };
      if (Object.values(wish).every((value) => value === undefined)) return showPaper(paper);
      const image = await imageOf(edges, paper, wish);
      if (image === undefined) throw refuse('not-found', { message: 'The paper has no such image' });
      return { ...showPaper(paper), ...image };
    },
  });
}

function addressRoute(edges: PaperEdges): AnyRoute {
  return route({
    method: 'POST',
    path: '/papers/image/:paperId',
    summary: 'Temporary addresses: of an image of the paper, and for putting one into storage',
    access: 'person',
    status: 200,
    noStore: true,
    params: onePaper,
    query: imageWish,
    body: imageWish,
    output: paperShown.extend({ ...temporary, uploadUrl: z.string().optional(), method: z.literal('PUT').optional() }),
    async handle({ params, query, body, principal }) {
      const paper = await requirePaper(edges.database, principal, params.paperId, 'read');
      const wish = { ...body, ...query };
      const image = await imageOf(edges, paper, wish);
      const upload = wish.kind === 'editable.json' ? undefined : uploadAddress(edges, paper, principal);
      return { ...showPaper(paper), ...image, ...upload };
    },
  });
}

function uploadRoute(edges: PaperEdges): AnyRoute {
  return route({
    method: 'POST',
    path: '/papers/uploadSingleImage/:paperId',
    summary: 'Upload the picture of a paper, and settings to merge into its meta',
    access: 'person',
    status: 200,
    params: onePaper,
    bodyType: 'multipart',
    files: {
      picture: { description: 'The source image; of two, the first is ready for the panel', most: 2 },
      pictureDevice: { description: "A picture of exactly the panel's size" },
    },
    body: uploadFields,
    output: uploaded,
    admit: ({ params, principal }) => requirePaper(edges.database, principal, params.paperId, 'write'),
    async handle({ params, body, files, principal }) {
      const stored = await storePicture(edges, principal, params.paperId, readUpload(body, files));
      edges.nudge();
      return showUpload(stored);
    },
  });
}

/** The address names who asked for it: they must still be allowed to, when it is used. */
function putRoute(edges: PaperEdges): AnyRoute {
  return route({
    method: 'PUT',
    path: `${signedPrefix}papers/:paperId/:accountId/:after/:revision/:expiresAt`,
    summary: 'Put the picture of a paper into storage, under the address that was given for it',
    access: 'anyone',
    status: 200,
    noStore: true,
    params: z.object({
      ...onePaper.shape,
      accountId: z.uuid(),
      after: z.union([objectId, z.literal(noRevision)]),
      revision: objectId,
      expiresAt: z.string().regex(/^\d{1,16}$/),
    }),
    query: z.object({ s: z.string().max(100).optional() }),
    bodyType: 'bytes',
    body: z.instanceof(Buffer, { error: 'expected the bytes of a picture' }),
    output: uploaded,
    async admit({ params, query }) {
      const { paperId, accountId, after, revision, expiresAt } = params;
      const path = `${uploadPath(paperId, accountId, after, revision)}/${expiresAt}`;
      if (!edges.signer.isGood('PUT', path, query.s ?? '')) throw refuseAddress();
      const principal = { accountId, memberships: await directoryStore(edges.database).membershipsOf(accountId) };
      const paper = await requirePaper(edges.database, principal, paperId, 'write').catch(() => undefined);
      if (paper === undefined) throw refuseAddress();
      return principal;
    },
    async handle({ params, body }, principal) {
      const upload = { picture: { field: 'body', bytes: body }, force: false };
      const turn = { after: params.after === noRevision ? null : params.after, revision: params.revision };
      const stored = await storePicture(edges, principal, params.paperId, upload, turn);
      edges.nudge();
      return showUpload(stored);
    },
  });
}

/** In the place of a revision, for a paper that has had no picture. */
const noRevision = '-';

function uploadPath(paperId: string, accountId: string, after: string, revision: string): string {
  return `${signedPrefix}papers/${paperId}/${accountId}/${after}/${revision}`;
}

/**
 * Good for one picture: it makes the revision it names, of a paper that still has the one before. Repeating it with the
 * same bytes does no harm (C-37).
 */
function uploadAddress(edges: PaperEdges, paper: PaperRow, { accountId, memberships }: Principal) {
  const membership = membershipIn({ accountId, memberships }, paper.organization_id);
  if (!mayDo(membership, 'write') || !showsUploads(paper.kind)) return undefined;
  const path = uploadPath(paper.id, accountId, paper.picture_revision ?? noRevision, edges.random.id());
  const { url, expiresAt } = edges.signer.sign('PUT', path);
  return { uploadUrl: url, method: 'PUT' as const, expiresAt: isoTime(expiresAt) };
}

/** The image as an address, or as the JSON itself; undefined when there is none. */
async function imageOf(edges: PaperEdges, paper: PaperRow, wish: ImageWish) {
  const kind = wish.kind ?? (wish.return === 'json' ? 'editable.json' : '.png');
  if (wish.return === 'json' && kind !== 'editable.json') {
    throw refuse('invalid-request', { hint: 'return: json is for kind editable.json' });
  }
  if (wish.colours !== undefined && kind !== '.png') {
    throw refuse('invalid-request', { hint: 'colours: for kind .png, which shows the inks of a panel' });
  }
  const image = await paperImage(edges, paper, kind, wish.colours);
  if (image === undefined) return undefined;
  if (wish.return === 'json') {
    const text = await edges.files.get(image.key);
    return text === undefined ? undefined : { json: JSON.parse(text.toString()) as unknown };
  }
  const { url, expiresAt } = edges.images.sign(image.key, paper.id, image.type);
  return { signedUrl: url, expiresAt: isoTime(expiresAt) };
}

/** Wrong, over, or no longer allowed: one answer for all. */
function refuseAddress() {
  return refuse('access-denied', { message: 'This address is not valid or has expired' });
}

function showUpload({ paper, skipped: skippedUpload, similarityPercentage, attemptId, reason }: StoredUpload) {
  const shown = { ...showPaper(paper), skippedUpload, similarityPercentage };
  // A paper that draws itself took no picture (C-49).
  return { ...shown, uploadAttemptId: attemptId, reason, key: drawsItself(paper.kind) ? null : paper.picture_key };
}
