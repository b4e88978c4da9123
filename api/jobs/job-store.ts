/** Jobs and their items, as they are stored and moved on. */
import { type Reasons, storedReasons } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { FrameBefore, FrameChange } from './frame-change.ts';
import type { JobCounts, JobRules } from './job-rules.ts';
import type { jobsTables } from './tables.ts';

/**
 * `running` gives the change; `undoing` gives back what was before. The others give nothing: a paused one until somebody
 * resumes it. All but an undone one look for proofs of what was given.
 */
export const jobStates = ['running', 'paused', 'finished', 'cancelled', 'undoing', 'undone', 'failed'] as const;
export type JobState = (typeof jobStates)[number];

/**
 * The states of a frame in a job. `left` is one that was never given the change; `kept` one that an undo left as it is,
 * because somebody changed it since.
 */
export const itemStates = ['queued', 'given', 'proven', 'failed', 'left', 'rolled-back', 'kept'] as const;
export type ItemState = (typeof itemStates)[number];

/** A row of `jobs`. */
export type JobRow = RowIn<typeof jobsTables, 'jobs', { state: JobState }>;

/** A row of `job_items`. */
export type JobItemRow = RowIn<typeof jobsTables, 'job_items', { state: ItemState }>;

/** The number of items of a job in each state, those skipped by themselves. */
export interface JobTally {
  readonly states: Readonly<Record<ItemState, number>>;
  readonly skipped: number;
  readonly counts: JobCounts;
}

/** Reads the change of a job. */
export const changeOf = ({ change }: Pick<JobRow, 'change'>): FrameChange => JSON.parse(change) as FrameChange;

/** Reads the rules of a job. */
export const rulesOf = ({ rules }: Pick<JobRow, 'rules'>): JobRules => JSON.parse(rules) as JobRules;

/** Reads what the frame of an item had before; null where it was given nothing new. */
export const beforeOf = ({ before }: Pick<JobItemRow, 'before'>): FrameBefore | null =>
  before === null ? null : (JSON.parse(before) as FrameBefore);

/** The columns of a job that its counts are made of. */
type CountedJob = Pick<JobRow, 'id' | 'total' | 'handed' | 'seen_failed' | 'seen_handed'>;

/** The columns of an item that a step may write. */
type ItemChange = Partial<
  Pick<JobItemRow, 'skipped' | 'before' | 'revision' | 'given_at' | 'proven_at'> & { readonly because: Reasons }
>;

