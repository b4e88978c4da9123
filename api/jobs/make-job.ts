/** Makes jobs: everything is judged before a row is written. */
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import { type Principal, requireMembership } from '../access/principal.ts';
import { requireNamed } from '../devices/require-device.ts';
import type { DeviceRow } from '../devices/store.ts';
import { maxJobFrames } from './addressees.ts';
import type { FrameChange } from './frame-change.ts';
import type { JobRules } from './job-rules.ts';
import { type JobRow, jobStore } from './job-store.ts';
import { jobsTables } from './tables.ts';

/** The jobs that an organization may have under way. */
export const maxLiveJobs = 50;

/** A job that somebody asks for. */
export interface WantedJob {
  readonly organizationId: string;
  readonly name: string;
  readonly change: FrameChange;
  /** The picture that it shows, as it is stored. */
  readonly pictureKey?: string | undefined;
  readonly groupId?: string | undefined;
  readonly frames: readonly JobFrame[];
  readonly rules: JobRules;
}

/** A frame of a job. */
export type JobFrame = Pick<DeviceRow, 'id' | 'name' | 'serial'>;

/**
 * Makes a job, which is worked on from its commit on.
 * @throws Refusal `access-denied` for the caller's role, `not-found` for a paper elsewhere, `invalid-request` for no or too
 * many frames, `conflict` for too many jobs under way
 */
export async function makeJob(deps: CommonDeps, principal: Principal, wanted: WantedJob): Promise<JobRow> {
  const member = requireMembership(principal, wanted.organizationId, actOf(wanted.change));
  if (wanted.frames.length === 0) throw refuse('invalid-request', { message: reasonOf('job-no-frames') });
  if (wanted.frames.length > maxJobFrames) {
    throw refuse('invalid-request', { message: reasonOf('job-many-frames', { most: maxJobFrames }) });
  }
  return transact(deps.db, async (trx) => {
    if ((await jobStore(trx).countLive(wanted.organizationId)) >= maxLiveJobs) {
      throw refuse('conflict', { message: reasonOf('job-many', { most: maxLiveJobs }), hint: reasonOf('job-wait') });
    }
    if (wanted.change.kind === 'paper') await requireNamed(trx, wanted.organizationId, wanted.change);
    const author = { accountId: principal.accountId, name: principal.system ?? member.name };
    return insertJob(trx, deps, author, wanted);
  });
}

/** Firmware is a matter of admins, as its rollouts are. */
export const actOf = ({ kind }: FrameChange): 'write' | 'manage' => (kind === 'firmware' ? 'manage' : 'write');

/** Writes a job and its items. */
export async function insertJob(
  trx: Transaction,
  { clock, random }: Pick<CommonDeps, 'clock' | 'random'>,
  author: { readonly accountId: string; readonly name: string },
  wanted: WantedJob,
): Promise<JobRow> {
  const now = clock.now();
  const { change, frames } = wanted;
  const job: JobRow = newRow(jobsTables, 'jobs', {
    id: random.id(),
    organization_id: wanted.organizationId,
    name: wanted.name,
    change: JSON.stringify(change),
    paper_id: change.kind === 'paper' ? change.paper : null,
    picture_key: wanted.pictureKey ?? null,
    group_id: wanted.groupId ?? null,
    account_id: author.accountId,
    author: author.name,
    state: 'running' as const,
    rules: JSON.stringify(wanted.rules),
    total: frames.length,
    created_at: now,
    changed_at: now,
  });
  const items = frames.map(({ id, name, serial }, position) =>
    newRow(jobsTables, 'job_items', {
      job_id: job.id,
      device_id: id,
      position,
      frame_name: name || (serial ?? ''),
      state: 'queued' as const,
      changed_at: now,
    }),
  );
  await jobStore(trx).insert(job, items);
  return job;
}

/**
 * Finds devices by their ids, in their order, each once.
 * @throws Refusal `not-found` when one is not in the organization
 */
export async function requireFrames(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<readonly JobFrame[]> {
  const wanted = [...new Set(ids)];
  const found = new Map<string, JobFrame>();
  for (let at = 0; at < wanted.length; at += 500) {
    const rows = await db('devices')
      .where({ organization_id: organizationId })
      .whereIn('id', wanted.slice(at, at + 500))
      .select('id', 'name', 'serial');
    for (const row of rows) found.set(row.id, row);
  }
  return wanted.map((id) => {
    const frame = found.get(id);
    if (frame === undefined) throw refuse('not-found', { message: reasonOf('no-such-device') });
    return frame;
  });
}
