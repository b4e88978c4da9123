/** Takes the listing of a source over: new pictures become rows, and those that are missing are gone or doubted. */
import { reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import { storedObject } from '../http/field-shapes.ts';
import { transactOnPaper } from '../papers/lock-paper.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import { leftOut } from '../picture-sources/left-out.ts';
import { type ListedPicture, type PictureSource, SourceFault } from '../picture-sources/source.ts';
import { type AlbumChoices, albumChoices } from './album-choices.ts';
import type { SourcePictureRow } from './choose-next.ts';
import {
  afterFault,
  isWithdrawn,
  judgeListing,
  type ListingDoubt,
  listedAgainAt,
  triedAgainAt,
} from './judge-listing.ts';
import { idOfPicture, rowOfListed } from './listed-rows.ts';
import { type LeftOutNames, leftOutNames } from './source-names.ts';
import {
  type AlbumSourceRow,
  doubtOfListing,
  emptySource,
  faultColumns,
  faultOf,
  removeCopiesOf,
  removePictures,
} from './sources.ts';

/** The most pictures of one source. */
export const maxListed = 200_000;
/** Rows that are written in one transaction. */
const maxAtOnce = 500;
const hourMs = 3_600_000;
const believed = { isBelieved: true } as const;

type ListingDeps = Pick<CommonDeps, 'db' | 'clock' | 'logger'>;

/**
 * Lists a source, and notes what came of it. Never throws for what the source does.
 * @param open opens the source, which may be refused as well
 * @returns whether frames may show a picture that is gone now
 */
export async function takeListing(
  deps: ListingDeps,
  row: AlbumSourceRow,
  open: () => Promise<PictureSource>,
): Promise<boolean> {
  try {
    return await takeWhole(deps, row, await open());
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    return noteFault(deps, row, error);
  }
}

/** A listing as it is taken over. */
interface Taking {
  readonly choices: AlbumChoices;
  readonly seen: Set<string>;
  /** Pictures that a rule leaves out. */
  readonly excluded: Set<string>;
  readonly leftOuts: Map<string, number>;
  readonly names: LeftOutNames;
  /** Pictures whose pixels changed at the source. */
  readonly changed: string[];
}

async function takeWhole(deps: ListingDeps, row: AlbumSourceRow, source: PictureSource): Promise<boolean> {
  const { db, clock } = deps;
  const paper: PaperRow | undefined = await paperStore(db).find(row.paper_id);
  if (paper === undefined) return false;
  const choices = albumChoices(storedObject(paper.meta));
  const found = { seen: new Set<string>(), excluded: new Set<string>(), leftOuts: new Map<string, number>() };
  const taking: Taking = { choices, ...found, names: leftOutNames(), changed: [] };
  const listing = source.list(row.mark ?? undefined);
  let pages = 1;
  for (;;) {
    const next = await listing.next();
    if (next.done === true) {
      const mark = next.value === 'unchanged' ? row.mark : (next.value.mark ?? null);
      const isWhole = next.value !== 'unchanged';
      return endListing(deps, row, { taking, isWhole, mark, pages, isOfDay: source.isOfDay === true });
    }
    pages += 1;
    for (let from = 0; from < next.value.length; from += maxAtOnce) {
      await takePage(deps, row, next.value.slice(from, from + maxAtOnce), taking);
    }
    if (taking.seen.size > maxListed) {
      throw new SourceFault('unusable', reasonOf('album-source-too-large', { most: maxListed }));
    }
    // A listing takes minutes; each page is a sign of life for those who look at it.
    await db('album_sources')
      .where({ id: row.id })
      .update({ next_at: clock.now() + 10 * 60_000 });
  }
}

async function takePage(
  { db, clock }: ListingDeps,
  { number }: AlbumSourceRow,
  page: readonly ListedPicture[],
  { choices, seen, excluded, leftOuts, names, changed }: Taking,
): Promise<void> {
  const rows = new Map<string, SourcePictureRow>();
  for (const listed of page) {
    const reason = leftOut(listed, choices.leavesOut);
    const id = idOfPicture(number, listed.key);
    if (seen.has(id) || rows.has(id) || excluded.has(id)) continue;
    if (reason === undefined) rows.set(id, rowOfListed(number, listed, clock.now()));
    else {
      excluded.add(id);
      leftOuts.set(reason, (leftOuts.get(reason) ?? 0) + 1);
      names.add(reason, listed);
    }
  }
  for (const id of rows.keys()) seen.add(id);
  await transact(db, async (trx) => {
    const known: Pick<SourcePictureRow, 'id' | 'mark' | 'is_favourite'>[] = await trx<SourcePictureRow>(
      'source_pictures',
    )
      .whereIn('id', [...rows.keys()])
      .select('id', 'mark', 'is_favourite');
    for (const before of known) {
      const row = rows.get(before.id);
      rows.delete(before.id);
      if (row === undefined) continue;
      if (row.mark !== before.mark) changed.push(row.id);
      if (row.mark !== before.mark || row.is_favourite !== before.is_favourite) await refresh(trx, row, before.mark);
    }
    if (rows.size > 0) await trx('source_pictures').insert([...rows.values()]);
  });
}

/** Writes what a listing says of a picture that is known; where its pixels changed, nothing of the former ones counts. */
async function refresh(trx: Transaction, row: SourcePictureRow, before: string): Promise<void> {
  const { mark, taken, is_guessed, is_read, day, width, height, is_favourite } = row;
  const pixels = {
    mark,
    taken,
    is_guessed,
    is_read,
    day,
    width,
    height,
    left_out: null,
    failed_at: null,
    digest: null,
  };
  await trx('source_pictures')
    .where({ id: row.id })
    .update({ is_favourite, ...(mark !== before && pixels) });
}

interface Ended {
  readonly taking: Taking;
  /** False where the source said that nothing had changed. */
  readonly isWhole: boolean;
  readonly mark: string | null;
  readonly pages: number;
  readonly isOfDay: boolean;
}

/** Writes down what a listing found, and removes what is gone. */
async function endListing({ db, clock }: ListingDeps, row: AlbumSourceRow, ended: Ended): Promise<boolean> {
  const { taking, isWhole, mark, pages } = ended;
  const now = clock.now();
  const unlisted = isWhole ? await missingFrom(db, row.number, taking.seen) : [];
  const missing = unlisted.filter((id) => !taking.excluded.has(id));
  const counted = { known: row.pictures, missing: missing.length, found: taking.seen.size };
  const verdict = ended.isOfDay ? believed : judgeListing(counted, doubtOfListing(row), now);
  return transactOnPaper(db, row.paper_id, async (trx) => {
    const still = await trx<AlbumSourceRow>('album_sources').where({ id: row.id }).first('id');
    if (still === undefined) return false;
    const outdated = await removeCopiesOf(trx, row.paper_id, taking.changed);
    const removed = verdict.isBelieved ? unlisted : unlisted.filter((id) => taking.excluded.has(id));
    const gone = await removePictures(trx, row.paper_id, removed);
    const count = await trx('source_pictures').where({ source: row.number }).count({ all: '*' }).first();
    const leftOuts = JSON.stringify(Object.fromEntries(taking.leftOuts));
    const found = isWhole && { left_out: leftOuts, left_out_names: taking.names.written() };
    // What is doubted is listed again after an hour, whatever the source says of changes.
    const next = verdict.isBelieved
      ? { next_at: listedAgainAt(pages, now), mark, pictures: Number(count?.all ?? 0), ...doubtColumns(undefined) }
      : { next_at: now + hourMs, mark: null, ...doubtColumns(verdict.doubt) };
    await trx('album_sources')
      .where({ id: row.id })
      .update({ listed_at: now, ...next, ...found, ...faultColumns(undefined) });
    // An album that had nothing to choose from waits no longer, also where the service ends now.
    await trx('filled_albums').where({ paper_id: row.paper_id }).update({ next_at: 0 });
    if (outdated || gone) await drawAlbumAgain(trx, row.paper_id, now);
    return outdated || gone;
  });
}

const doubtColumns = (doubt: ListingDoubt | undefined) => ({
  doubt_since: doubt?.since ?? null,
  doubt_found: doubt?.found ?? null,
});

/** Returns the pictures of a source that a listing does not have. */
async function missingFrom(db: Database, source: number, seen: ReadonlySet<string>): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let after = ''; ; ) {
    const ids: string[] = await db('source_pictures')
      .where({ source })
      .where('id', '>', after)
      .orderBy('id')
      .limit(10_000)
      .pluck('id');
    missing.push(...ids.filter((id) => !seen.has(id)));
    const last = ids.at(-1);
    if (last === undefined) return missing;
    after = last;
  }
}

