/** The jobs of the organization, as the service says how far they are: they go on whether or not a page is open. */
import { signal } from '@preact/signals';
import { type AnswerOf, type BodyOf, callApi } from '../../ground/call-api.ts';
import { asProblem } from '../../ground/resource.ts';
import { organizationId } from '../../ground/session.ts';

/** A job, as the service shows it. */
export type KnownJob = AnswerOf<'GET /organizations/{organizationId}/jobs/{jobId}'>;

/** The ways to steer a job. */
export type JobSteering = 'pause' | 'resume' | 'cancel' | 'undo';

/** The jobs, the newest first; undefined before they were read. */
export const knownJobs = signal<readonly KnownJob[] | undefined>(undefined);
/** The jobs that were started or steered in this tab, and are shown until they are dismissed. */
export const ownJobs = signal<ReadonlySet<string>>(new Set());

const soonMs = 1_500;
const laterMs = 20_000;

let isFollowed = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

async function read(): Promise<void> {
  clearTimeout(timer);
  const path = { organizationId: organizationId.peek() };
  try {
    knownJobs.value = await callApi('GET /organizations/{organizationId}/jobs/', { path });
  } catch (error) {
    // Another look follows; one who may not see jobs has none.
    if (asProblem(error).status === 403) knownJobs.value = [];
  }
  clearTimeout(timer);
  const isWaiting = knownJobs.peek()?.some(({ isOver }) => !isOver) !== false;
  if (isFollowed > 0) timer = setTimeout(() => void read(), isWaiting ? soonMs : laterMs);
}

/** Reads jobs again and again until the returned function is called. */
export function followJobs(): () => void {
  isFollowed++;
  void read();
  return () => {
    isFollowed--;
    if (isFollowed === 0) clearTimeout(timer);
  };
}

function put(job: KnownJob): void {
  const others = (knownJobs.peek() ?? []).filter(({ id }) => id !== job.id);
  knownJobs.value = [job, ...others].sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  ownJobs.value = new Set([...ownJobs.peek(), job.id]);
  if (isFollowed > 0) {
    clearTimeout(timer);
    timer = setTimeout(() => void read(), soonMs / 3);
  }
}

/** The body of a job. */
export type WantedJob = BodyOf<'POST /organizations/{organizationId}/jobs/'>;

/** Starts a job. From its answer on the service does everything. */
export async function startJob(body: WantedJob): Promise<void> {
  const path = { organizationId: organizationId.peek() };
  put(await callApi('POST /organizations/{organizationId}/jobs/', { path, body }));
}

/** Starts a job that shows a picture. */
export async function startPictureJob(
  file: File,
  wanted: Omit<WantedJob, 'paper' | 'meta' | 'firmware'>,
): Promise<void> {
  const path = { organizationId: organizationId.peek() };
  const form = { picture: file, job: JSON.stringify(wanted) };
  put(await callApi('POST /organizations/{organizationId}/jobs/pictures', { path, form }));
}

/** Steers a job. */
export async function steerKnownJob(jobId: string, way: JobSteering): Promise<void> {
  const path = { organizationId: organizationId.peek(), jobId };
  put(await callApi(`POST /organizations/{organizationId}/jobs/{jobId}/${way}`, { path }));
}

/** No longer shows a job that was started here. */
export function dismissJob(id: string): void {
  ownJobs.value = new Set([...ownJobs.peek()].filter((one) => one !== id));
}
