/** Takes in a picture that somebody sent to an album, or that a guest sent to a paper. */

import { createHash } from 'node:crypto';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import type { UploadDeps } from '../delivery-state/upload-deps.ts';
import { directoryStore } from '../directory/store.ts';
import { acceptPicture } from '../files/accept-picture.ts';
import { storeAccepted } from '../files/picture-notes.ts';
import { joinQueue } from '../filled-albums/queue.ts';
import { streamContent, type UploadedFile } from '../http/uploaded-file.ts';
import type { Intent } from '../inks/dithering/intents.ts';
import { selectWithPicture } from '../papers/awaited-pictures.ts';
import { type Guest, takeGuestPlace } from '../papers/guest-links.ts';
import { isAlbum, showsUploads } from '../papers/kinds.ts';
import { transactOnPaper } from '../papers/lock-paper.ts';
import {
  beginAlbumAnew,
  forgetReceipts,
  isOfGuest,
  newestSent,
  recaption,
  requireRoom,
  type SentPictureRow,
  sameSendingMs,
  senderOf,
  sentPictures,
} from '../papers/sent-pictures.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import { papersTables } from '../papers/tables.ts';
import { type SealingDeps, storePicture } from './store-picture.ts';

/** Somebody who sends by mail or in a chat. */
export interface PostSender {
  /** As rows name them, such as `mail:anna@example.org`. */
  readonly post: string;
  readonly name: string;
  /** Runs in the transaction that has stored the picture; the picture is not kept when it throws. */
  readonly alongside: (trx: Transaction, pictureId: string) => Promise<void>;
}

/** A member of the paper's organization, a guest with their link, or somebody who is invited to send by post. */
export type PictureSender = { readonly accountId: string; readonly name: string } | Guest | PostSender;

export interface SentPicture {
  readonly picture: UploadedFile;
  readonly caption: string;
  /** How it is dithered in an album; follows the paper unless given. */
  readonly intent?: Intent | undefined;
  /** Makes a repetition harmless: it is answered with the picture that came first. */
  readonly messageId: string | undefined;
  readonly signal: AbortSignal;
}

/** The picture that was taken, and whether the call only repeats one that was taken before. */
export interface TakenPicture {
  readonly row: SentPictureRow;
  readonly isRepeat: boolean;
}

/** Ends a transaction in which it came out that the picture had been taken before. */
class AlreadySent extends Error {
  readonly row: SentPictureRow;

  constructor(row: SentPictureRow) {
    super('the picture was sent before');
    this.row = row;
  }
}

/**
 * Takes a picture in. When this returns, its file and row are on the disk.
 * @throws Refusal `album-full`, `message-id-used`, those of pictures, and those of a guest's link
 */
export async function takeSentPicture(
  deps: SealingDeps,
  paper: PaperRow,
  sender: PictureSender,
  sent: SentPicture,
): Promise<TakenPicture> {
  const digest = await digestOf(sent.picture);
  const begun = {
    at: deps.clock.now(),
    revision: (await paperStore(deps.db).find(paper.id))?.picture_revision ?? null,
  };
  const draft = { digest, ...describe(sender), sent, begun };
  try {
    await refuseRepeat(deps.db, paper, draft);
    if (isAlbum(paper.kind)) return { row: await addToAlbum(deps, paper, sender, draft), isRepeat: false };
    if (showsUploads(paper.kind) && 'link' in sender) {
      return { row: await replacePicture(deps, paper, sender, draft), isRepeat: false };
    }
  } catch (error) {
    if (error instanceof AlreadySent)
      return { row: await recaptioned(deps, sameAs(error.row, digest), sent), isRepeat: true };
    throw error;
  }
  throw refuse('invalid-request', { message: reasonOf('kind-takes-not-so', { kind: paper.kind }) });
}

interface Draft extends Pick<SentPictureRow, 'digest' | 'sender' | 'sender_name'> {
  readonly sent: SentPicture;
  /** When the file was here, and the picture that the paper had then. */
  readonly begun: { readonly at: number; readonly revision: string | null };
}

function describe(sender: PictureSender): Pick<SentPictureRow, 'sender' | 'sender_name'> {
  if ('link' in sender) return { sender: senderOf({ linkId: sender.link.id }), sender_name: sender.link.name };
  return { sender: 'post' in sender ? sender.post : senderOf(sender), sender_name: sender.name };
}

async function digestOf({ content }: UploadedFile): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of streamContent(content)) hash.update(part);
  return hash.digest('hex');
}

function sameAs(row: SentPictureRow, digest: string): SentPictureRow {
  if (row.digest === digest) return row;
  throw refuse('message-id-used', { message: reasonOf('other-picture-sent') });
}

