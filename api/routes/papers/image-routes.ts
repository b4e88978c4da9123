/** Routes of papers' images: uploads, temporary addresses for reading an image, and for storing one. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { fairShares } from '../../../runtime/fair-shares.ts';
import { mayDo, membershipIn, type Principal, sharerOf } from '../../access/principal.ts';
import { deadlineOfUpload, readUploadDeadline } from '../../deadlines/deadline-of-upload.ts';
import { revisionOf } from '../../devices/shown-item.ts';
import { directoryStore } from '../../directory/store.ts';
import { signedPrefix } from '../../files/sign-address.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { inkColours } from '../../inks/renditions.ts';
import { drawsItself, showsUploads } from '../../papers/kinds.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import type { PaperRow } from '../../papers/store.ts';
import { readShowTimes, scheduleForPaper } from '../../timed-pictures/schedule-picture.ts';
import { sendQuery } from '../../uploads/sent-message.ts';
import { storePicture } from '../../uploads/store-picture.ts';
import { takeBackUpload } from '../../uploads/take-back.ts';
import type { PaperDeps } from './paper-deps.ts';
import { imageKinds, paperImage } from './paper-images.ts';
import { readUpload, uploadFields } from './read-upload.ts';
import { paperShown, showPaper } from './show-paper.ts';
import { showUpload, showWaiting, uploaded } from './show-upload.ts';
import { showWithWaiting } from './show-with-waiting.ts';

const onePaper = z.object({ paperId: objectId });

/** The options of a paper's image, in the body or in the query. */
const imageOptions = z.object({
  kind: z.enum(imageKinds).optional(),
  return: z.enum(['url', 'json']).optional(),
  colours: z
    .enum(inkColours)
    .describe('Of kind .png: what the inks look like (the default), or what they are called')
    .optional(),
});
type ImageOptions = z.output<typeof imageOptions>;

const temporary = { signedUrl: z.string().optional(), expiresAt: z.string().optional(), json: z.unknown().optional() };
/** Returns every route of papers' images, with the route that reads one paper. */
export function paperImageRoutes(deps: PaperDeps): AnyRoute[] {
  return [readRoute(deps), addressRoute(deps), uploadRoute(deps), takeBackRoute(deps), putRoute(deps)];
}

function readRoute(deps: PaperDeps): AnyRoute {
  return route('GET /papers/:paperId', {
    summary: 'One paper; with a kind, also a temporary address of that image of it',
    noStore: true,
    query: imageOptions,
    body: imageOptions,
    output: paperShown.extend(temporary),
    async handle({ params, query, body, principal, caller: { signal } }) {
      const paper = await requirePaper(deps.db, principal, params.paperId, 'read');
      const options = { ...body, ...query };
      const [shown = showPaper(paper, principal)] = await showWithWaiting(deps.db, [paper], principal);
      if (Object.values(options).every((value) => value === undefined)) return shown;
      const image = await imageOf(deps, paper, options, signal);
      if (image === undefined) throw refuse('not-found', { message: reasonOf('paper-image-none') });
      return { ...shown, ...image };
    },
  });
}

function addressRoute(deps: PaperDeps): AnyRoute {
  return route('POST /papers/image/:paperId', {
    summary: 'Temporary addresses: of an image of the paper, and for putting one into storage',
    audit: { none: 'it changes nothing; what is put under the address is recorded' },
    noStore: true,
    query: imageOptions,
    body: imageOptions,
    output: paperShown.extend({ ...temporary, uploadUrl: z.string().optional(), method: z.literal('PUT').optional() }),
    async handle({ params, query, body, principal, caller: { signal } }) {
      const paper = await requirePaper(deps.db, principal, params.paperId, 'read');
      const options = { ...body, ...query };
      const image = await imageOf(deps, paper, options, signal);
      const upload = options.kind === 'editable.json' ? undefined : uploadAddress(deps, paper, principal);
      return { ...showPaper(paper, principal), ...image, ...upload };
    },
  });
}

function uploadRoute(deps: PaperDeps): AnyRoute {
  return route('POST /papers/uploadSingleImage/:paperId', {
    summary: 'Upload the picture of a paper, and settings to merge into its meta',
    audit: { action: 'paper.uploaded', on: 'paper' },
    query: sendQuery,
    bodyType: 'multipart',
    files: {
      picture: { description: 'The source image; of two, the first is ready for the panel', most: 2 },
      file: { description: 'Another name for `picture`' },
      pictureDevice: { description: "A picture of exactly the panel's size" },
    },
    body: uploadFields,
    output: uploaded,
    refuses: ['not-found', 'access-denied', 'conflict', 'nothing-to-return-to', 'storage-full'],
    admit: ({ params, principal }) => requirePaper(deps.db, principal, params.paperId, 'write'),
    async handle({ params, query: { messageId }, body, files, principal, caller: { signal }, note }) {
      const upload = { ...(await readUpload(body, files)), messageId, signal };
      const times = readShowTimes(body, deps.clock.now());
      const by = readUploadDeadline(body.deadline, deps.clock.now());
      if (times !== undefined) {
        const row = await scheduleForPaper(deps, principal, params.paperId, { ...upload, times });
        deps.nudge();
        const paper = await requirePaper(deps.db, principal, params.paperId, 'read');
        const shown = await showWaiting(deps, row, paper, principal);
        return { ...shown, ...(await dueBy(deps, principal, { paper, timedId: row.id, revision: null }, by)) };
      }
      const stored = await storePicture(deps, principal, params.paperId, upload);
      if (stored.isRepeat) note({ nothing: true });
      deps.nudge();
      const { paper } = stored;
      const revision =
        drawsItself(paper.kind) || paper.picture_revision === null ? null : pictureRevision(paper.picture_revision);
      const shown = await showUpload(deps, stored, principal);
      return { ...shown, ...(await dueBy(deps, principal, { paper, timedId: null, revision }, by)) };
    },
  });
}

