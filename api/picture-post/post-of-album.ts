/** The address, senders, waiting messages and chats of an album. One that moved to another organization has none of them. */
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { newRow, type RowIn } from '../../runtime/database/table.ts';
import { tokenHash } from '../../runtime/sealed.ts';
import type { PaperRow } from '../papers/store.ts';
import { readableSecret, secretAsMade, writtenCode } from './post-secrets.ts';
import { postTables } from './tables.ts';

/** A row of `invited_senders`. */
export type InvitedSenderRow = RowIn<typeof postTables, 'invited_senders'>;
/** A row of `waiting_mails`. */
export type WaitingMailRow = RowIn<typeof postTables, 'waiting_mails'>;
/** A row of `admitted_chats`. */
export type AdmittedChatRow = RowIn<typeof postTables, 'admitted_chats'>;

type AlbumKey = Pick<PaperRow, 'id' | 'organization_id'>;
type MakeDeps = Pick<CommonDeps, 'clock' | 'random'>;

const secretLetters = 12;
/** The most senders and chats of one album. */
export const postLimits = { senders: 100, chats: 50, codeMs: 15 * 60_000 } as const;

const inAlbum = ({ id, organization_id }: AlbumKey) => ({ paper_id: id, organization_id });

/** SQL that keeps the rows of albums which are still where they were made. */
export const ofPresentOwner = (table: string): string =>
  `exists (select 1 from papers where papers.id = ${table}.paper_id and papers.organization_id = ${table}.organization_id)`;

/** Returns the secret in the address of an album; undefined where it has none. */
export async function secretOfAlbum(db: Database, album: AlbumKey): Promise<string | undefined> {
  return (await db('post_addresses').where(inAlbum(album)).first('secret'))?.secret;
}

/** Gives an album a secret, which replaces the one that it had. */
export async function renewSecret(trx: Transaction, { clock, random }: MakeDeps, album: AlbumKey): Promise<string> {
  const secret = readableSecret(random, secretLetters);
  await endSecret(trx, album);
  await trx('post_addresses').insert({ ...inAlbum(album), secret, created_at: clock.now() });
  return secret;
}

/** Ends the address of an album. */
export async function endSecret(trx: Transaction, { id }: Pick<AlbumKey, 'id'>): Promise<void> {
  await trx('post_addresses').where({ paper_id: id }).delete();
}

/** Returns the invited senders of an album, by their addresses. */
export const sendersOfAlbum = (db: Database, album: AlbumKey): Promise<InvitedSenderRow[]> =>
  db<InvitedSenderRow>('invited_senders').where(inAlbum(album)).orderBy('address');

/**
 * Invites a sender; one who is invited already gets the name, where it is given.
 * @param address in lower case
 * @throws Refusal `conflict` for an album that has as many as it may
 */
export async function inviteSender(
  trx: Transaction,
  { clock, random }: MakeDeps,
  album: AlbumKey,
  { address, name }: { readonly address: string; readonly name: string | undefined },
): Promise<InvitedSenderRow> {
  const before = await sendersOfAlbum(trx, album);
  const known = before.find((one) => one.address === address);
  if (known !== undefined) {
    await trx('invited_senders')
      .where({ id: known.id })
      .update({ name: name ?? known.name });
    return { ...known, name: name ?? known.name };
  }
  if (before.length >= postLimits.senders) {
    throw refuse('conflict', { message: reasonOf('many-invited-senders', { most: postLimits.senders }) });
  }
  // One of a former owner of the album, who took none along.
  await trx('invited_senders').where({ paper_id: album.id, address }).delete();
  const made = { id: random.id(), address, name: name ?? '', created_at: clock.now() };
  const row = newRow(postTables, 'invited_senders', { ...inAlbum(album), ...made });
  await trx('invited_senders').insert(row);
  return row;
}

/** Takes a sender off; returns how many that were. Their pictures stay. */
export const removeSender = (trx: Transaction, album: AlbumKey, id: string): Promise<number> =>
  trx('invited_senders')
    .where({ ...inAlbum(album), id })
    .delete();

/** Returns the messages that wait for a decision of an album's members, the newest first. */
export const waitingOfAlbum = (db: Database, album: AlbumKey): Promise<WaitingMailRow[]> =>
  db<WaitingMailRow>('waiting_mails')
    .where({ ...inAlbum(album), decision: null })
    .orderBy([
      { column: 'arrived_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]);

/**
 * Notes what a member decided about a message; it is carried out when the mailbox is looked at next. Where other albums have
 * not decided about it, a refusal ends it here alone.
 */
export async function decideMail(trx: Transaction, mail: WaitingMailRow, accepts: boolean): Promise<void> {
  const own = trx('waiting_mails').where({ id: mail.id });
  const others = await trx('waiting_mails')
    .where({ key: mail.key, decision: null })
    .whereNot({ id: mail.id })
    .first('id');
  if (!accepts && others !== undefined) await own.delete();
  else await own.update({ decision: accepts ? 'yes' : 'no' });
}

/** Returns the chats whose pictures an album accepts, the newest first. */
export const chatsOfAlbum = (db: Database, album: AlbumKey): Promise<AdmittedChatRow[]> =>
  db<AdmittedChatRow>('admitted_chats')
    .where(inAlbum(album))
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]);

/** Ends a chat; returns how many that were. Its pictures stay. */
export const removeChat = (trx: Transaction, album: AlbumKey, id: string): Promise<number> =>
  trx('admitted_chats')
    .where({ ...inAlbum(album), id })
    .delete();

/**
 * Makes a code that admits one chat within 15 minutes, in place of the one that the album had.
 * @throws Refusal `conflict` for an album that has as many chats as it may
 * @returns the code as people read it; it is stored as its hash
 */
export async function makeChatCode(
  trx: Transaction,
  { clock, random }: MakeDeps,
  album: AlbumKey,
): Promise<{ readonly code: string; readonly until: number }> {
  if ((await chatsOfAlbum(trx, album)).length >= postLimits.chats) {
    throw refuse('conflict', { message: reasonOf('many-admitted-chats', { most: postLimits.chats }) });
  }
  const code = readableSecret(random, secretLetters);
  const until = clock.now() + postLimits.codeMs;
  await trx('chat_codes').where({ paper_id: album.id }).delete();
  await trx('chat_codes').insert({ ...inAlbum(album), hash: tokenHash(code), until });
  return { code: writtenCode(code), until };
}

/** Uses a code up; returns the album that it admits a chat to, undefined for a wrong or an old one. */
export async function redeemChatCode(trx: Transaction, code: string, now: number): Promise<AlbumKey | undefined> {
  const row = await trx('chat_codes')
    .where({ hash: tokenHash(secretAsMade(code)) })
    .where('until', '>', now)
    .whereRaw(ofPresentOwner('chat_codes'))
    .first();
  if (row === undefined) return undefined;
  const used = await trx('chat_codes').where({ hash: row.hash }).delete();
  return used === 1 ? { id: row.paper_id, organization_id: row.organization_id } : undefined;
}
