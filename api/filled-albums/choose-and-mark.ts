/** Chooses the next picture of an album among its sources and what people sent, and marks it as chosen in this round. */
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
export type Chosen =
  | { readonly sent: SentPictureRow }
  | { readonly listed: SourcePictureRow; readonly beside: SourcePictureRow | undefined };

/** Chooses in a transaction that has locked the album; undefined when there is nothing to choose from. */
export async function chooseNext(trx: Transaction, plan: AlbumPlan, now: number): Promise<Chosen | undefined> {
  const pool = poolOf(plan, now);
  if (pool.choices.order === 'newest') return chooseNewest(trx, plan, pool);
  const halved = pool.choices.favourites && pool.round % 2 === 0 && (await isHalfOver(trx, pool));
  const first = halved ? { ...pool, round: pool.round + 1 } : pool;
  const next = { ...pool, round: pool.round - (pool.round % 2) + 2 };
  for (const one of [first, next]) {
    const chosen = await chooseIn(trx, plan, one);
    if (chosen !== undefined) return mark(trx, plan, one, chosen);
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
  return here === undefined ? mark(trx, plan, pool, chosen) : undefined;
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
): Promise<Chosen | undefined> {
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

async function mark(trx: Transaction, { paper }: AlbumPlan, { round }: Pool, chosen: Chosen): Promise<Chosen> {
  const id = 'sent' in chosen ? chosen.sent.id : chosen.listed.id;
  if ('sent' in chosen) await trx('sent_pictures').where({ id }).update({ round });
  else {
    const ids = [id, ...(chosen.beside === undefined ? [] : [chosen.beside.id])];
    await trx('source_pictures').whereIn('id', ids).update({ round });
  }
  await trx('filled_albums').where({ paper_id: paper.id }).update({ round, last_chosen: id });
  return chosen;
}
