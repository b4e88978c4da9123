/** The memory of the bot, as rows. */
import type { Transaction } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import { tokenHash } from '../../runtime/sealed.ts';
import { isAlbum } from '../papers/kinds.ts';
import { transactOnPaper } from '../papers/lock-paper.ts';
import { paperStore } from '../papers/store.ts';
import type { BotChat, BotPicture, BotStore } from '../picture-bot/bot-store.ts';
import { codeTries } from './code-tries.ts';
import type { PostDeps } from './post-deps.ts';
import { type AdmittedChatRow, ofPresentOwner, redeemChatCode } from './post-of-album.ts';
import { secretAsMade } from './post-secrets.ts';
import { openReceipt } from './receipts.ts';
import { storePosted } from './store-posted.ts';
import { postTables } from './tables.ts';
import { wordsOfAlbum } from './words-of-album.ts';

/** The id of the bot in its token, which everybody may know. */
export const botOfToken = (token: string): string => token.split(':', 1)[0] ?? '';

/** Makes the store of a bot. */
export function botRows(deps: PostDeps, bot: string): BotStore {
  const { db } = deps;
  const tries = codeTries(deps.clock);
  const gatheringOf = (gathering: string): string => `${bot}/${gathering}`;
  return {
    readOffset: async () => (await db('bot_offsets').where({ bot }).first())?.next_update ?? 0,
    async keepOffset(offset) {
      await db('bot_offsets').insert({ bot, next_update: offset }).onConflict('bot').merge(['next_update']);
    },
    findChat: (chat) => findChat(deps, bot, chat),
    async admitChat(asking) {
      if (!tries.may(asking.chat)) return undefined;
      const isAdmitted = await admitByCode(deps, bot, asking);
      if (isAdmitted) return findChat(deps, bot, asking.chat);
      tries.note(asking.chat);
      return undefined;
    },
    async moveChat(from, to) {
      await db('admitted_chats').where({ bot, chat: to }).whereNot({ chat: from }).delete();
      await db('admitted_chats').where({ bot, chat: from }).update({ chat: to });
      await db('post_receipts').where({ way: 'telegram', chat: from }).update({ chat: to });
    },
    storePicture: (picture) => storeOfChat(deps, bot, { ...picture, gathering: gatheringOf(picture.gathering) }),
    async hasReceipt(gathering) {
      const key = { way: 'telegram', gathering: gatheringOf(gathering) };
      return (await db('post_receipts').where(key).whereNotNull('message').first('id')) !== undefined;
    },
    async keepReceipt({ chat, gathering, message, leftOut }) {
      const row = await rowOfChat(deps, bot, chat);
      if (row === undefined) return;
      const album = { id: row.paper_id, organization_id: row.organization_id };
      const { id } = await openReceipt(db, deps, { way: 'telegram', gathering: gatheringOf(gathering), album });
      await db('post_receipts')
        .where({ id })
        .update({ chat, message, left_out: JSON.stringify(leftOut), accepted_at: deps.clock.now() });
    },
  };
}

const rowOfChat = ({ db }: PostDeps, bot: string, chat: string): Promise<AdmittedChatRow | undefined> =>
  db<AdmittedChatRow>('admitted_chats').where({ bot, chat }).whereRaw(ofPresentOwner('admitted_chats')).first();

async function findChat(deps: PostDeps, bot: string, chat: string): Promise<BotChat | undefined> {
  const row = await rowOfChat(deps, bot, chat);
  const album = row && (await paperStore(deps.db).find(row.paper_id));
  if (row === undefined || album === undefined || !isAlbum(album.kind)) return undefined;
  return { chat, members: membersOf(row), target: album.id, ...(await wordsOfAlbum(deps.db, album)) };
}

const membersOf = ({ members }: AdmittedChatRow): readonly string[] | undefined =>
  members === null ? undefined : JSON.parse(members);

type Asking = Parameters<BotStore['admitChat']>[0];

/** Admits a chat in one transaction with the code, which is used up. Of a group only those count who gave a code. */
async function admitByCode(deps: PostDeps, bot: string, asking: Asking): Promise<boolean> {
  const { db, clock } = deps;
  const code = await db('chat_codes')
    .where({ hash: tokenHash(secretAsMade(asking.code)) })
    .first('paper_id');
  if (code === undefined) return false;
  return transactOnPaper(db, code.paper_id, async (trx) => {
    const album = await redeemChatCode(trx, asking.code, clock.now());
    if (album === undefined) return false;
    await putChat(trx, deps, { bot, asking, album });
    await trx('papers').where({ id: album.id }).update({ updated_at: clock.now() });
    return true;
  });
}

async function putChat(
  trx: Transaction,
  { clock, random }: PostDeps,
  { bot, asking, album }: { bot: string; asking: Asking; album: { id: string; organization_id: string } },
): Promise<void> {
  const { chat, sender, title, isGroup } = asking;
  const before = await trx<AdmittedChatRow>('admitted_chats').where({ bot, chat }).first();
  const others = before?.paper_id === album.id ? (membersOf(before) ?? []) : [];
  const members = isGroup ? JSON.stringify([...new Set([...others, sender])]) : null;
  const given = { paper_id: album.id, organization_id: album.organization_id, title, members };
  if (before !== undefined) {
    await trx('admitted_chats')
      .where({ id: before.id })
      .update(before.paper_id === album.id ? given : { ...given, pictures: 0, last_at: null });
    return;
  }
  const made = { id: random.id(), bot, chat, is_group: Number(isGroup), created_at: clock.now() };
  await trx('admitted_chats').insert(newRow(postTables, 'admitted_chats', { ...given, ...made }));
}

async function storeOfChat(deps: PostDeps, bot: string, picture: BotPicture) {
  const { chat, sender, senderName, target, gathering, unique, content, caption } = picture;
  const row = await rowOfChat(deps, bot, chat);
  return storePosted(deps, {
    albumId: target,
    way: 'telegram',
    sender,
    senderName: senderName || row?.title || 'Telegram',
    messageId: `${gathering}/${unique}`,
    content,
    caption,
    gathering,
    async admits(trx) {
      const counted = await trx('admitted_chats')
        .where({ bot, chat, paper_id: target })
        .whereRaw(ofPresentOwner('admitted_chats'))
        .update({ pictures: trx.raw('pictures + 1'), last_at: deps.clock.now() });
      return counted > 0;
    },
  });
}
