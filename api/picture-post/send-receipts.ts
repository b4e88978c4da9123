/** Answers senders: that their pictures are accepted, and since when one hangs (FI-13). Each is said once. */
import type { Database } from '../../runtime/database/database.ts';
import type { Mail } from '../alerts/mail.ts';
import { type ProgressDeps, progressOf } from '../explanations/picture-progress.ts';
import type { SentPictureRow } from '../papers/sent-pictures.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import type { RunningBot } from '../picture-bot/run-bot.ts';
import { receiptLetter, receiptRate } from '../picture-mail/mail-receipt.ts';
import type { Answerable } from '../picture-mail/mail-store.ts';
import type { ReceiptFacts } from '../picture-mail/receipt-words.ts';
import type { PostDeps } from './post-deps.ts';
import { ofPresentOwner } from './post-of-album.ts';
import { leftOutOfReceipt, type PostReceiptRow } from './receipts.ts';
import { wordsOfAlbum } from './words-of-album.ts';

/** The ways by which senders are answered. */
export interface ReceiptWays {
  /** Undefined where the operator set up no server for mail: senders by mail are not answered then. */
  readonly mail: Pick<Mail, 'send'> | undefined;
  /** The bot, while it runs. */
  readonly bot: () => Pick<RunningBot, 'report'> | undefined;
}

export type ReceiptDeps = Pick<PostDeps, 'db' | 'clock' | 'logger' | 'signal'> &
  ReceiptWays & { readonly frames: ProgressDeps['frames'] };

const dayMs = 86_400_000;
/** The time after which no sender learns any longer that a picture hangs. */
const patienceMs = 14 * dayMs;
const retryMs = 5 * 60_000;
const maxTries = 3;
const atOnce = 100;
/** The interval at which an old receipt is looked at: pictures of an album wait for their turn. */
const oldMs = 10 * 60_000;
const youngMs = 60 * 60_000;

/** Makes the function that sends what is due; its calls follow each other. */
export function receiptSender(deps: ReceiptDeps): () => Promise<void> {
  const { db, clock, signal } = deps;
  const rate = receiptRate(clock);
  return async () => {
    const due: PostReceiptRow[] = await db<PostReceiptRow>('post_receipts')
      .where({ hung_at: null })
      .where('next_at', '<=', clock.now())
      .whereRaw(ofPresentOwner('post_receipts'))
      .orderBy('next_at')
      .limit(atOnce);
    for (const row of due) {
      if (signal.aborted) return;
      await lookAtReceipt(deps, rate, row);
    }
  };
}

async function lookAtReceipt(
  deps: ReceiptDeps,
  rate: ReturnType<typeof receiptRate>,
  row: PostReceiptRow,
): Promise<void> {
  const { db, clock } = deps;
  const now = clock.now();
  const later = now + (now - row.created_at < youngMs ? 0 : oldMs);
  await db('post_receipts').where({ id: row.id }).update({ next_at: later });
  const album = await paperStore(db).find(row.paper_id);
  if (album === undefined) return;
  if (now - row.created_at > patienceMs) await db('post_receipts').where({ id: row.id }).update({ hung_at: now });
  else if (row.way === 'mail') await answerByMail({ ...deps, rate }, row, album);
  else if (row.message !== null) await editInChat(deps, row, album);
}

/** The pictures of a receipt, as many as there are, and since when one of them hangs. */
interface Standing {
  readonly count: number;
  readonly hanging: { readonly count: number; readonly since: number } | undefined;
}

async function standingOf(deps: ReceiptDeps, { id }: PostReceiptRow, album: PaperRow): Promise<Standing> {
  const pictures: SentPictureRow[] = await deps
    .db<SentPictureRow>('sent_pictures')
    .whereIn('id', deps.db('receipt_pictures').where({ receipt_id: id }).select('picture_id'));
  const progress = await progressOf(deps, album, pictures);
  const times = [...progress.values()].flatMap(({ state, since }) =>
    state === 'on-glass' && since !== null ? [since] : [],
  );
  const hanging = times.length === 0 ? undefined : { count: times.length, since: Math.min(...times) };
  return { count: pictures.length, hanging };
}

async function factsOf(
  { db, clock }: ReceiptDeps,
  album: PaperRow,
  said: Pick<ReceiptFacts, 'count' | 'hungAt' | 'leftOut'>,
): Promise<ReceiptFacts> {
  return { ...(await wordsOfAlbum(db, album)), ...said, now: clock.now() };
}

async function answerByMail(
  deps: ReceiptDeps & { readonly rate: ReturnType<typeof receiptRate> },
  row: PostReceiptRow,
  album: PaperRow,
): Promise<void> {
  if (row.answer === null) return;
  const answer: Answerable = JSON.parse(row.answer);
  const { count, hanging } = await standingOf(deps, row, album);
  if (row.accepted_at === null) {
    const facts = await factsOf(deps, album, { count, hungAt: undefined, leftOut: leftOutOfReceipt(row) });
    await sendLetter(deps, { row, answer, facts, column: 'accepted_at' });
  } else if (hanging !== undefined) {
    const facts = await factsOf(deps, album, { count: hanging.count, hungAt: hanging.since, leftOut: [] });
    await sendLetter(deps, { row, answer, facts, column: 'hung_at' });
  }
}

/** Sends a letter once: it is noted before, and given back only where the server did not accept it. */
async function sendLetter(
  { db, clock, mail, rate, signal, logger }: ReceiptDeps & { readonly rate: ReturnType<typeof receiptRate> },
  {
    row,
    answer,
    facts,
    column,
  }: {
    readonly row: PostReceiptRow;
    readonly answer: Answerable;
    readonly facts: ReceiptFacts;
    readonly column: 'accepted_at' | 'hung_at';
  },
): Promise<void> {
  if (!(await claimed(db, row, column, clock.now()))) return;
  const letter = receiptLetter(`${row.id}-${column === 'hung_at' ? 'hung' : 'accepted'}`, answer, facts);
  if (letter === undefined || mail === undefined || !rate.mayAnswer(answer.to)) return;
  const sent = await mail.send(letter, signal);
  if (sent.ok) return;
  const tries = row.tries + 1;
  logger.info({ reason: sent.problem.code, tries }, 'a receipt by mail was not accepted');
  if (tries >= maxTries) return;
  const again = { tries, next_at: clock.now() + tries * retryMs, [column]: null };
  await db('post_receipts').where({ id: row.id }).update(again);
}

async function claimed(db: Database, { id }: PostReceiptRow, column: 'accepted_at' | 'hung_at', now: number) {
  const taken = await db('post_receipts')
    .where({ id })
    .whereNull(column)
    .update({ [column]: now });
  return taken === 1;
}

/** Edits the message of a chat; the same edit twice changes nothing. */
async function editInChat(deps: ReceiptDeps, row: PostReceiptRow, album: PaperRow): Promise<void> {
  const { db, clock } = deps;
  const bot = deps.bot();
  const { hanging } = await standingOf(deps, row, album);
  if (bot === undefined || hanging === undefined || row.chat === null || row.message === null) return;
  const said = { count: hanging.count, hungAt: hanging.since, leftOut: leftOutOfReceipt(row) };
  const receipt = { chat: row.chat, gathering: row.gathering, message: row.message };
  const isEdited = await bot.report(receipt, await factsOf(deps, album, said));
  const tries = row.tries + 1;
  const isOver = isEdited || tries >= maxTries;
  const now = clock.now();
  await db('post_receipts')
    .where({ id: row.id })
    .update(isOver ? { hung_at: now } : { tries, next_at: now + tries * retryMs });
}
