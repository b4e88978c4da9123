/** Routes by which members decide whose pictures come to an album by mail and by Telegram. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import type { Transaction } from '../../../runtime/database/database.ts';
import type { Principal } from '../../access/principal.ts';
import { emailAddress } from '../../directory/address.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { transactOnPaper } from '../../papers/lock-paper.ts';
import { type PaperRow, paperStore } from '../../papers/store.ts';
import {
  decideMail,
  endSecret,
  inviteSender,
  makeChatCode,
  postLimits,
  removeChat,
  removeSender,
  renewSecret,
  waitingOfAlbum,
} from '../../picture-post/post-of-album.ts';
import { requireAlbum } from './album-routes.ts';
import type { PaperDeps } from './paper-deps.ts';
import {
  addressOfSecret,
  invitedSenderShown,
  nameOfBot,
  type PostOffered,
  postShown,
  showPost,
  showSender,
} from './show-post.ts';

export interface PostRouteDeps extends Pick<PaperDeps, 'db' | 'clock' | 'random'> {
  readonly post: PostOffered;
}

/** Returns the routes. */
export function postRoutes(deps: PostRouteDeps): AnyRoute[] {
  return [
    listRoute(deps),
    makeAddressRoute(deps),
    endAddressRoute(deps),
    inviteRoute(deps),
    removeSenderRoute(deps),
    decideRoute(deps),
    codeRoute(deps),
    removeChatRoute(deps),
  ];
}

/** The caller and the album that they change. */
interface Asking {
  readonly principal: Principal;
  readonly paperId: string;
}

/** Changes what an album accepts, with the album locked; open pages read it again. */
function changePost<Result>(
  { db, clock }: PostRouteDeps,
  { principal, paperId }: Asking,
  change: (trx: Transaction, album: PaperRow) => Promise<Result>,
): Promise<Result> {
  return transactOnPaper(db, paperId, async (trx) => {
    const album = await requireAlbum({ db: trx }, principal, paperId);
    const result = await change(trx, album);
    await paperStore(trx).change(album, { updated_at: clock.now() });
    return result;
  });
}

function listRoute(deps: PostRouteDeps): AnyRoute {
  return route('GET /papers/:paperId/post/', {
    summary: 'Whose pictures an album accepts by mail and Telegram, and what waits for a yes',
    noStore: true,
    output: postShown,
    async handle({ params, principal }) {
      const album = await requireAlbum(deps, principal, params.paperId);
      return showPost(deps.db, deps.post, album);
    },
  });
}

function makeAddressRoute(deps: PostRouteDeps): AnyRoute {
  return route('POST /papers/:paperId/post/address', {
    summary: 'Make the address to which invited senders mail pictures; it replaces the former one at once',
    audit: { action: 'album-address.made', on: 'paper' },
    noStore: true,
    output: z.object({ address: z.string() }),
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params: { paperId }, principal }) {
      await requireAlbum(deps, principal, paperId);
      const { mailbox } = deps.post;
      if (mailbox === undefined) throw refuse('conflict', { message: reasonOf('no-picture-mailbox') });
      const secret = await changePost(deps, { principal, paperId }, (trx, album) => renewSecret(trx, deps, album));
      return { address: addressOfSecret(mailbox, secret) };
    },
  });
}

function endAddressRoute(deps: PostRouteDeps): AnyRoute {
  return route('DELETE /papers/:paperId/post/address', {
    summary: 'End the address of an album; what is mailed to it from now on is left out',
    audit: { action: 'album-address.ended', on: 'paper' },
    handle: ({ params: { paperId }, principal }) => changePost(deps, { principal, paperId }, endSecret),
  });
}

const senderName = z.string().trim().max(100).describe('shown next to the pictures; left out, the address');

function inviteRoute(deps: PostRouteDeps): AnyRoute {
  return route('POST /papers/:paperId/post/senders/', {
    summary: `Invite somebody to mail pictures to an album; at most ${postLimits.senders}`,
    audit: { action: 'album-sender.invited', on: 'paper' },
    status: 201,
    noStore: true,
    body: z.object({ address: emailAddress, name: senderName.optional() }),
    output: invitedSenderShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    handle: async ({ params: { paperId }, body: { address, name }, principal }) =>
      showSender(
        await changePost(deps, { principal, paperId }, (trx, album) =>
          inviteSender(trx, deps, album, { address: address.toLowerCase(), name }),
        ),
      ),
  });
}

function removeSenderRoute(deps: PostRouteDeps): AnyRoute {
  return route('DELETE /papers/:paperId/post/senders/:senderId', {
    summary: 'Accept no more mail of a sender; the pictures that came from them stay',
    audit: { action: 'album-sender.removed', on: 'paper' },
    async handle({ params: { paperId, senderId }, principal }) {
      const removed = await changePost(deps, { principal, paperId }, (trx, album) =>
        removeSender(trx, album, senderId),
      );
      if (removed === 0) throw refuse('not-found');
    },
  });
}

function decideRoute(deps: PostRouteDeps): AnyRoute {
  return route('POST /papers/:paperId/post/waiting/:mailId', {
    summary: 'Accept or refuse an email that waits, and invite its sender; its pictures come within some minutes',
    audit: { action: 'album-mail.decided', on: 'paper' },
    body: z.object({
      accept: z.boolean(),
      invite: z.boolean().describe('also accept what its sender mails from now on').optional(),
    }),
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params: { paperId, mailId }, body, principal }) {
      await changePost(deps, { principal, paperId }, async (trx, album) => {
        const mail = (await waitingOfAlbum(trx, album)).find(({ id }) => id === mailId);
        if (mail === undefined) throw refuse('not-found');
        if (body.accept && body.invite === true) {
          await inviteSender(trx, deps, album, { address: mail.sender, name: undefined });
        }
        await decideMail(trx, mail, body.accept);
      });
      deps.post.nudge();
    },
  });
}

function codeRoute(deps: PostRouteDeps): AnyRoute {
  return route('POST /papers/:paperId/post/codes/', {
    summary: 'Make a code that admits one chat of Telegram within 15 minutes; it replaces the former one',
    audit: { action: 'album-code.made', on: 'paper' },
    noStore: true,
    output: z.object({
      code: z.string(),
      until: z.string(),
      link: z.string().nullable().describe('opens the bot with the code; null while its name is not known'),
    }),
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params: { paperId }, principal }) {
      await requireAlbum(deps, principal, paperId);
      if (!deps.post.hasBot) throw refuse('conflict', { message: reasonOf('no-picture-bot') });
      const { code, until } = await changePost(deps, { principal, paperId }, (trx, album) =>
        makeChatCode(trx, deps, album),
      );
      const name = await nameOfBot(deps.db);
      return { code, until: isoTime(until), link: name === null ? null : `https://t.me/${name}?start=${code}` };
    },
  });
}

function removeChatRoute(deps: PostRouteDeps): AnyRoute {
  return route('DELETE /papers/:paperId/post/chats/:chatId', {
    summary: 'Accept no more pictures of a chat; those that came from it stay',
    audit: { action: 'album-chat.removed', on: 'paper' },
    async handle({ params: { paperId, chatId }, principal }) {
      const removed = await changePost(deps, { principal, paperId }, (trx, album) => removeChat(trx, album, chatId));
      if (removed === 0) throw refuse('not-found');
    },
  });
}
