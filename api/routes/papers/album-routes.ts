/** Routes of the pictures of albums: members see who sent what, send, order and remove. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { nameIn, type Principal } from '../../access/principal.ts';
import { noPicture } from '../../files/accept-picture.ts';
import { remarkFields } from '../../files/tell-remark.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { UploadedFile } from '../../http/uploaded-file.ts';
import { isAlbum } from '../../papers/kinds.ts';
import { transactOnPaper } from '../../papers/lock-paper.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import { albumLimits, orderAlbum, sentPictures } from '../../papers/sent-pictures.ts';
import { type PaperRow, paperStore } from '../../papers/store.ts';
import { sendQuery } from '../../uploads/sent-message.ts';
import { takeSentPicture } from '../../uploads/take-sent-picture.ts';
import type { PaperDeps } from './paper-deps.ts';
import { intentNames } from './preview-route.ts';
import { memberPicture, pictureAddress, remarkOnSent, showSentPictures, thumbnailOf } from './show-sent-picture.ts';

/** The text fields of a picture that is sent. */
export const sendFields = z.object({
  caption: z.string().max(200).describe('Kept next to the picture; nothing is drawn').optional(),
});

/** The file field of a picture that is sent. */
export const sendFiles = { picture: { description: 'The picture: JPEG, PNG, WebP or GIF' } };

/**
 * Returns the one picture of a form.
 * @throws Refusal `invalid-request` for none, or several
 */
export function onlyPicture([picture, another]: readonly UploadedFile[]): UploadedFile {
  if (picture === undefined) throw noPicture();
  if (another !== undefined) throw refuse('invalid-request', { message: reasonOf('pictures-one-by-one') });
  return picture;
}

/** Returns every route of albums for members. */
export function albumRoutes(deps: PaperDeps): AnyRoute[] {
  return [listRoute(deps), sendRoute(deps), orderRoute(deps), pictureRoute(deps), removeRoute(deps)];
}

/** Requires an album that the caller may write: who sent what is shown to no others, as with its meta. */
export async function requireAlbum(
  { db }: Pick<PaperDeps, 'db'>,
  principal: Principal,
  paperId: string,
): Promise<PaperRow> {
  const paper = await requirePaper(db, principal, paperId, 'write');
  if (isAlbum(paper.kind)) return paper;
  throw refuse('invalid-request', {
    message: reasonOf('no-album', { kind: paper.kind }),
    hint: 'make one: kind album',
  });
}

function listRoute(deps: PaperDeps): AnyRoute {
  return route('GET /papers/:paperId/pictures/', {
    summary: 'The pictures of an album in their order, with who sent each and how far it is',
    noStore: true,
    output: z.array(memberPicture),
    async handle({ params, principal }) {
      const paper = await requireAlbum(deps, principal, params.paperId);
      return showSentPictures(deps, paper, await sentPictures(deps.db).ofAlbum(paper.id));
    },
  });
}

function sendRoute(deps: PaperDeps): AnyRoute {
  return route('POST /papers/:paperId/pictures/', {
    summary: `Send a picture to an album; it is shown next. An album holds ${albumLimits.pictures}, of 2 GiB together`,
    audit: { action: 'paper.uploaded', on: 'paper' },
    status: 201,
    query: sendQuery,
    bodyType: 'multipart',
    files: sendFiles,
    body: sendFields.extend({
      intent: z
        .enum(intentNames)
        .describe('What it is for, as in a preview; as the paper says unless given')
        .optional(),
    }),
    output: memberPicture.extend(remarkFields),
    refuses: [
      'not-found',
      'access-denied',
      'album-full',
      'storage-full',
      'message-id-used',
      'unsupported-image',
      'invalid-image',
    ],
    admit: ({ params, principal }) => requireAlbum(deps, principal, params.paperId),
    async handle({ query, body, files, principal, caller: { signal }, note }, paper) {
      const { accountId } = principal;
      const sender = { accountId, name: nameIn(principal, paper.organization_id) };
      const { caption = '', intent } = body;
      const sent = { picture: onlyPicture(files), caption, intent, messageId: query.messageId, signal };
      const { row, isRepeat } = await takeSentPicture(deps, paper, sender, sent);
      if (isRepeat) note({ nothing: true });
      deps.nudge();
      const [shown] = await showSentPictures(deps, paper, [row]);
      if (shown === undefined) throw refuse('not-found');
      return { ...shown, ...(await remarkOnSent(deps, row)) };
    },
  });
}

function orderRoute(deps: PaperDeps): AnyRoute {
  return route('POST /papers/:paperId/pictures/order', {
    summary: 'Put the pictures of an album in order; those that are not named, which came meanwhile, stay in front',
    audit: { action: 'paper.ordered', on: 'paper' },
    body: z.object({ pictures: z.array(z.string().max(24)).max(albumLimits.pictures) }),
    async handle({ params: { paperId }, body, principal }) {
      await transactOnPaper(deps.db, paperId, async (trx) => {
        const paper = await requireAlbum({ db: trx }, principal, paperId);
        await orderAlbum(trx, paperId, [...new Set(body.pictures)]);
        await paperStore(trx).change(paper, { updated_at: deps.clock.now() });
      });
      deps.nudge();
    },
  });
}

function pictureRoute(deps: PaperDeps): AnyRoute {
  return route('GET /papers/:paperId/pictures/:pictureId', {
    summary: 'A temporary address of a picture of an album: small, or as it was sent',
    noStore: true,
    query: z.object({ kind: z.enum(['thumbnail.jpg', 'original.png']).optional() }),
    output: pictureAddress,
    async handle({ params, query, principal, caller: { signal } }) {
      const paper = await requireAlbum(deps, principal, params.paperId);
      const row = await sentPictures(deps.db).find(paper.id, params.pictureId);
      if (row?.picture_key == null) throw refuse('not-found');
      if (query.kind === 'original.png') return { url: deps.images.sign(row.picture_key, paper.id, 'png').url };
      const url = await thumbnailOf(deps, paper, row, signal);
      if (url === undefined) throw refuse('picture-gone');
      return { url };
    },
    refuses: ['not-found', 'access-denied', 'picture-gone'],
  });
}

function removeRoute(deps: PaperDeps): AnyRoute {
  return route('DELETE /papers/:paperId/pictures/:pictureId', {
    summary: 'Take a picture out of an album; a frame that shows it gets the next one',
    audit: { action: 'paper.picture-removed', on: 'paper' },
    async handle({ params: { paperId, pictureId }, principal }) {
      await transactOnPaper(deps.db, paperId, async (trx) => {
        const paper = await requireAlbum({ db: trx }, principal, paperId);
        const row = await sentPictures(trx).find(paperId, pictureId);
        if (row?.picture_key == null) throw refuse('not-found');
        await sentPictures(trx).remove(row);
        await paperStore(trx).change(paper, { updated_at: deps.clock.now() });
      });
      deps.nudge();
    },
  });
}
