/** Chooses the next picture of an album among its sources and what people sent, and marks it in its round once it is queued. */
import type { Transaction } from '../../runtime/database/database.ts';
import { fitsInPair, type ViewPixels } from '../inks/paired-picture.ts';
import type { SentPictureRow } from '../papers/sent-pictures.ts';
import type { AlbumPlan } from './album-plan.ts';
import {
  isHalfOver,
  nextOfSources,
  type Pool,
  partnerOf,
  type SourcePictureRow,
  shuffledRank,
  shuffleRank,
} from './choose-next.ts';

/** A picture that was chosen: one that people sent, or one of a source, with the portrait that hangs next to it. */
type Choice =
  | { readonly sent: SentPictureRow }
  | { readonly listed: SourcePictureRow; readonly beside: SourcePictureRow | undefined };

/** A choice, and the round that it belongs to. */
export type Chosen = Choice & { readonly round: number };

/**
 * Chooses the next picture; undefined when there is nothing to choose from. It is marked when it is queued, so that one that
 * could not be had, or during which the service ended, is chosen again in this round.
 */
export async function chooseNext(trx: Transaction, plan: AlbumPlan, now: number): Promise<Chosen | undefined> {
  const pool = poolOf(plan, now);
  if (pool.choices.order === 'newest') return chooseNewest(trx, plan, pool);
  const halved = pool.choices.favourites && pool.round % 2 === 0 && (await isHalfOver(trx, pool));
  const first = halved ? { ...pool, round: pool.round + 1 } : pool;
  const next = { ...pool, round: pool.round - (pool.round % 2) + 2 };
  for (const one of [first, next]) {
    const chosen = await chooseIn(trx, plan, one);
    if (chosen !== undefined) return { ...chosen, round: one.round };
  }
  return undefined;
}

/** Chooses the newest of all, unless it is here already. */
async function chooseNewest(trx: Transaction, plan: AlbumPlan, pool: Pool): Promise<Chosen | undefined> {
  const chosen = await chooseIn(trx, plan, { ...pool, last: null });
  if (chosen === undefined) return undefined;
  const same = 'sent' in chosen ? { id: chosen.sent.id } : { source_picture: chosen.listed.id };
  const ids = plan.queue.map(({ picture_id }) => picture_id);
  const here = await trx<SentPictureRow>('sent_pictures').whereIn('id', ids).where(same).first('id');
  return here === undefined ? { ...chosen, round: pool.round } : undefined;
}

function poolOf({ choices, state, sources, glass, date }: AlbumPlan, now: number): Pool {
  return {
    sources: sources.map(({ number }) => number),
    choices,
    seed: state.seed,
    round: state.round,
    date,
    now,
    last: state.last_chosen,
    shape: choices.fitting ? glass.shape : undefined,
  };
}

async function chooseIn(
  trx: Transaction,
  { paper, choices, glass }: AlbumPlan,
  pool: Pool,
): Promise<Choice | undefined> {
  const sent = await unshownSent(trx, paper.id, pool);
  // Two, so that the last one of a round does not begin the next.
  const listed = await nextOfSources(trx, pool, 2);
  const isOnly = sent.length + listed.length === 1;
  const may = ({ id }: { readonly id: string }): boolean => isOnly || id !== pool.last;
  const [own, other] = [sent.find(may), listed.find(may)];
  if (other === undefined) return own && { sent: own };
  if (own !== undefined && comesBefore(own, other, pool)) return { sent: own };
  return { listed: other, beside: choices.pairs ? await pairOf(trx, { glass }, pool, other) : undefined };
}

/** Returns the picture that hangs next to one, where both lose less so than alone (FI-8). */
async function pairOf(
  trx: Transaction,
  { glass: { shape, view } }: Pick<AlbumPlan, 'glass'>,
  pool: Pool,
  one: SourcePictureRow,
): Promise<SourcePictureRow | undefined> {
  const size = sizeOf(one);
  if (shape === undefined || view === undefined || size === undefined) return undefined;
  const isOther = size.width >= size.height ? shape === 'portrait' : shape === 'landscape';
  const other = isOther ? await partnerOf(trx, pool, one) : undefined;
  const otherSize = other && sizeOf(other);
  return otherSize && fitsInPair(size, otherSize, view) ? other : undefined;
}

const sizeOf = ({ width, height }: SourcePictureRow): ViewPixels | undefined =>
  width === null || height === null ? undefined : { width, height };

async function unshownSent(trx: Transaction, paperId: string, pool: Pool): Promise<SentPictureRow[]> {
  const all = trx<SentPictureRow>('sent_pictures')
    .where({ paper_id: paperId })
    .whereNotNull('picture_key')
    .whereNull('source_picture');
  if (pool.choices.order === 'newest') return all.orderBy('created_at', 'desc').limit(1);
  const rows = await all.where('round', '<', pool.round - (pool.round % 2));
  return rows.sort((one, two) => keyOfSent(one, pool) - keyOfSent(two, pool) || (one.id < two.id ? -1 : 1));
}

/** The number by which pictures that people sent are in order, among themselves and with those of sources. */
function keyOfSent({ id, taken, created_at }: SentPictureRow, { choices, seed, round }: Pool): number {
  if (choices.order === 'captured') return taken === null ? created_at : Date.parse(`${taken}Z`);
  if (choices.order === 'turn' || choices.order === 'newest') return -created_at;
  return shuffledRank(shuffleRank(id), seed, round);
}

function keyOfListed({ rank, taken, arrived_at }: SourcePictureRow, { choices, seed, round }: Pool): number {
  if (choices.order === 'captured') return taken;
  if (choices.order === 'turn' || choices.order === 'newest') return -arrived_at;
  return shuffledRank(rank, seed, round);
}

function comesBefore(own: SentPictureRow, other: SourcePictureRow, pool: Pool): boolean {
  // On this day, pictures of this day go before all others.
  if (pool.choices.order === 'onThisDay' && other.day === Number(pool.date.slice(5).replace('-', ''))) return false;
  return keyOfSent(own, pool) < keyOfListed(other, pool);
}

/** A picture that is about to be queued, as it was when it was chosen. */
export type Marked = { readonly sent: SentPictureRow } | { readonly listed: SourcePictureRow };

/**
 * Marks a picture as shown in a round, in a transaction that has locked the album.
 * @returns false for one that somebody else marked, or that was removed, since it was chosen
 */
export async function markInRound(trx: Transaction, picture: Marked, round: number): Promise<boolean> {
  const [table, row] =
    'sent' in picture ? (['sent_pictures', picture.sent] as const) : (['source_pictures', picture.listed] as const);
  // One that comes again within its round, as on its day, waits behind the others that do.
  const next = row.round < round ? round : row.round + 2;
  const marked = await trx(table).where({ id: row.id, round: row.round }).update({ round: next });
  return marked > 0;
}

/** Writes down what was queued last, and in which round. */
export async function noteLast(trx: Transaction, paperId: string, { id, round }: { id: string; round: number }) {
  await trx('filled_albums').where({ paper_id: paperId }).update({ round, last_chosen: id });
}
