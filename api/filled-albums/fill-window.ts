/** Fills the window of an album: the next pictures are chosen, fetched and queued before a frame needs them. */
import { Refusal } from '../../reasons/refusals.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { selectWithPicture } from '../papers/awaited-pictures.ts';
import { transactOnPaper } from '../papers/lock-paper.ts';
import type { SentPictureRow } from '../papers/sent-pictures.ts';
import { paperStore } from '../papers/store.ts';
import { SourceFault } from '../picture-sources/source.ts';
import { moveClock } from './album-clock.ts';
import { type AlbumPlan, chosenAs, loadPlan } from './album-plan.ts';
import { type Chosen, chooseNext, type Marked, markInRound, noteLast } from './choose-and-mark.ts';
import type { SourcePictureRow } from './choose-next.ts';
import type { OpenKept } from './keep-open.ts';
import { entriesAhead, passedEntries, placeBehindAll, type QueueRow, removeFromQueue, windowSize } from './queue.ts';
import type { AlbumSourceRow } from './sources.ts';
import { type Copy, fetchCopy, insertCopy, type KeepCopyDeps, noteFailed } from './take-copy.ts';

/** Pictures that are tried in a row before the album waits: each may be one that cannot be shown. */
const maxTries = 40;
/** The time after which an album is looked at again whose next picture could not be had. */
const againMs = 60_000;
/** The same where nothing is left to choose from, or the organization has no room. */
const laterMs = 15 * 60_000;

export interface FillDeps extends KeepCopyDeps {
  /** Opens a source for one use. */
  readonly open: OpenKept;
  /** Says that an album has a picture that it did not have. */
  readonly filled: (paperId: string) => void;
}

/** Fills the window of an album as far as it can be filled now. Several calls at once do no harm. */
export async function fillWindow(deps: FillDeps, paperId: string, signal: AbortSignal): Promise<void> {
  const { db, clock, random } = deps;
  for (let tries = 0; tries < maxTries && !signal.aborted; tries++) {
    const chosen = await transactOnPaper(db, paperId, async (trx) => {
      const found = await loadPlan(trx, random, { paperId, now: clock.now() });
      if (found === undefined) return undefined;
      const plan = await moveClock(trx, found, clock.now());
      const queue = await settleQueue(trx, plan);
      if (isFull({ ...plan, queue })) return undefined;
      return { plan, next: await chooseNext(trx, { ...plan, queue }, clock.now()) };
    });
    if (chosen === undefined) return waitFor(deps, paperId, 0);
    if (chosen.next === undefined) return waitFor(deps, paperId, laterMs);
    const waitMs = await queueChosen(deps, chosen.plan, chosen.next, signal);
    if (waitMs !== undefined) return waitFor(deps, paperId, waitMs);
  }
  await waitFor(deps, paperId, againMs);
}

const waitFor = async ({ db, clock }: FillDeps, paperId: string, waitMs: number): Promise<void> => {
  await db('filled_albums')
    .where({ paper_id: paperId })
    .update({ next_at: clock.now() + waitMs });
};

/** Takes what no longer waits for anybody out of the queue, and returns the rest. */
async function settleQueue(trx: Transaction, plan: AlbumPlan): Promise<readonly QueueRow[]> {
  const { paper, queue, places, choices, sources, state, date } = plan;
  const wanted = chosenAs(choices, sources);
  const ahead = entriesAhead(queue, places).filter(({ is_front }) => is_front === 0);
  // Chosen for other wishes, or for another day.
  const unwanted = ahead.filter(
    ({ chosen_for }) => state.chosen_as !== wanted || (chosen_for !== null && chosen_for !== date),
  );
  const dropped = new Set([...passedEntries(queue, places), ...unwanted]);
  // A frame that is about to wake is not left without a picture: the last one goes when another has come.
  const kept = dropped.size === queue.length ? queue.at(-1) : undefined;
  if (kept !== undefined) dropped.delete(kept);
  await removeFromQueue(trx, [...dropped]);
  if (state.chosen_as !== wanted) {
    await trx('filled_albums').where({ paper_id: paper.id }).update({ chosen_as: wanted });
    // Other rules leave other pictures out.
    await trx('album_sources')
      .where({ paper_id: paper.id })
      .whereNotNull('listed_at')
      .update({ next_at: 0, mark: null });
  }
  return queue.filter((entry) => !dropped.has(entry));
}

function isFull({ queue, places }: AlbumPlan): boolean {
  return entriesAhead(queue, places).length >= windowSize.ahead;
}

/** A picture that is to be queued: a copy that was fetched, or one that is here, by its id. */
type Here = Marked & { readonly here: Copy | string };

/**
 * Brings a chosen picture into the queue.
 * @returns how long the album waits; undefined when it goes on at once
 */