async function addToAlbum(
  deps: SealingDeps,
  { id: paperId, organization_id }: PaperRow,
  sender: PictureSender,
  draft: Draft,
): Promise<SentPictureRow> {
  // A full album is refused before the picture is decoded.
  await requireRoom(deps.db, paperId, 0);
  const { picture, signal } = draft.sent;
  const accepted = await acceptPicture(deps.normalizeImage, picture, {
    sharer: [organization_id, draft.sender],
    signal,
  });
  // The file goes first: a crash in between leaves a spare file, never a row without its picture (INV-03).
  const picture_key = await storeAccepted(deps, accepted, organization_id);
  return transactOnPaper(deps.db, paperId, async (trx) => {
    const paper = await paperStore(trx).find(paperId);
    if (paper === undefined || paper.organization_id !== organization_id) throw refuse('not-found');
    if (!isAlbum(paper.kind)) throw refuse('conflict', { message: reasonOf('no-album-any-more') });
    await refuseRepeat(trx, paper, draft);
    const now = deps.clock.now();
    const place = await requireRoom(trx, paperId, accepted.bytes.length);
    if ('link' in sender) await takeGuestPlace(trx, sender.link, now);
    const row = rowOf(deps, paperId, draft, { picture_key, bytes: accepted.bytes.length, place, revision: null });
    await sentPictures(trx).insert(row);
    if ('post' in sender) await sender.alongside(trx, row.id);
    await paperStore(trx).change(paper, { updated_at: now });
    if (!(await joinQueue(trx, paperId, row.id))) await beginAlbumAnew(trx, paperId);
    await selectWithPicture(trx, paper, now);
    return row;
  });
}

/** A guest's picture takes the place of the paper's, as an upload of the member who made the link would. */
async function replacePicture(deps: SealingDeps, paper: PaperRow, guest: Guest, draft: Draft): Promise<SentPictureRow> {
  const { picture, signal } = draft.sent;
  const { accountId } = guest;
  const principal = { accountId, memberships: await directoryStore(deps.db).membershipsOf(accountId) };
  let row: SentPictureRow | undefined;
  await storePicture(deps, principal, paper.id, {
    picture,
    force: false,
    signal,
    sender: draft.sender_name,
    async alongside(trx, revision) {
      await refuseRepeat(trx, paper, draft);
      await takeGuestPlace(trx, guest.link, deps.clock.now());
      row = rowOf(deps, paper.id, draft, { picture_key: null, bytes: 0, place: 0, revision });
      await sentPictures(trx).insert(row);
      await forgetReceipts(trx, paper.id);
    },
  });
  if (row === undefined) throw new Error('an upload stores its receipt');
  return row;
}

/**
 * Ends in `AlreadySent` for a repetition. Of two copies that come at once, the second finds the first when it asks again,
 * with the paper locked.
 */
async function refuseRepeat(db: Database, paper: PaperRow, { digest, sender, sent, begun }: Draft): Promise<void> {
  const named = await sentPictures(db).ofMessage(paper.id, sender, sent.messageId);
  if (named !== undefined) throw new AlreadySent(named);
  if (!isOfGuest({ sender })) return;
  // Who presses twice, or does not see the first answer, has no name for the repetition.
  const before = await newestSent(db, { paper_id: paper.id, sender }, begun.at - sameSendingMs, digest);
  if (before === undefined) return;
  const isThere = isAlbum(paper.kind)
    ? before.picture_key !== null
    : before.revision === begun.revision || before.created_at >= begun.at;
  if (isThere) throw new AlreadySent(before);
}

/** The caption of a repetition counts: a guest may have sent it again for that. */
async function recaptioned({ db }: UploadDeps, row: SentPictureRow, { caption }: SentPicture): Promise<SentPictureRow> {
  if (!isOfGuest(row) || caption === '' || caption === row.caption) return row;
  await recaption(db, row.id, caption);
  return { ...row, caption };
}

function rowOf(
  { clock, random }: UploadDeps,
  paperId: string,
  { digest, sender, sender_name, sent }: Draft,
  stored: Pick<SentPictureRow, 'picture_key' | 'bytes' | 'place' | 'revision'>,
): SentPictureRow {
  return newRow(papersTables, 'sent_pictures', {
    id: random.id(),
    paper_id: paperId,
    sender,
    sender_name,
    message_id: sent.messageId ?? null,
    digest,
    caption: sent.caption,
    intent: sent.intent ?? null,
    created_at: clock.now(),
    ...stored,
  });
}
