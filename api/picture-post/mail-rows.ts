/** The memory of the mailbox, as rows. */
import { createHash } from 'node:crypto';
import { type Reason, storedReasons } from '../../reasons/reason.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import { isAlbum } from '../papers/kinds.ts';
import type { DecidedMail, HeldMail, MailPicture, MailStore } from '../picture-mail/mail-store.ts';
import type { MailboxAddress } from '../picture-mail/mailbox-address.ts';
import type { PostDeps } from './post-deps.ts';
import { type InvitedSenderRow, ofPresentOwner } from './post-of-album.ts';
import { secretAsMade } from './post-secrets.ts';
import { completeMailReceipt } from './receipts.ts';
import { storePosted, whyLogo } from './store-posted.ts';
import { postTables } from './tables.ts';

/** The most messages that wait at one album, in all and of one sender, and how long each does. */
export const waitingLimits = { ofAlbum: 50, ofSender: 5, ms: 30 * 86_400_000 } as const;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Makes the store of a mailbox. `trusted` is the name of its server, where the operator set it. */
export function mailRows(
  deps: PostDeps,
  { host, port, user, folder }: MailboxAddress,
  trusted: string | undefined,
): MailStore {
  const { db, clock } = deps;
  const mailbox = digestOf(JSON.stringify([user, host, port, folder]));
  return {
    async readPlace() {
      const row = await db('mailbox_places').where({ mailbox }).first();
      return row && { uidValidity: row.uid_validity, lastUid: row.last_uid, oldUntil: row.old_until };
    },
    async keepPlace({ uidValidity, lastUid, oldUntil }) {
      const place = { uid_validity: uidValidity, last_uid: lastUid, old_until: oldUntil };
      await db('mailbox_places')
        .insert({ mailbox, ...place })
        .onConflict('mailbox')
        .merge(Object.keys(place) as (keyof typeof place)[]);
    },
    async readTrusted() {
      if (trusted !== undefined) return { name: trusted, isSet: true };
      const row = await db('mailbox_places').where({ mailbox }).first('trusted');
      return row?.trusted ? { name: row.trusted, isSet: false } : undefined;
    },
    async keepTrusted(name) {
      await db('mailbox_places').where({ mailbox }).update({ trusted: name });
    },
    findTargets: (secrets) => findTargets(deps, secrets),
    async isDone(key) {
      if ((await db('done_mails').where({ key }).first('key')) !== undefined) return true;
      return (await db('waiting_mails').where({ key }).first('id')) !== undefined;
    },
    storePicture: (picture) => storeAtTargets(deps, picture),
    async closeMail({ key, targets, leftOut, answer }) {
      await transact(db, async (trx) => {
        await trx('done_mails').insert({ key, at: clock.now() }).onConflict('key').ignore();
        await endWaiting(trx, key, targets);
        for (const [index, albumId] of targets.entries()) {
          const album = await trx('papers').where({ id: albumId }).first('id', 'organization_id');
          // The sender learns once what was left out.
          const given = { answer, leftOut: index === 0 ? leftOut : [] };
          if (album !== undefined) await completeMailReceipt(trx, deps, { way: 'mail', gathering: key, album }, given);
        }
      });
    },
    holdMail: (mail) => holdAtTargets(deps, mail),
    decisions: () => readDecisions(deps),
  };
}

async function findTargets({ db }: PostDeps, secrets: readonly string[]) {
  if (secrets.length === 0) return [];
  const found: { id: string; organization_id: string; kind: string }[] = await db('post_addresses')
    .join('papers', 'papers.id', 'post_addresses.paper_id')
    .whereIn('post_addresses.secret', [...new Set(secrets.map(secretAsMade))])
    .whereRaw('papers.organization_id = post_addresses.organization_id')
    .select('papers.id', 'papers.organization_id', 'papers.kind');
  const targets: { id: string; senders: string[] }[] = [];
  for (const { id, organization_id, kind } of found) {
    const senders: string[] = await db('invited_senders').where({ paper_id: id, organization_id }).pluck('address');
    if (isAlbum(kind)) targets.push({ id, senders });
  }
  return targets;
}