async function queueChosen(
  deps: FillDeps,
  plan: AlbumPlan,
  chosen: Chosen,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { db } = deps;
  const found: Here[] = [];
  if ('sent' in chosen) found.push({ sent: chosen.sent, here: chosen.sent.id });
  else {
    for (const listed of chosen.beside === undefined ? [chosen.listed] : [chosen.listed, chosen.beside]) {
      try {
        const here = await copyOf(deps, { plan, listed, signal });
        if (here !== undefined) found.push({ listed, here });
      } catch (error) {
        return signal.aborted ? againMs : waitAfter(deps, plan, listed, error);
      }
    }
  }
  if (found.length === 0) return undefined;
  const { round } = chosen;
  const isQueued = await transactOnPaper(db, plan.paper.id, (trx) => queueFound(trx, deps, plan, { found, round }));
  if (isQueued) deps.filled(plan.paper.id);
  return undefined;
}

interface CopyWish {
  readonly plan: AlbumPlan;
  readonly listed: SourcePictureRow;
  readonly signal: AbortSignal;
}

async function copyOf(deps: FillDeps, { plan, listed, signal }: CopyWish): Promise<Copy | string | undefined> {
  const row = plan.sources.find(({ number }) => number === listed.source);
  if (row === undefined) return undefined;
  const before = await deps
    .db<SentPictureRow>('sent_pictures')
    .where({ paper_id: plan.paper.id, source_picture: listed.id })
    .first('id');
  if (before !== undefined) return before.id;
  return fetchCopy(deps, { plan, row, source: await deps.open(row, signal), listed, signal });
}

async function queueFound(
  trx: Transaction,
  deps: FillDeps,
  plan: AlbumPlan,
  { found, round }: { readonly found: readonly Here[]; readonly round: number },
): Promise<boolean> {
  const queued: { readonly id: string; readonly chosen: string }[] = [];
  for (const one of found) {
    const { here } = one;
    if (!(await markInRound(trx, one, round))) continue;
    const id = typeof here === 'string' ? await stillHere(trx, here) : await insertOf(trx, deps, plan, here);
    if (id !== undefined) queued.push({ id, chosen: 'sent' in one ? one.sent.id : one.listed.id });
  }
  const [first, beside] = queued;
  if (first === undefined) return false;
  await noteLast(trx, plan.paper.id, { id: first.chosen, round });
  await queueLast(trx, plan, first.id, { beside: beside?.id ?? null, now: deps.clock.now() });
  return true;
}

/** Returns the id of a picture, unless it was taken out meanwhile. */
const stillHere = async (trx: Transaction, id: string): Promise<string | undefined> =>
  (await trx<SentPictureRow>('sent_pictures').where({ id }).first('id'))?.id;

async function insertOf(
  trx: Transaction,
  deps: FillDeps,
  { sources }: AlbumPlan,
  copy: Copy,
): Promise<string | undefined> {
  const row = sources.find(({ number }) => number === copy.listed.source);
  const still = row && (await trx<AlbumSourceRow>('album_sources').where({ id: row.id }).first('id'));
  return row && still && insertCopy(trx, deps, row, copy);
}

async function queueLast(
  trx: Transaction,
  plan: AlbumPlan,
  id: string,
  { beside, now }: { readonly beside: string | null; readonly now: number },
): Promise<void> {
  const { paper } = plan;
  await trx<QueueRow>('album_queue').insert({
    paper_id: plan.paper.id,
    place: await placeBehindAll(trx, plan.paper.id),
    picture_id: id,
    beside_id: beside,
    is_front: 0,
    chosen_for: plan.choices.order === 'onThisDay' ? plan.date : null,
  });
  // A frame that waits for the first picture, or for a newer one, is given it at its next wake.
  if (plan.queue.length > 0 && plan.choices.order !== 'newest') return;
  await paperStore(trx).change(paper, { updated_at: now });
  await selectWithPicture(trx, paper, now);
}

/**
 * Returns how long an album waits after a failure: its source is listed at once, which says what is wrong with it. Where
 * nothing is, the picture alone cannot be had, and others come before it is tried again (FI-14).
 */
async function waitAfter(
  { db, clock, logger }: FillDeps,
  { paper, sources }: AlbumPlan,
  listed: SourcePictureRow,
  error: unknown,
): Promise<number> {
  if (error instanceof Refusal && error.code === 'storage-full') return laterMs;
  if (!(error instanceof SourceFault)) logger.error({ error, paper: paper.id }, 'filling an album broke off');
  else if (error.waitSeconds === undefined) await noteFailed(db, listed, error.reason, clock.now());
  const row = sources.find(({ number }) => number === listed.source);
  if (row !== undefined && row.fault_kind === null) {
    await db('album_sources').where({ id: row.id, fault_kind: null }).update({ next_at: clock.now() });
  }
  return againMs;
}
