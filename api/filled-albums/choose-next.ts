/** Chooses which pictures of a filled album come next (FI-2 to FI-4): each once in a round, in the order of the album. */
import { createHash } from 'node:crypto';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { AlbumChoices } from './album-choices.ts';
import type { filledAlbumTables } from './tables.ts';

/** A row of `source_pictures`. */
export type SourcePictureRow = RowIn<typeof filledAlbumTables, 'source_pictures'>;

const prime = 2_147_483_647;
const dayMs = 86_400_000;

/** Returns the rank of a picture, from 0 to 2³¹ - 2, which is all that shuffles need of its name. */
export const shuffleRank = (id: string): number => createHash('sha256').update(id).digest().readUInt32BE() % prime;

/** The pool from which is chosen. */
export interface Pool {
  /** The numbers of the album's sources. */
  readonly sources: readonly number[];
  readonly choices: AlbumChoices;
  readonly seed: string;
  readonly round: number;
  /** The date in the album's zone, `YYYY-MM-DD`. */
  readonly date: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The picture that was chosen last, which does not begin the next round. */
  readonly last: string | null;
  /** The only shape that is wanted. */
  readonly shape?: 'landscape' | 'portrait' | undefined;
}

/** The round of pictures that come once; favourites have another in its second half. */
const wholeRound = (round: number): number => round - (round % 2);

/** Multiplies and shifts ranks, in another way for each round: every order of them is about as likely. */
function shuffleOf(seed: string, round: number): readonly [factor: number, shift: number] {
  const bytes = createHash('sha256')
    .update(`${seed} ${wholeRound(round)}`)
    .digest();
  return [1 + (bytes.readUInt32BE(0) % (prime - 1)), bytes.readUInt32BE(4) % prime];
}

/** Returns the place of a rank in the shuffle of a round. */
export function shuffledRank(rank: number, seed: string, round: number): number {
  const [factor, shift] = shuffleOf(seed, round);
  return Number((BigInt(rank) * BigInt(factor) + BigInt(shift)) % BigInt(prime));
}

const rowsOf = (db: Database, { sources, now, shape }: Pool) => {
  const query = db<SourcePictureRow>('source_pictures')
    .whereIn('source', [...sources])
    .whereNull('left_out')
    .where((fit) => void fit.whereNull('failed_at').orWhere('failed_at', '<=', now - dayMs));
  if (shape === undefined) return query;
  const isWide = shape === 'landscape';
  return query.where((fit) => {
    fit.whereNull('width').orWhereRaw(isWide ? 'width >= height' : 'width <= height');
  });
};

/** Those that have not come in this round. */
const unshown = (db: Database, pool: Pool) =>
  rowsOf(db, pool).where((due) => {
    due.where('round', '<', wholeRound(pool.round));
    if (pool.choices.favourites)
      due.orWhere((again) => again.where({ is_favourite: 1 }).where('round', '<', pool.round));
  });

type Rows = ReturnType<typeof unshown>;

function inOrder(query: Rows, { choices, seed, round }: Pool): Rows {
  const byName = [
    { column: 'name', order: 'asc' },
    { column: 'id', order: 'asc' },
  ] as const;
  if (choices.order === 'captured') return query.orderBy([{ column: 'taken', order: 'asc' }, ...byName]);
  if (choices.order === 'turn' || choices.order === 'newest') {
    return query.orderBy([{ column: 'arrived_at', order: 'desc' }, ...byName]);
  }
  const [factor, shift] = shuffleOf(seed, round);
  return query.orderByRaw(`(rank * ${factor} + ${shift}) % ${prime}`).orderBy('id');
}

/** The number of the day of a date, such as 1224. */
const dayNumber = (date: string): number => Number(date.slice(5, 7)) * 100 + Number(date.slice(8, 10));

/** Returns the days that count as this one, nearest first: itself, and where nothing was taken on it, three around it. */
export function daysAround(date: string): readonly [own: readonly number[], near: readonly number[]] {
  const at = Date.parse(`${date}T00:00:00Z`);
  const shifted = (days: number): number => dayNumber(new Date(at + days * dayMs).toISOString());
  const own = dayNumber(date);
  const isLeap = new Date(Date.UTC(Number(date.slice(0, 4)), 1, 29)).getUTCMonth() === 1;
  // What was taken on 29 February hangs on the 28th of other years.
  const same = own === 228 && !isLeap ? [228, 229] : [own];
  return [same, [-3, -2, -1, 1, 2, 3].map(shifted)];
}

/** Whether a picture was taken on the day of a date, in another year. */
export const isOfThisDay = (taken: string | null, date: string): boolean =>
  taken !== null && taken.slice(0, 4) < date.slice(0, 4) && daysAround(date)[0].includes(dayNumber(taken));

/**
 * Pictures of this day in other years, or of days near it: those that have not come in this round, or else the ones that
 * wait for longest. One statement reads them all, because a listing may write rows between two.
 */
async function ofThisDay(db: Database, pool: Pool, count: number): Promise<readonly SourcePictureRow[]> {
  const beginOfYear = Date.parse(`${pool.date.slice(0, 4)}-01-01T00:00:00Z`);
  const [own, near] = daysAround(pool.date);
  const round = wholeRound(pool.round);
  const nearestFirst = rowsOf(db, pool)
    .whereIn('day', [...own, ...near])
    .where('taken', '<', beginOfYear)
    .where({ is_guessed: 0 })
    .orderByRaw(`case when day in (${own.join()}) then 0 else 1 end`)
    .orderByRaw(`case when round < ${round} then 0 else round end`);
  const found = await inOrder(nearestFirst, pool).limit(count);
  const kindOf = (row: SourcePictureRow): string => `${own.includes(row.day ?? 0)} ${row.round < round}`;
  const [first] = found;
  return first === undefined ? [] : found.filter((row) => kindOf(row) === kindOf(first));
}

/** Returns the next pictures of the sources in this round, at most `count`; none when the round is over. */
export async function nextOfSources(db: Database, pool: Pool, count: number): Promise<readonly SourcePictureRow[]> {
  if (pool.sources.length === 0) return [];
  if (pool.choices.order === 'onThisDay') {
    const found = await ofThisDay(db, pool, count);
    if (found.length > 0) return found;
  }
  const rows = pool.choices.order === 'newest' ? rowsOf(db, pool) : unshown(db, pool);
  return inOrder(rows, pool).limit(count);
}

/** Returns the picture of the same shape that was taken nearest to one, to hang next to it. */
export async function partnerOf(
  db: Database,
  pool: Pool,
  one: SourcePictureRow,
): Promise<SourcePictureRow | undefined> {
  return unshown(db, { ...pool, shape: undefined })
    .whereNot({ id: one.id })
    .whereRaw((one.height ?? 0) > (one.width ?? 0) ? 'height > width' : 'width >= height')
    .orderByRaw('abs(taken - ?)', [one.taken])
    .orderBy('id')
    .first();
}

/** Whether half of the pictures that come once have come, so that favourites may come again. */
export async function isHalfOver(db: Database, pool: Pool): Promise<boolean> {
  const counted = await rowsOf(db, pool)
    .where({ is_favourite: 0 })
    .count({ all: '*' })
    .sum({ waiting: db.raw('case when round < ? then 1 else 0 end', [wholeRound(pool.round)]) })
    .first<{ all: number; waiting: number | null }>();
  return Number(counted?.waiting ?? 0) * 2 <= Number(counted?.all ?? 0);
}
