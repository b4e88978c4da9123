/**
 * One pass over a job: proofs are looked for, then as many frames are given the change as its rules allow. Everything it
 * knows stands in rows, so that any node goes on where another one was killed.
 */
import { type Because, readReasons, reasonOf, storedReasons } from '../../reasons/reason.ts';
import { type Database, transact } from '../../runtime/database/database.ts';
import { mayDo, membershipIn } from '../access/principal.ts';
import { giveItem } from './give-item.ts';
import { authorOf, type JobDeps } from './job-deps.ts';
import { allowedByProof, isGrowthStuck, isStopReached, type JobCounts, rateSince, roomOfRate } from './job-rules.ts';
import { changeOf, itemStore, type JobRow, type JobState, jobStore, rulesOf } from './job-store.ts';
import { actOf } from './make-job.ts';
import { proveItems } from './prove-items.ts';
import { undoItem } from './undo-item.ts';

/** So many frames of one job are given something before the next job has its turn. */
const portion = 50;

/** The states from which a job goes on, or may. */
const goesOn: readonly JobState[] = ['running', 'paused'];

/** Does one pass. @returns true when more could be done at once */
export async function runJob(deps: JobDeps, job: JobRow, isProving: boolean): Promise<boolean> {
  if (job.state === 'undoing') return undoPortion(deps, job);
  if (goesOn.includes(job.state) && (await endWithoutPaper(deps, job))) return false;
  if (isProving) await proveItems(deps, job);
  const store = jobStore(deps.db);
  const { counts, states } = await store.tally((await store.find(job.id)) ?? job);
  if (job.state !== 'running') {
    if (job.state !== 'paused' && states.given === 0) await endJob(deps, job, job.state);
    return false;
  }
  if (await pauseByRules(deps, job, counts)) return false;
  if (states.queued > 0) return givePortion(deps, job, counts);
  if (states.given === 0) await endJob(deps, job, 'finished');
  return false;
}

/** A job whose paper was removed, or whose rollout is over, has nothing to give any longer. */
async function endWithoutPaper({ db, clock }: JobDeps, job: JobRow): Promise<boolean> {
  const because = await whyOver(db, job);
  if (because === undefined) return false;
  const now = clock.now();
  await transact(db, async (trx) => {
    const change = { state: 'failed', reason: storedReasons(because), changed_at: now } as const;
    if (await jobStore(trx).move(job.id, goesOn, change)) await itemStore(trx).leaveQueued(job.id, [because], now);
  });
  return true;
}

async function whyOver(db: Database, job: JobRow): Promise<Because | undefined> {
  if (job.paper_id !== null) {
    const paper = await db('papers').where({ id: job.paper_id, organization_id: job.organization_id }).first('id');
    if (paper === undefined) return reasonOf('job-paper-gone');
  }
  const change = changeOf(job);
  if (change.kind !== 'firmware') return undefined;
  const rollout = await db('firmware_rollouts').where({ id: change.rolloutId }).first('state');
  const isLive = rollout?.state === 'running' || rollout?.state === 'paused';
  return isLive ? undefined : reasonOf('job-rollout-over');
}

/** Pauses a job whose failures or missing proofs stop it. */
async function pauseByRules({ db, clock }: JobDeps, job: JobRow, counts: JobCounts): Promise<boolean> {
  const because = (await whyNotAllowed(db, job)) ?? whyPaused(job, counts) ?? (await whyRolloutPaused(db, job));
  if (because === undefined) return false;
  const change = { state: 'paused', reason: storedReasons(because), changed_at: clock.now() } as const;
  await jobStore(db).move(job.id, ['running'], change);
  return true;
}

/** It works in the name of the person who started or resumed it, with the rights of now. */
async function whyNotAllowed(db: Database, job: JobRow): Promise<Because | undefined> {
  const member = membershipIn(await authorOf(db, job), job.organization_id);
  return mayDo(member, actOf(changeOf(job))) ? undefined : reasonOf('job-author-gone', { name: job.author });
}

function whyPaused(job: JobRow, counts: JobCounts): Because | undefined {
  const { growth, stopPercent } = rulesOf(job);
  const { handed, failed, seen } = counts;
  if (isStopReached(counts, stopPercent)) {
    return reasonOf('job-stopped', { failed: failed - seen.failed, handed: handed - seen.handed });
  }
  return isGrowthStuck(counts, growth) ? reasonOf('job-growth-stuck', { failed }) : undefined;
}

/** A rollout pauses by itself when too many frames do not come back from it. */
async function whyRolloutPaused(db: Database, job: JobRow): Promise<Because | undefined> {
  const change = changeOf(job);
  if (change.kind !== 'firmware') return undefined;
  const rollout = await db('firmware_rollouts').where({ id: change.rolloutId }).first('state', 'reason');
  return rollout?.state === 'paused' ? (readReasons(rollout.reason)[0] ?? reasonOf('rollout-by-person')) : undefined;
}

async function endJob({ db, clock }: JobDeps, job: JobRow, state: JobState): Promise<void> {
  const now = clock.now();
  await jobStore(db).move(job.id, [job.state], { state, changed_at: now, ended_at: now });
}

async function givePortion(deps: JobDeps, job: JobRow, start: JobCounts): Promise<boolean> {
  const { db, clock } = deps;
  const { growth, perMinute, stopPercent } = rulesOf(job);
  const now = clock.now();
  const rateRoom = roomOfRate(await itemStore(db).givenSince(job.id, rateSince(now)), perMinute, now);
  const below = allowedByProof(start, growth);
  const room = Math.min(portion, rateRoom, below - start.handed);
  if (room <= 0) return false;
  const items = await itemStore(db).inState(job.id, 'queued', { limit: portion });
  let [given, failed] = [0, 0];
  for (const item of items) {
    if (given + failed >= room) return true;
    const outcome = await giveItem(deps, job, item, below);
    if (outcome === 'stopped') return false;
    if (outcome === 'given') given++;
    if (outcome === 'failed') failed++;
    // The next pass pauses it, with its reason.
    const counts = { ...start, handed: start.handed + given + failed, failed: start.failed + failed };
    if (isStopReached(counts, stopPercent)) return true;
  }
  return items.length > 0;
}

async function undoPortion(deps: JobDeps, job: JobRow): Promise<boolean> {
  const items = await itemStore(deps.db).toUndo(job.id, portion);
  for (const item of items) await undoItem(deps, job, item);
  if (items.length > 0) return true;
  await endJob(deps, job, 'undone');
  return false;
}
