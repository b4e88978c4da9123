/** Routes of jobs: one change for many frames, which the service makes by itself from then on. */
import { z } from 'zod';
import type { startRollout } from '../../../gateway/firmware/rollouts.ts';
import type { CommonDeps } from '../../../runtime/database/common-deps.ts';
import { requireMembership } from '../../access/principal.ts';
import type { UploadDeps } from '../../delivery-state/upload-deps.ts';
import { acceptPicture, noPicture } from '../../files/accept-picture.ts';
import { type NotesDeps, storeAccepted } from '../../files/picture-notes.ts';
import { objectId } from '../../http/field-shapes.ts';
import { FileAnswer } from '../../http/file-answer.ts';
import { fit } from '../../http/fit-schema.ts';
import { readJson } from '../../http/read-json.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { FrameChange } from '../../jobs/frame-change.ts';
import { itemStore, type JobRow, jobStore } from '../../jobs/job-store.ts';
import { actOf, makeJob } from '../../jobs/make-job.ts';
import { csvOfFrames, jobFrameShown, jobShown, showJob, showJobFrame } from '../../jobs/show-job.ts';
import { requireJob, steerings, steerJob } from '../../jobs/steer-job.ts';
import { type AskedChange, jobBody, pictureJobBody, readChange, readRules } from './job-fields.ts';
import { findAddressees } from './read-addressees.ts';

const base = '/organizations/:organizationId/jobs/';
/** Older ones are history, and found by their id. */
const maxListed = 100;
const maxPage = 500;
/** Ids of as many frames as a job takes, and what stands around them. */
const bodyLimitBytes = 512 * 1024;

export interface JobRouteDeps extends CommonDeps, NotesDeps {
  readonly files: NotesDeps['files'];
  readonly normalizeImage: UploadDeps['normalizeImage'];
  readonly rollOut: (wish: Parameters<typeof startRollout>[1]) => ReturnType<typeof startRollout>;
  /** Has the worker of jobs look at once. */
  readonly nudgeJobs: () => void;
}

/** Returns the routes. */
export function jobRoutes(deps: JobRouteDeps): AnyRoute[] {
  return [
    listRoute(deps),
    jobRoute(deps),
    framesRoute(deps),
    reportRoute(deps),
    reportFileRoute(deps),
    makeRoute(deps),
    pictureRoute(deps),
    ...steerRoutes(deps),
  ];
}

const show = async ({ db }: JobRouteDeps, job: JobRow) => showJob(job, await jobStore(db).tally(job));

function listRoute({ db }: JobRouteDeps): AnyRoute {
  return route(`GET ${base}`, {
    noStore: true,
    summary: 'The jobs of an organization, the newest first',
    output: z.array(jobShown),
    async handle({ params: { organizationId }, principal }) {
      requireMembership(principal, organizationId, 'write');
      const jobs = await jobStore(db).list(organizationId, maxListed);
      const tallies = await jobStore(db).tallies(jobs);
      return jobs.flatMap((job) => {
        const tally = tallies.get(job.id);
        return tally === undefined ? [] : [showJob(job, tally)];
      });
    },
  });
}

function jobRoute(deps: JobRouteDeps): AnyRoute {
  return route(`GET ${base}:jobId`, {
    noStore: true,
    summary: 'One job, and how far it is',
    output: jobShown,
    handle: async ({ params, principal }) => show(deps, await requireJob(deps.db, principal, params)),
  });
}

function framesRoute({ db }: JobRouteDeps): AnyRoute {
  return route(`GET ${base}:jobId/frames`, {
    noStore: true,
    summary: 'The frames of a job, in the order in which they are given the change',
    query: z.object({
      after: z.coerce.number().int().min(-1).describe('the position after which the page begins').optional(),
      limit: z.coerce.number().int().min(1).max(maxPage).optional(),
    }),
    output: z.array(jobFrameShown),
    async handle({ params, query: { after = -1, limit = maxPage }, principal }) {
      const job = await requireJob(db, principal, params);
      return (await itemStore(db).page(job.id, after, limit)).map(showJobFrame);
    },
  });
}

const everyFrame = async ({ db }: JobRouteDeps, { id, total }: JobRow) =>
  (await itemStore(db).page(id, -1, total)).map(showJobFrame);

function reportRoute(deps: JobRouteDeps): AnyRoute {
  return route(`GET ${base}:jobId/report`, {
    noStore: true,
    summary: 'The report of a job: what became of each frame',
    output: z.object({ job: jobShown, frames: z.array(jobFrameShown) }),
    async handle({ params, principal }) {
      const job = await requireJob(deps.db, principal, params);
      return { job: await show(deps, job), frames: await everyFrame(deps, job) };
    },
  });
}