/** The queries of jobs over a database or a transaction. */
export function jobStore(db: Database) {
  const jobs = () => db<JobRow>('jobs');
  return {
    find: (id: string): Promise<JobRow | undefined> => jobs().where({ id }).first(),

    /** Lists the jobs that something is to be done for, the oldest first. */
    live: (): Promise<JobRow[]> => jobs().whereNull('ended_at').orderBy(['created_at', 'id']),

    /** Counts those of an organization. */
    countLive: async (organizationId: string): Promise<number> => {
      const live = db('jobs').where({ organization_id: organizationId }).whereNull('ended_at');
      const [row]: { count?: unknown }[] = await live.count({ count: '*' });
      return Number(row?.count ?? 0);
    },

    /** Lists jobs of an organization, the newest first. */
    list: (organizationId: string, limit: number): Promise<JobRow[]> =>
      jobs()
        .where({ organization_id: organizationId })
        .orderBy([
          { column: 'created_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(limit),

    async insert(job: JobRow, rows: readonly JobItemRow[]): Promise<void> {
      await db('jobs').insert(job);
      await db.batchInsert('job_items', [...rows], 100);
    },

    /** Moves a job on that is still in one of these states; returns whether it was. */
    async move(id: string, from: readonly JobState[], change: Partial<JobRow>): Promise<boolean> {
      return (
        (await jobs()
          .where({ id })
          .whereIn('state', [...from])
          .update(change)) > 0
      );
    },

    /** Counts one more frame as handed, as long as the job runs and fewer were than this; returns whether it was. */
    async hand(id: string, below: number): Promise<boolean> {
      const counted = jobs().where({ id, state: 'running' }).where('handed', '<', below);
      return (await counted.update({ handed: db.raw('handed + 1') })) > 0;
    },

    tally: async (job: CountedJob): Promise<JobTally> => (await tallies(db, [job])).get(job.id) as JobTally,

    tallies: (of: readonly CountedJob[]) => tallies(db, of),
  };
}

/** The queries of the items of jobs. */
export function itemStore(db: Database) {
  const items = () => db<JobItemRow>('job_items');
  return {
    /** Moves an item on that is still in one of these states; returns whether it was. */
    async move(
      { job_id, device_id }: Pick<JobItemRow, 'job_id' | 'device_id'>,
      from: readonly ItemState[],
      to: ItemState,
      { because, ...columns }: ItemChange & { readonly changed_at: number },
    ): Promise<boolean> {
      const reason = because === undefined ? {} : { reason: because.length === 0 ? null : storedReasons(because) };
      const change = { ...columns, ...reason, state: to };
      return (
        (await items()
          .where({ job_id, device_id })
          .whereIn('state', [...from])
          .update(change)) > 0
      );
    },

    /** Returns items of a job in a state, by their position. */
    inState: (jobId: string, state: ItemState, { after = -1, limit }: { after?: number; limit: number }) =>
      items().where({ job_id: jobId, state }).where('position', '>', after).orderBy('position').limit(limit),

    /** Returns items that an undo has yet to look at: those that were given something. */
    async toUndo(jobId: string, limit: number): Promise<JobItemRow[]> {
      return items()
        .where({ job_id: jobId })
        .whereIn('state', ['given', 'proven', 'failed'])
        .whereNotNull('before')
        .orderBy('position')
        .limit(limit);
    },

    page: (jobId: string, after: number, limit: number): Promise<JobItemRow[]> =>
      items().where({ job_id: jobId }).where('position', '>', after).orderBy('position').limit(limit),

    /** Leaves out what is still waiting. */
    leaveQueued: (jobId: string, because: Reasons, now: number): Promise<number> =>
      items()
        .where({ job_id: jobId, state: 'queued' })
        .update({ state: 'left', reason: storedReasons(because), changed_at: now }),

    /** The times since then at which frames were given the change. */
    givenSince: (jobId: string, since: number): Promise<number[]> =>
      items().where({ job_id: jobId, skipped: 0 }).where('given_at', '>', since).pluck('given_at') as Promise<number[]>,
  };
}

/** Counts the items of jobs, by job. */
async function tallies(db: Database, jobs: readonly CountedJob[]): Promise<ReadonlyMap<string, JobTally>> {
  const ids = jobs.map(({ id }) => id);
  const rows: { job_id: string; state: ItemState; skipped: number; given: unknown; items: unknown }[] = await db(
    'job_items',
  )
    .whereIn('job_id', ids)
    .groupBy('job_id', 'state', 'skipped')
    .select('job_id', 'state', 'skipped')
    .select(db.raw('count(*) as items, count(before) as given'));
  return new Map(
    jobs.map((job) => [
      job.id,
      tallyOf(
        job,
        rows.filter(({ job_id }) => job_id === job.id),
      ),
    ]),
  );
}

function tallyOf(
  { total, handed, seen_failed, seen_handed }: CountedJob,
  rows: readonly { state: ItemState; skipped: number; given: unknown; items: unknown }[],
): JobTally {
  const states = Object.fromEntries(itemStates.map((state) => [state, 0])) as Record<ItemState, number>;
  const seen = { failed: seen_failed, handed: seen_handed };
  let [skipped, proven, failed] = [0, 0, 0];
  for (const row of rows) {
    const items = Number(row.items);
    states[row.state] += items;
    if (row.skipped === 1) skipped += items;
    if (row.state === 'proven' && row.skipped === 0) proven += items;
    if (row.state === 'failed') failed += items;
  }
  return { states, skipped, counts: { total, handed, proven, failed, seen } };
}
