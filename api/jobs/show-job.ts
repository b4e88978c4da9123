/** How jobs are shown: their progress, their frames, and the report as a table. */
import { z } from 'zod';
import { readReasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { isoTime, isoTimeOrNull } from '../../runtime/clock.ts';
import { spelledAs, spelledReasons } from '../http/spelled-reasons.ts';
import { jobKinds, kindOfJob } from './frame-change.ts';
import {
  changeOf,
  type ItemState,
  itemStates,
  type JobItemRow,
  type JobRow,
  type JobTally,
  jobStates,
  rulesOf,
} from './job-store.ts';

/** The rules of a job, as they are shown. */
export const rulesShown = z.object({
  perMinute: z.number().nullable().describe('frames within any minute, at most; null for no bound'),
  growth: z
    .object({ steps: z.array(z.number()), provenPercent: z.number() })
    .nullable()
    .describe('growth by proof; null where all frames are given it at once'),
  stopPercent: z.number().nullable().describe('the share of failures at which it pauses by itself'),
  proofHours: z.number().describe('the hours within which a frame has to prove it'),
});

const counts = Object.fromEntries(itemStates.map((state) => [state, z.number()])) as Record<ItemState, z.ZodNumber>;

export const jobShown = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(jobKinds).describe('`place` is settings of nothing but places and tags'),
    paper: z.string().nullable().describe('the paper that the frames are to show, for a job of kind paper'),
    group: z.string().nullable().describe('the group that it is for'),
    state: z.enum(jobStates),
    reason: z.string().nullable().describe('why it is paused, or has failed'),
    reasons: spelledReasons.optional(),
    author: z.string(),
    rules: rulesShown,
    total: z.number(),
    handed: z.number().describe('frames that were given something new so far'),
    skipped: z.number().describe('frames that had it already, or of which nothing can be proven'),
    frames: z.object(counts).describe('how many frames are in each state'),
    isOver: z.boolean().describe('nothing is left to be given, proven or taken back'),
    createdAt: z.string(),
    changedAt: z.string(),
    endedAt: z.string().nullable(),
  })
  .meta({ id: 'Job' });

export const jobFrameShown = z
  .object({
    deviceId: z.string(),
    name: z.string(),
    position: z.number(),
    state: z.enum(itemStates),
    skipped: z.boolean(),
    reason: z.string().nullable(),
    reasons: spelledReasons.optional(),
    givenAt: z.string().nullable(),
    provenAt: z.string().nullable(),
    changedAt: z.string(),
  })
  .meta({ id: 'JobFrame' });

type JobFrameShown = z.input<typeof jobFrameShown>;

/** Presents a job. */
export function showJob(job: JobRow, { states, skipped }: JobTally): z.input<typeof jobShown> {
  const reasons = readReasons(job.reason);
  return {
    id: job.id,
    name: job.name,
    kind: kindOfJob(changeOf(job)),
    paper: job.paper_id,
    group: job.group_id,
    state: job.state,
    reason: reasons.length === 0 ? null : wordsOf(reasons),
    ...spelledAs('reasons', reasons),
    author: job.author,
    rules: rulesShown.parse(rulesOf(job)),
    total: job.total,
    handed: job.handed,
    skipped,
    frames: states,
    isOver: job.ended_at !== null,
    createdAt: isoTime(job.created_at),
    changedAt: isoTime(job.changed_at),
    endedAt: isoTimeOrNull(job.ended_at),
  };
}

/** Presents a frame of a job. */
export function showJobFrame(item: JobItemRow): JobFrameShown {
  const reasons = readReasons(item.reason);
  return {
    deviceId: item.device_id,
    name: item.frame_name,
    position: item.position,
    state: item.state,
    skipped: item.skipped === 1,
    reason: reasons.length === 0 ? null : wordsOf(reasons),
    ...spelledAs('reasons', reasons),
    givenAt: isoTimeOrNull(item.given_at),
    provenAt: isoTimeOrNull(item.proven_at),
    changedAt: isoTime(item.changed_at),
  };
}

const columns = ['position', 'deviceId', 'name', 'state', 'skipped', 'givenAt', 'provenAt', 'reason'] as const;

/** Writes the frames of a job as CSV (RFC 4180), with a line of names first. No cell is read as a formula. */
export function csvOfFrames(frames: readonly JobFrameShown[]): string {
  const cell = (value: JobFrameShown[(typeof columns)[number]]): string => {
    const text = value === null ? '' : String(value);
    const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  };
  const lines = frames.map((frame) => columns.map((name) => cell(frame[name])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}