/** Stores a picture in each album that it is for. */
async function storeAtTargets(deps: PostDeps, picture: MailPicture): Promise<'stored' | Reason> {
  const { mailKey, digest, content, caption, sender, targets, isInline } = picture;
  const logo = isInline ? whyLogo(content) : undefined;
  if (logo !== undefined) return logo;
  const results: ('stored' | Reason)[] = [];
  for (const albumId of targets) {
    const stored = await storePosted(deps, {
      albumId,
      way: 'mail',
      sender,
      senderName: await nameOfSender(deps, albumId, sender),
      messageId: `${digestOf(mailKey)}/${digest}`,
      content,
      caption,
      gathering: mailKey,
      admits: (trx) => admitsSender(trx, { albumId, sender, mailKey }, deps.clock.now()),
    });
    results.push(stored);
  }
  const [first = 'stored'] = results;
  return results.includes('stored') ? 'stored' : first;
}

async function nameOfSender({ db }: PostDeps, albumId: string, address: string): Promise<string> {
  const row = await db<InvitedSenderRow>('invited_senders').where({ paper_id: albumId, address }).first('name');
  return row?.name || address;
}

/** Counts a picture of an invited sender; a message that a member accepted needs no invitation. */
async function admitsSender(
  trx: Transaction,
  { albumId, sender, mailKey }: { readonly albumId: string; readonly sender: string; readonly mailKey: string },
  now: number,
): Promise<boolean> {
  const counted = await trx('invited_senders')
    .where({ paper_id: albumId, address: sender })
    .whereRaw(ofPresentOwner('invited_senders'))
    .update({ pictures: trx.raw('pictures + 1'), last_at: now });
  if (counted > 0) return true;
  const accepted = await trx('waiting_mails')
    .where({ paper_id: albumId, key: mailKey, decision: 'yes' })
    .whereRaw(ofPresentOwner('waiting_mails'))
    .first('id');
  return accepted !== undefined;
}

/** Ends the waiting of a message at the albums that it went to, and where it was refused; without albums, where anybody decided. */
async function endWaiting(trx: Transaction, key: string, targets: readonly string[]): Promise<void> {
  const decided = trx('waiting_mails').where({ key }).whereNotNull('decision');
  if (targets.length > 0) {
    decided.where((ended) => ended.where({ decision: 'no' }).orWhereIn('paper_id', [...targets]));
  }
  await decided.delete();
}

async function holdAtTargets(
  { db, clock, random }: PostDeps,
  { key, sender, subject, reason, targets, files, arrivedAt }: HeldMail,
): Promise<boolean> {
  let isHeld = false;
  for (const albumId of targets) {
    await transact(db, async (trx) => {
      const album = await trx('papers').where({ id: albumId }).first('id', 'organization_id');
      const waiting: { sender: string }[] = await trx('waiting_mails').where({ paper_id: albumId }).select('sender');
      const ofSender = waiting.filter((one) => one.sender === sender).length;
      if (album === undefined || waiting.length >= waitingLimits.ofAlbum || ofSender >= waitingLimits.ofSender) return;
      const found = { key, sender, subject, reason: storedReasons(reason), files, arrived_at: arrivedAt };
      const made = { id: random.id(), paper_id: albumId, organization_id: album.organization_id, held_at: clock.now() };
      const row = newRow(postTables, 'waiting_mails', { ...made, ...found });
      await trx('waiting_mails').insert(row).onConflict(['paper_id', 'key']).ignore();
      // Open pages read the album again.
      await trx('papers').where({ id: albumId }).update({ updated_at: clock.now() });
      isHeld = true;
    });
  }
  return isHeld;
}

/** Reads what members decided. A message about which nobody decided for a month is refused. */
async function readDecisions({ db, clock }: PostDeps): Promise<readonly DecidedMail[]> {
  await db('waiting_mails')
    .where({ decision: null })
    .where('held_at', '<', clock.now() - waitingLimits.ms)
    .update({ decision: 'no' });
  const rows: { key: string; paper_id: string; decision: string | null }[] = await db('waiting_mails')
    .whereIn('key', db('waiting_mails').whereNotNull('decision').select('key'))
    .select('key', 'paper_id', 'decision');
  const byKey = Map.groupBy(rows, ({ key }) => key);
  return [...byKey].flatMap(([key, all]) => {
    const targets = all.flatMap(({ paper_id, decision }) => (decision === 'yes' ? [paper_id] : []));
    const stays = all.some(({ decision }) => decision === null);
    return targets.length === 0 && stays ? [] : [{ key, targets, stays }];
  });
}
