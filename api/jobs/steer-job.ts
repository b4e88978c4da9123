/** People steer jobs: they pause and resume them, cancel what is left, and have everything given back. */
import { pauseRollout, resumeRollout } from '../../gateway/firmware/rollouts.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { Refusal, refuse } from '../../reasons/refusals.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import { nameIn, type Principal, requireMembership } from '../access/principal.ts';
import { jobPausedByPerson } from '../alerts/find-conditions.ts';
import type { JobDeps } from './job-deps.ts';
import { changeOf, itemStore, type JobRow, type JobState, jobStore } from './job-store.ts';
import { actOf } from './make-job.ts';

/** The ways to steer a job. */
export const steerings = ['pause', 'resume', 'cancel', 'undo'] as const;
export type Steering = (typeof steerings)[number];

/** The states from which each way leads on. */
const from: Readonly<Record<Steering, readonly JobState[]>> = {
  pause: ['running'],
  resume: ['paused'],
  cancel: ['running', 'paused'],
  undo: ['running', 'paused', 'finished', 'cancelled', 'failed'],
};

/**
 * Finds a job of an organization that the caller may see as a whole.
 * @throws Refusal `not-found`, `access-denied`
 */
export async function requireJob(
  db: Database,
  principal: Principal,
  { organizationId, jobId }: { readonly organizationId: string; readonly jobId: string },
): Promise<JobRow> {
  requireMembership(principal, organizationId, 'write');
  const job = await jobStore(db).find(jobId);
  if (job === undefined || job.organization_id !== organizationId) throw refuse('not-found');
  return job;
}

/**
 * Steers a job and returns it.
 * @throws Refusal `conflict` for a job in whose state this cannot be done, `access-denied`
 */
export function steerJob(
  { db, clock }: Pick<JobDeps, 'db' | 'clock'>,
  principal: Principal,
  of: { readonly organizationId: string; readonly jobId: string },
  way: Steering,
): Promise<JobRow> {
  return transact(db, async (trx) => {
    const job = await requireJob(trx, principal, of);
    requireMembership(principal, of.organizationId, actOf(changeOf(job)));
    const now = clock.now();
    const change = { ...(await changed(trx, job, way, now)), ...(worksOn.includes(way) && inNameOf(principal, job)) };
    if (!(await jobStore(trx).move(job.id, from[way], { ...change, changed_at: now }))) {
      throw refuse('conflict', { message: reasonOf('job-is', { state: job.state }) });
    }
    if (way === 'cancel' || way === 'undo') {
      await itemStore(trx).leaveQueued(job.id, [reasonOf('job-cancelled')], now);
    }
    await steerRollout(trx, job, way, now);
    return (await jobStore(trx).find(job.id)) ?? job;
  });
}

/** From here on it works in the name of this person. */
const worksOn: readonly Steering[] = ['resume', 'undo'];

function inNameOf(principal: Principal, { organization_id: id }: JobRow): Pick<JobRow, 'account_id' | 'author'> {
  return { account_id: principal.accountId, author: nameIn(principal, id) };
}

async function changed(trx: Transaction, job: JobRow, way: Steering, now: number): Promise<Partial<JobRow>> {
  if (way === 'pause') return { state: 'paused', reason: jobPausedByPerson };
  if (way === 'cancel') return { state: 'cancelled', reason: null };
  if (way === 'resume') {
    const { counts } = await jobStore(trx).tally(job);
    return { state: 'running', reason: null, seen_failed: counts.failed, seen_handed: counts.handed };
  }
  if (changeOf(job).kind === 'firmware') throw refuse('conflict', { message: reasonOf('job-firmware-stays') });
  return { state: 'undoing', reason: null, ended_at: null, changed_at: now };
}

/** The rollout of a job of firmware stops and goes on with it. One that is over stays so. */
async function steerRollout(trx: Transaction, job: JobRow, way: Steering, now: number): Promise<void> {
  const change = changeOf(job);
  if (change.kind !== 'firmware') return;
  const move = way === 'resume' ? resumeRollout : pauseRollout;
  try {
    await move(trx, change.rolloutId, now);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}