/** Has frames that show an album be given another picture where theirs is gone. */
async function drawAlbumAgain(trx: Transaction, paperId: string, now: number): Promise<void> {
  const paper = await paperStore(trx).find(paperId);
  if (paper !== undefined) await paperStore(trx).change(paper, { updated_at: now });
}

/** Notes that a source answered with a fault; what a withdrawn one gave is removed. */
async function noteFault(
  { db, clock, logger }: ListingDeps,
  row: AlbumSourceRow,
  thrown: SourceFault,
): Promise<boolean> {
  const now = clock.now();
  const fault = afterFault(faultOf(row), thrown.kind, now);
  logger.info({ source: row.id, kind: row.kind, problem: wordsOf(thrown.reason) }, 'a source of an album gave no list');
  return transactOnPaper(db, row.paper_id, async (trx) => {
    const still = await trx<AlbumSourceRow>('album_sources').where({ id: row.id }).first('id');
    if (still === undefined) return false;
    const isGone = isWithdrawn(fault, now) && (await emptySource(trx, row, false));
    await trx('album_sources')
      .where({ id: row.id })
      .update({
        ...faultColumns(fault, thrown.reason),
        next_at: triedAgainAt(fault, { now, waitSeconds: thrown.waitSeconds }),
        ...(isWithdrawn(fault, now) && { mark: null, pictures: 0, ...doubtColumns(undefined) }),
      });
    if (isGone) await drawAlbumAgain(trx, row.paper_id, now);
    return isGone;
  });
}
