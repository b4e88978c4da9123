/** Stores pictures that came by mail or message, on the road that the pictures of members and guests take. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { Refusal, refuse } from '../../reasons/refusals.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { transact } from '../../runtime/database/database.ts';
import { sha256Of } from '../../runtime/digest.ts';
import { captureFacts } from '../images/capture-facts.ts';
import { isAlbum } from '../papers/kinds.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import { takeSentPicture } from '../uploads/take-sent-picture.ts';
import type { PostDeps } from './post-deps.ts';
import type { PostWay } from './post-states.ts';
import { addToReceipt } from './receipts.ts';

/** A picture, with who sent it. */
export interface PostedPicture {
  readonly albumId: string;
  readonly way: PostWay;
  /** Names the sender within the way. */
  readonly sender: string;
  readonly senderName: string;
  /** Names the picture: it is stored once. */
  readonly messageId: string;
  readonly content: Buffer;
  readonly caption: string;
  readonly gathering: string;
  /** Whether the sender may send still; looked at in the transaction that stores the picture. */
  readonly admits: (trx: Transaction) => Promise<boolean>;
}

const leastLogoSide = 600;
const maxName = 100;

/** Says why a picture in the text of a message is a logo (ML-4); undefined for one that is not, or whose size is unknown. */
export function whyLogo(content: Buffer): Reason | undefined {
  const { width, height } = captureFacts(content);
  if (width === undefined || height === undefined || Math.max(width, height) >= leastLogoSide) return undefined;
  return reasonOf('album-source-left-out-small', { least: leastLogoSide });
}

/** Stores a picture, unless it is there; a reason says why it is left out. */
export async function storePosted(deps: PostDeps, picture: PostedPicture): Promise<'stored' | Reason> {
  const album = await paperStore(deps.db).find(picture.albumId);
  if (album === undefined || !isAlbum(album.kind)) return reasonOf('album-source-post-ended');
  const receipt = { way: picture.way, gathering: picture.gathering, album };
  const alongside = async (trx: Transaction, pictureId: string): Promise<void> => {
    if (!(await picture.admits(trx))) throw refuse('access-denied', { message: reasonOf('album-source-post-ended') });
    await addToReceipt(trx, deps, receipt, pictureId);
  };
  try {
    const there = await sameInAlbum(deps.db, album, picture.content);
    if (there !== undefined) await transact(deps.db, (trx) => alongside(trx, there));
    else await takeIn(deps, album, picture, alongside);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return reasonOfRefusal(error);
  }
  deps.nudgeLine();
  return 'stored';
}

/** The picture of the same bytes that a person sent to the album before (FI-6). */
async function sameInAlbum(db: Database, album: PaperRow, content: Buffer): Promise<string | undefined> {
  const digest = await sha256Of(content);
  const row = await db('sent_pictures')
    .where({ paper_id: album.id, digest, source_picture: null })
    .whereNotNull('picture_key')
    .first('id');
  return row?.id;
}

async function takeIn(
  { sealing, signal }: PostDeps,
  album: PaperRow,
  { way, sender, senderName, content, caption, messageId }: PostedPicture,
  alongside: (trx: Transaction, pictureId: string) => Promise<void>,
): Promise<void> {
  const from = { post: `${way}:${sender}`, name: senderName.slice(0, maxName), alongside };
  await takeSentPicture(sealing, album, from, { picture: { field: 'picture', content }, caption, messageId, signal });
}

function reasonOfRefusal({ code, reason }: Refusal): Reason {
  if (code === 'album-full' || code === 'storage-full') return reasonOf('album-source-left-out-full');
  return typeof reason === 'string' ? reasonOf('album-source-left-out-type') : reason;
}
