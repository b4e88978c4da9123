/** Presents what an album accepts by mail and Telegram. */
import { z } from 'zod';
import { readReasons } from '../../../reasons/reason.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import type { PaperRow } from '../../papers/store.ts';
import {
  type AdmittedChatRow,
  chatsOfAlbum,
  type InvitedSenderRow,
  secretOfAlbum,
  sendersOfAlbum,
  type WaitingMailRow,
  waitingOfAlbum,
} from '../../picture-post/post-of-album.ts';
import { type PostState, type PostWay, readPostState } from '../../picture-post/post-states.ts';

/** The ways for pictures that the operator set up. */
export interface PostOffered {
  /** The address of the mailbox, without a secret; undefined without a mailbox. */
  readonly mailbox: string | undefined;
  readonly hasBot: boolean;
  /** Has the mailbox looked at, after a member's decision. */
  readonly nudge: () => void;
}

const stateFields = {
  since: z.string().nullable().describe('since when it is so'),
  problem: z.string().optional().describe('why, in words'),
  problems: spelledReasons.optional(),
};

/** An invited sender as members see it. */
export const invitedSenderShown = z
  .object({
    id: z.string(),
    address: z.string(),
    name: z.string(),
    createdAt: z.string(),
    lastAt: z.string().nullable().describe('when a picture came from it last'),
    pictures: z.number(),
  })
  .meta({ id: 'InvitedSender' });

const waitingMailShown = z
  .object({
    id: z.string(),
    sender: z.string(),
    subject: z.string(),
    files: z.number(),
    arrivedAt: z.string(),
    problem: z.string().describe('why it waits, in words'),
    problems: spelledReasons.optional(),
  })
  .meta({ id: 'WaitingMail' });

const admittedChatShown = z
  .object({
    id: z.string(),
    title: z.string(),
    isGroup: z.boolean(),
    createdAt: z.string(),
    lastAt: z.string().nullable().describe('when a picture came from it last'),
    pictures: z.number(),
  })
  .meta({ id: 'AdmittedChat' });

/** The post of an album. */
export const postShown = z
  .object({
    mailbox: z
      .object({
        address: z.string().nullable().describe('to which pictures are mailed; null where the album has none'),
        state: z.enum(['starting', 'connected', 'away', 'denied']),
        ...stateFields,
      })
      .nullable()
      .describe('null where the operator set none up'),
    bot: z
      .object({
        name: z.string().nullable().describe('as people find it in Telegram, without the @'),
        state: z.enum(['starting', 'connected', 'away', 'stopped']),
        ...stateFields,
      })
      .nullable()
      .describe('null where the operator set none up'),
    senders: z.array(invitedSenderShown),
    waiting: z.array(waitingMailShown).describe('emails that wait for a yes of a member'),
    chats: z.array(admittedChatShown),
  })
  .meta({ id: 'AlbumPost' });

/** Returns the address of an album: the one of the mailbox, with a secret. */
export function addressOfSecret(mailbox: string, secret: string): string {
  const at = mailbox.lastIndexOf('@');
  return `${mailbox.slice(0, at)}+${secret}${mailbox.slice(at)}`;
}

/** Returns the name of the bot; null while it is not known. */
export const nameOfBot = async (db: Database): Promise<string | null> =>
  (await readPostState(db, 'telegram')).name ?? null;

/** Presents the post of an album. */
export async function showPost(
  db: Database,
  { mailbox, hasBot }: PostOffered,
  album: PaperRow,
): Promise<z.input<typeof postShown>> {
  const secret = await secretOfAlbum(db, album);
  const stateOf = async (way: PostWay) => showState(await readPostState(db, way));
  const box = mailbox === undefined ? null : await stateOf('mail');
  const bot = hasBot ? await stateOf('telegram') : null;
  return {
    mailbox: box && {
      ...box,
      state: box.state === 'stopped' ? 'away' : box.state,
      address: mailbox === undefined || secret === undefined ? null : addressOfSecret(mailbox, secret),
    },
    bot: bot && { ...bot, state: bot.state === 'denied' ? 'stopped' : bot.state, name: await nameOfBot(db) },
    senders: (await sendersOfAlbum(db, album)).map(showSender),
    waiting: (await waitingOfAlbum(db, album)).map(showWaiting),
    chats: (await chatsOfAlbum(db, album)).map(showChat),
  };
}

function showState({ state, reason, since }: PostState) {
  const why = reason && { problem: wordsOf(reason), ...spelledAs('problems', [reason]) };
  return { state, since: isoTimeOrNull(since ?? null), ...why };
}

/** Presents an invited sender. */
export const showSender = (row: InvitedSenderRow): z.input<typeof invitedSenderShown> => ({
  id: row.id,
  address: row.address,
  name: row.name,
  createdAt: isoTime(row.created_at),
  lastAt: isoTimeOrNull(row.last_at),
  pictures: row.pictures,
});

function showWaiting(row: WaitingMailRow): z.input<typeof waitingMailShown> {
  const reasons = readReasons(row.reason);
  return {
    id: row.id,
    sender: row.sender,
    subject: row.subject,
    files: row.files,
    arrivedAt: isoTime(row.arrived_at),
    problem: wordsOf(reasons),
    ...spelledAs('problems', reasons),
  };
}

const showChat = (row: AdmittedChatRow): z.input<typeof admittedChatShown> => ({
  id: row.id,
  title: row.title,
  isGroup: row.is_group === 1,
  createdAt: isoTime(row.created_at),
  lastAt: isoTimeOrNull(row.last_at),
  pictures: row.pictures,
});
