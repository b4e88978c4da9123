/** Routes for guests: what their link is for, sending a picture, and how far their own pictures are. */
import { z } from 'zod';
import { viewSize } from '../../../firmware-protocol/panels.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTimeOrNull } from '../../../runtime/clock.ts';
import { remarkFields } from '../../files/tell-remark.ts';
import { type AnyRoute, type Arrival, route } from '../../http/route.ts';
import type { Guest } from '../../papers/guest-links.ts';
import { isAlbum } from '../../papers/kinds.ts';
import { newestSent, type SentPictureRow, sameSendingMs, senderOf, sentPictures } from '../../papers/sent-pictures.ts';
import { sendQuery } from '../../uploads/sent-message.ts';
import { takeSentPicture } from '../../uploads/take-sent-picture.ts';
import { guestOf, leftOf, panelForGuest } from './admit-guest.ts';
import { onlyPicture, sendFields, sendFiles } from './album-routes.ts';
import { guestPreviewRoute } from './guest-preview-route.ts';
import type { PaperDeps } from './paper-deps.ts';
import { showPaper } from './show-paper.ts';
import {
  pictureAddress,
  pictureShown,
  remarkOnSent,
  resultOf,
  showSentPictures,
  thumbnailOf,
} from './show-sent-picture.ts';

const guestShown = z.object({
  name: z.string().describe('The guest, as the link calls them'),
  paper: z.object({ title: z.string(), isAlbum: z.boolean() }),
  left: z.number().nullable().describe('Pictures that may still be sent; null without a limit'),
  expiresAt: z.string().nullable(),
  showsResult: z.boolean(),
  panel: z
    .object({ width: z.number(), height: z.number() })
    .nullable()
    .describe('The pixels of the panel as a person sees it, so that pictures can be cut to its shape'),
});

type GuestPicture = z.output<typeof pictureShown>;

/** Returns every route for guests. */
export function guestRoutes(deps: PaperDeps): AnyRoute[] {
  return [linkRoute(deps), listRoute(deps), sendRoute(deps), pictureRoute(deps), guestPreviewRoute(deps)];
}

/** Finds a picture that this very guest sent. */
async function requireOwn({ db }: PaperDeps, { link, paper }: Guest, pictureId: string): Promise<SentPictureRow> {
  const row = await sentPictures(db).find(paper.id, pictureId);
  if (row?.sender !== senderOf({ linkId: link.id })) throw refuse('not-found');
  return row;
}

/** Presents pictures without the fields that are for members alone. */
async function showOwn(deps: PaperDeps, { paper }: Guest, rows: readonly SentPictureRow[]): Promise<GuestPicture[]> {
  return (await showSentPictures(deps, paper, rows)).map((shown) => pictureShown.parse(shown));
}

const common = { access: 'guest', noStore: true } as const;

function linkRoute(deps: PaperDeps): AnyRoute {
  return route('GET /guest/', {
    ...common,
    summary: 'What a guest link is for',
    output: guestShown,
    refuses: [],
    admit: (arrival) => guestOf(deps, arrival),
    async handle(_call, guest) {
      const { link, paper } = guest;
      const found = await panelForGuest(deps, guest);
      return {
        name: link.name,
        paper: { title: showPaper(paper, undefined).title, isAlbum: isAlbum(paper.kind) },
        left: leftOf(guest),
        expiresAt: isoTimeOrNull(link.ends_at),
        showsResult: link.shows_result === 1,
        panel: found === undefined ? null : viewSize(found.panel, found.orientation),
      };
    },
  });
}

function listRoute(deps: PaperDeps): AnyRoute {
  return route('GET /guest/pictures/', {
    ...common,
    summary: 'What was sent with a guest link, the newest first, and how far each picture is',
    output: z.array(pictureShown),
    refuses: [],
    admit: (arrival) => guestOf(deps, arrival),
    async handle(_call, guest) {
      const sender = senderOf({ linkId: guest.link.id });
      return showOwn(deps, guest, await sentPictures(deps.db).ofSender(guest.paper.id, sender));
    },
  });
}

function sendRoute(deps: PaperDeps): AnyRoute {
  /** A link that is used up is refused before the body is read, unless the call may repeat one that counted. */
  async function admit(arrival: Arrival<unknown, { readonly messageId?: string | undefined }>): Promise<Guest> {
    const guest = await guestOf(deps, arrival);
    if (leftOf(guest) !== 0) return guest;
    const sender = senderOf({ linkId: guest.link.id });
    const since = deps.clock.now() - sameSendingMs;
    const known =
      (await sentPictures(deps.db).ofMessage(guest.paper.id, sender, arrival.query.messageId)) ??
      (await newestSent(deps.db, { paper_id: guest.paper.id, sender }, since));
    if (known === undefined) throw refuse('guest-link-used-up');
    return guest;
  }
  return route('POST /guest/pictures/', {
    ...common,
    status: 201,
    summary: 'Send a picture with a guest link',
    audit: { action: 'paper.uploaded', on: 'paper' },
    query: sendQuery,
    bodyType: 'multipart',
    files: sendFiles,
    body: sendFields,
    output: pictureShown.extend(remarkFields),
    refuses: [
      'guest-link-used-up',
      'album-full',
      'storage-full',
      'conflict',
      'message-id-used',
      'unsupported-image',
      'invalid-image',
    ],
    admit,
    sharer: ({ paper, link }) => [paper.organization_id, link.id],
    async handle({ query, body, files, caller: { signal }, note }, guest) {
      note({ outsider: { by: 'guest', name: guest.link.name }, id: guest.paper.id });
      const sent = { picture: onlyPicture(files), caption: body.caption ?? '', messageId: query.messageId, signal };
      const { row, isRepeat } = await takeSentPicture(deps, guest.paper, guest, sent);
      if (isRepeat) note({ nothing: true });
      deps.nudge();
      // The link may have been revoked while the picture was decoded; the picture is in then, and its sender learns that.
      const [shown] = await showOwn(deps, guest, [row]);
      if (shown === undefined) throw refuse('not-found');
      return { ...shown, ...(await remarkOnSent(deps, row)) };
    },
  });
}

function pictureRoute(deps: PaperDeps): AnyRoute {
  return route('GET /guest/pictures/:pictureId', {
    ...common,
    summary: 'A temporary address of a picture that was sent with a guest link: small, or as the panel shows it',
    query: z.object({
      kind: z
        .enum(['thumbnail.jpg', '.png'])
        .describe('`.png` is what the panel shows, for links with `showsResult`; small unless given')
        .optional(),
    }),
    output: pictureAddress,
    refuses: ['not-found', 'access-denied', 'picture-gone'],
    admit: (arrival) => guestOf(deps, arrival),
    async handle({ params, query, caller: { signal } }, guest) {
      const row = await requireOwn(deps, guest, params.pictureId);
      if (query.kind === '.png' && guest.link.shows_result !== 1) throw refuse('access-denied');
      const url = await (query.kind === '.png' ? resultOf : thumbnailOf)(deps, guest.paper, row, signal);
      if (url === undefined) throw refuse('picture-gone');
      return { url };
    },
  });
}
