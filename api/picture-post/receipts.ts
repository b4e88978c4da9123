/** The rows of receipts: what senders are answered, and which pictures it is about. */
import type { ReasonCode } from '../../reasons/reason.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { newRow, type RowIn } from '../../runtime/database/table.ts';
import type { PaperRow } from '../papers/store.ts';
import type { Answerable } from '../picture-mail/mail-store.ts';
import type { ReceiptFacts } from '../picture-mail/receipt-words.ts';
import type { PostDeps } from './post-deps.ts';
import type { PostWay } from './post-states.ts';
import { postTables } from './tables.ts';

/** A row of `post_receipts`. */
export type PostReceiptRow = RowIn<typeof postTables, 'post_receipts'>;

/** The pictures that came together, for which a receipt is. */
export interface ReceiptKey {
  readonly way: PostWay;
  readonly gathering: string;
  readonly album: Pick<PaperRow, 'id' | 'organization_id'>;
}

/** Nobody misses a logo, and a sender who was removed is answered as a stranger. */
const unsaid: readonly ReasonCode[] = ['album-source-left-out-small', 'album-source-post-ended'];

const where = ({ way, gathering, album }: ReceiptKey) => ({ way, gathering, paper_id: album.id });

/** Opens a receipt unless there is one, and returns its row. */
export async function openReceipt(
  db: Database,
  { clock, random }: Pick<PostDeps, 'clock' | 'random'>,
  key: ReceiptKey,
): Promise<PostReceiptRow> {
  const now = clock.now();
  const made = { id: random.id(), organization_id: key.album.organization_id, created_at: now, next_at: now };
  await db('post_receipts')
    .insert(newRow(postTables, 'post_receipts', { ...where(key), ...made }))
    .onConflict(['way', 'gathering', 'paper_id'])
    .ignore();
  const row = await db<PostReceiptRow>('post_receipts').where(where(key)).first();
  if (row === undefined) throw new Error('a receipt was just opened');
  return row;
}

/** Notes that a receipt is about a picture. */
export async function addToReceipt(
  trx: Transaction,
  deps: Pick<PostDeps, 'clock' | 'random'>,
  key: ReceiptKey,
  pictureId: string,
): Promise<void> {
  const { id } = await openReceipt(trx, deps, key);
  await trx('receipt_pictures').insert({ receipt_id: id, picture_id: pictureId }).onConflict().ignore();
}

/** Completes the receipt of a message, so that it is sent; a message that nobody may answer has none. */
export async function completeMailReceipt(
  db: Database,
  deps: Pick<PostDeps, 'clock' | 'random'>,
  key: ReceiptKey,
  given: { readonly answer: Answerable | undefined; readonly leftOut: ReceiptFacts['leftOut'] },
): Promise<void> {
  if (given.answer === undefined) {
    await db('post_receipts').where(where(key)).delete();
    return;
  }
  const { id } = await openReceipt(db, deps, key);
  const named = given.leftOut.filter(({ reason }) => !unsaid.includes(reason.code));
  const kept = { answer: JSON.stringify(given.answer), left_out: JSON.stringify(named) };
  await db('post_receipts').where({ id, answer: null }).update(kept);
}

/** Reads what a receipt names as left out. */
export const leftOutOfReceipt = ({ left_out }: PostReceiptRow): ReceiptFacts['leftOut'] => JSON.parse(left_out);