function reportFileRoute(deps: JobRouteDeps): AnyRoute {
  return route(`GET ${base}:jobId/report/csv`, {
    noStore: true,
    summary: 'What became of each frame of a job, as a table (CSV, RFC 4180)',
    fileType: 'text/csv',
    output: z.instanceof(FileAnswer),
    async handle({ params, principal }) {
      const job = await requireJob(deps.db, principal, params);
      return new FileAnswer(`job-${job.id}.csv`, csvOfFrames(await everyFrame(deps, job)));
    },
  });
}

function makeRoute(deps: JobRouteDeps): AnyRoute {
  return route(`POST ${base}`, {
    noStore: true,
    summary: 'Change many frames: a paper, settings or firmware, at a rate and with growth by proof',
    status: 201,
    audit: { action: 'job.made', on: 'job', values: ['name', 'paper'] },
    body: jobBody,
    bodyLimitBytes,
    output: jobShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params: { organizationId }, body, principal }) {
      const asked = readChange(body);
      requireMembership(principal, organizationId, asked.kind === 'firmware' ? 'manage' : 'write');
      const rules = readRules(body);
      const frames = await findAddressees(deps.db, organizationId, body);
      const change = await withRollout(deps, organizationId, asked);
      const job = await makeJob(deps, principal, { organizationId, name: body.name ?? '', change, frames, rules });
      deps.nudgeJobs();
      return show(deps, job);
    },
  });
}

/** Firmware goes out by a rollout of the job's own, which is given its frames one after another. */
async function withRollout(deps: JobRouteDeps, organizationId: string, asked: AskedChange): Promise<FrameChange> {
  if (asked.kind !== 'firmware') return asked;
  const { frameKind, version } = asked;
  const owned = { owner: organizationId, frames: [] };
  const { id } = await deps.rollOut({ kind: frameKind, dialect: 'native', version, percent: 100, owned });
  return { ...asked, rolloutId: id };
}

function pictureRoute(deps: JobRouteDeps): AnyRoute {
  return route(`POST ${base}pictures`, {
    noStore: true,
    summary: 'Show a picture on many frames until their papers next offer something; it is uploaded once',
    status: 201,
    audit: { action: 'job.made', on: 'job' },
    bodyType: 'multipart',
    files: { picture: { description: 'The picture: fitted to each frame and dithered' } },
    body: z.object({ job: z.string().max(bodyLimitBytes).describe('JSON: name, addressees and rules as of any job') }),
    output: jobShown,
    refuses: ['not-found', 'access-denied', 'conflict', 'storage-full'],
    admit: async ({ params: { organizationId }, principal }) =>
      requireMembership(principal, organizationId, actOf({ kind: 'picture' })),
    async handle({ params: { organizationId }, body, files, principal, caller: { signal } }) {
      const asked = readJson(Buffer.from(body.job));
      if (asked instanceof Error) throw asked;
      const { name = '', ...wanted } = fit(pictureJobBody, asked.value, 'invalid-request');
      const rules = readRules(wanted);
      const frames = await findAddressees(deps.db, organizationId, wanted);
      const [picture] = files;
      if (picture === undefined) throw noPicture();
      const sharer = [organizationId, principal.accountId];
      const accepted = await acceptPicture(deps.normalizeImage, picture, { sharer, signal });
      // The file goes first: a crash in between leaves a spare file, never a job without its picture (INV-03).
      const pictureKey = await storeAccepted(deps, accepted, organizationId);
      const change = { kind: 'picture' } as const;
      const job = await makeJob(deps, principal, { organizationId, name, change, pictureKey, frames, rules });
      deps.nudgeJobs();
      return show(deps, job);
    },
  });
}

const summaries = {
  pause: 'Give the change to no further frames for now',
  resume: 'Go on with a job that was paused; what failed until now does not pause it again',
  cancel: 'Leave out the frames that were not given the change yet; the others keep it',
  undo: 'Give every frame back what it had before, unless somebody changed it since',
} as const;
const actions = { pause: 'job.paused', resume: 'job.resumed', cancel: 'job.cancelled', undo: 'job.undone' } as const;

function steerRoutes(deps: JobRouteDeps): AnyRoute[] {
  return steerings.map((way) =>
    route(`POST ${base}:jobId/${way}`, {
      noStore: true,
      summary: summaries[way],
      params: z.object({ organizationId: objectId, jobId: objectId }),
      audit: { action: actions[way], on: 'job' },
      output: jobShown,
      refuses: ['not-found', 'access-denied', 'conflict'],
      async handle({ params, principal }) {
        const job = await steerJob(deps, principal, params, way);
        deps.nudgeJobs();
        return show(deps, job);
      },
    }),
  );
}
