/** `papergate jobs`: changes of many frames, over HTTP. */
import type { Schemas } from '../../client/contract.ts';
import { callApi, credentialsFromEnvironment } from '../ground/client.ts';
import { printJson, printLine, printTable, printText, shortName, shortTime } from '../ground/print.ts';

interface JobOptions {
  organization: string;
  json?: boolean;
}

type Job = Schemas['Job'];

const jobRow = (job: Job) => ({
  id: job.id,
  name: shortName(job.name),
  kind: job.kind,
  state: job.state,
  frames: job.total,
  proven: job.frames.proven,
  failed: job.frames.failed,
  waiting: job.frames.queued,
  started: shortTime(job.createdAt),
  reason: job.reason,
});

function printJobs(jobs: readonly Job[]): void {
  const columns = [
    'id',
    'name',
    'kind',
    'state',
    'frames',
    'proven',
    'failed',
    'waiting',
    'started',
    'reason',
  ] as const;
  printTable(jobs.map(jobRow), [...columns]);
}

/** Lists the jobs of an organization. */
export async function listJobs({ organization, json }: JobOptions): Promise<void> {
  const path = { organizationId: organization };
  const jobs = await callApi(credentialsFromEnvironment(), 'GET /organizations/{organizationId}/jobs/', { path });
  if (json === true) return printJson(jobs);
  printJobs(jobs);
}

/** Shows one job with its frames. */
export async function printJob(
  jobId: string,
  { organization, json, csv }: JobOptions & { csv?: boolean },
): Promise<void> {
  const path = { organizationId: organization, jobId };
  const name = 'GET /organizations/{organizationId}/jobs/{jobId}/report' as const;
  if (csv === true) {
    const file = await callApi(credentialsFromEnvironment(), `${name}/csv`, { path });
    printText((await file.text()).trimEnd());
    return;
  }
  const report = await callApi(credentialsFromEnvironment(), name, { path });
  if (json === true) return printJson({ job: report.job, frames: report.frames });
  printJobs([report.job]);
  printLine('');
  const rows = report.frames.map(({ name: frame, deviceId, state, givenAt, provenAt, reason }) => ({
    frame: shortName(frame),
    id: deviceId,
    state,
    given: givenAt === null ? null : shortTime(givenAt),
    proven: provenAt === null ? null : shortTime(provenAt),
    reason,
  }));
  printTable(rows, ['frame', 'id', 'state', 'given', 'proven', 'reason']);
}

/** Steers a job, and prints how far it is. */
export async function steerPrinted(
  jobId: string,
  way: 'pause' | 'resume' | 'cancel' | 'undo',
  { organization, json }: JobOptions,
): Promise<void> {
  const path = { organizationId: organization, jobId };
  const name = `POST /organizations/{organizationId}/jobs/{jobId}/${way}` as const;
  const job = await callApi(credentialsFromEnvironment(), name, { path });
  if (json === true) return printJson(job);
  printJobs([job]);
}