const pictureRevision = (id: string): string => revisionOf({ kind: 'picture', id });

/** Makes the deadline that came with a picture, for the answer; nothing where none came. */
async function dueBy(
  deps: PaperDeps,
  principal: Principal,
  { paper, ...sent }: { readonly paper: PaperRow; readonly timedId: string | null; readonly revision: string | null },
  by: number | undefined,
): Promise<Pick<z.input<typeof uploaded>, 'deadline'>> {
  if (by === undefined) return {};
  const subject = { organizationId: paper.organization_id, paperId: paper.id, devices: null, ...sent };
  return { deadline: await deadlineOfUpload(deps, principal, subject, by) };
}

function takeBackRoute(deps: PaperDeps): AnyRoute {
  return route('DELETE /papers/:paperId/uploads/:attemptId', {
    summary: 'Take an upload back within a day: the picture that it replaced is the paper’s again',
    audit: { action: 'paper.upload-taken-back', on: 'paper' },
    noStore: true,
    params: z.object({ ...onePaper.shape, attemptId: objectId }),
    output: paperShown,
    refuses: ['not-found', 'access-denied', 'conflict', 'picture-gone'],
    async handle({ params: { paperId, attemptId }, principal }) {
      const paper = await takeBackUpload(deps, principal, paperId, attemptId);
      deps.nudge();
      return showPaper(paper, principal);
    },
  });
}

/**
 * The route behind an upload address. The address names who asked for it: they must still be allowed to when it is
 * used.
 */
function putRoute(deps: PaperDeps): AnyRoute {
  return route(`PUT ${signedPrefix}papers/:paperId/:accountId/:after/:revision/:expiresAt`, {
    summary: 'Put the picture of a paper into storage, under the address that was given for it',
    audit: { action: 'paper.uploaded', on: 'paper' },
    access: 'anyone',
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
    body: z.object({}),
    output: uploaded,
    async admit({ params, query }) {
      const { paperId, accountId, after, revision, expiresAt } = params;
      const path = `${uploadPath(paperId, accountId, after, revision)}/${expiresAt}`;
      if (!deps.signer.isGood('PUT', path, query.s ?? '')) throw refuseAddress();
      const principal = { accountId, memberships: await directoryStore(deps.db).membershipsOf(accountId) };
      const paper = await requirePaper(deps.db, principal, paperId, 'write').catch(() => undefined);
      if (paper === undefined) throw refuseAddress();
      return principal;
    },
    sharer: sharerOf,
    async handle({ params, files: [picture], caller: { signal }, note }, principal) {
      note({ accountId: principal.accountId });
      if (picture === undefined) throw refuse('invalid-request', { hint: reasonOf('bytes-expected') });
      const expected = { after: params.after === noRevision ? null : params.after, revision: params.revision };
      const upload = { picture, force: false, expected, signal };
      const stored = await storePicture(deps, principal, params.paperId, upload);
      deps.nudge();
      // The caller who stores the picture may be another than the one who asked for the address.
      return showUpload(deps, stored, undefined);
    },
  });
}

/** The text in the place of a revision, for a paper that has had no picture. */
const noRevision = '-';

function uploadPath(paperId: string, accountId: string, after: string, revision: string): string {
  return `${signedPrefix}papers/${paperId}/${accountId}/${after}/${revision}`;
}

/**
 * Makes an upload address. It is good for one picture: it makes the revision that it names, of a paper that still has
 * the one before. A repetition with the same bytes does no harm (C-37).
 */
function uploadAddress(deps: PaperDeps, paper: PaperRow, { accountId, memberships }: Principal) {
  const membership = membershipIn({ accountId, memberships }, paper.organization_id);
  if (!mayDo(membership, 'write') || !showsUploads(paper.kind)) return undefined;
  const path = uploadPath(paper.id, accountId, paper.picture_revision ?? noRevision, deps.random.id());
  const { url, expiresAt } = deps.signer.sign('PUT', path);
  return { uploadUrl: url, method: 'PUT' as const, expiresAt: isoTime(expiresAt) };
}

/** A canvas may have megabytes, and its parsed objects take more, so one is read at a time (T-61). */
const readingJson = fairShares({ atOnce: 1 });

/** Returns the image as an address, or as the JSON itself; undefined when there is none. */
async function imageOf(deps: PaperDeps, paper: PaperRow, options: ImageOptions, signal: AbortSignal) {
  const kind = options.kind ?? (options.return === 'json' ? 'editable.json' : '.png');
  if (options.return === 'json' && kind !== 'editable.json') {
    throw refuse('invalid-request', { hint: 'return: json is for kind editable.json' });
  }
  if (options.colours !== undefined && kind !== '.png') {
    throw refuse('invalid-request', { hint: 'colours: for kind .png, which shows the inks of a panel' });
  }
  const image = await paperImage(deps, paper, kind, { colours: options.colours, signal });
  if (image === undefined) return undefined;
  if (options.return === 'json') {
    return readingJson.run([paper.organization_id], async () => {
      const text = await deps.files.get(image.key);
      return text === undefined ? undefined : { json: JSON.parse(text.toString()) as unknown };
    });
  }
  const { url, expiresAt } = deps.images.sign(image.key, paper.id, image.type);
  return { signedUrl: url, expiresAt: isoTime(expiresAt) };
}

/** Refuses an address that is wrong, expired or no longer allowed, with one answer for all. */
function refuseAddress() {
  return refuse('access-denied', { message: reasonOf('address-ended') });
}
