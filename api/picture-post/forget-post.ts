/** Forgets what mailbox and bot need no longer. */
import type { Database } from '../../runtime/database/database.ts';
import { ofPresentOwner } from './post-of-album.ts';

const dayMs = 86_400_000;
/** Messages stay in the mailbox, and a folder that is made again shows all of them once more. */
const doneMs = 400 * dayMs;
const receiptMs = 30 * dayMs;

/** The tables whose rows end with the move of their album to another organization. */
const ofAlbums = [
  'post_addresses',
  'invited_senders',
  'waiting_mails',
  'chat_codes',
  'admitted_chats',
  'post_receipts',
] as const;

/** Deletes old rows, and those of albums that moved to another organization. */
export async function forgetPost(db: Database, now: number): Promise<void> {
  await db('done_mails')
    .where('at', '<', now - doneMs)
    .delete();
  await db('post_receipts')
    .where('created_at', '<', now - receiptMs)
    .delete();
  await db('chat_codes').where('until', '<', now).delete();
  for (const table of ofAlbums)
    await db(table)
      .whereRaw(`not ${ofPresentOwner(table)}`)
      .delete();
}
