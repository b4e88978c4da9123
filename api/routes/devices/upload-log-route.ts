/** The log of a device's uploads and offers, in the words of clients in the field. */

import { z } from 'zod';
import { grades } from '../../../gateway/frames/grades.ts';
import { gradeOf, type UploadRow } from '../../../gateway/pictures/upload-row.ts';
import { readReasons } from '../../../reasons/reason.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import { attemptCauses, overtaken } from '../../delivery-state/upload-attempts.ts';
import {
  similarityThreshold,
  type UploadReason,
  uploadReasons,
  whyNotUploaded,
} from '../../delivery-state/upload-reasons.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { readRevision } from '../../devices/shown-item.ts';
import type { DeviceRow } from '../../devices/store.ts';
import { wholeNumber } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { DeviceDeps } from './device-deps.ts';
import { type LoggedAttempt, recentAttempts } from './recent-attempts.ts';

const defaultEntries = 50;

const stages = ['offered', 'announced', 'fetched', 'shown', 'confirmed', 'failed', 'replaced'] as const;

/** The reasons for sending or skipping a picture, in the words of clients in the field. */
const decisions = [
  'similarity-threshold-met',
  'below-similarity-threshold',
  'previous-device-image-unavailable',
  'force-upload',
] as const;

const entry = z.object({
  /** The `uploadAttemptId` that the upload was answered with. */
  attemptId: z.string(),
  deviceId: z.string(),
  deviceName: z.string(),
  paperId: z.string().nullable(),
  /**
   * The cause: pushed content, a paper's uploaded picture, an image of the device's own, or a page that draws itself.
   */
  trigger: z.enum(attemptCauses),
  triggerMetadata: z.object({ paperKind: z.string().nullable(), revision: z.string().nullable() }),
  forceUpload: z.boolean(),
  status: z
    .enum(['started', 'skipped', 'uploaded', 'overtaken', 'failed'])
    .describe('`overtaken`: a later upload took its place before it could be offered, which is not a failure'),
  reason: z.enum(uploadReasons),
  /** The decision whether to send the picture, made before anything was tried. */
  decision: z.object({ action: z.enum(['skip', 'upload']), reason: z.enum(decisions), forceUpload: z.boolean() }),
  similarityPercentage: z.number().nullable(),
  similarityThreshold: z.number(),
  stages: z.array(z.object({ stage: z.enum(stages), at: z.string() })),
  grade: z.enum(grades).nullable().describe('how well it is proven on the glass; null while nothing was offered'),
  failures: z.array(z.object({ message: z.string(), at: z.string().nullable() })),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  integrationRevision: z.string().nullable(),
});

export function uploadLogRoute(deps: DeviceDeps): AnyRoute {
  const { db } = deps;
  return route('GET /devices/upload-logs/:deviceId', {
    summary:
      'Uploads for the device and pictures that its frame was offered lately, the newest first, with their stages',
    query: z.object({ limit: wholeNumber(1, 100).optional() }),
    output: z.object({ results: z.array(entry) }),
    async handle({ params, query, principal }) {
      const device = await requireDevice(db, principal, params.deviceId, 'read');
      const attempts = await recentAttempts(db, device, query.limit ?? defaultEntries);
      return { results: attempts.map((attempt) => describe(attempt, device)) };
    },
  });
}

function whyDecided({ skipped, forced, similarity }: LoggedAttempt): (typeof decisions)[number] {
  if (skipped) return 'similarity-threshold-met';
  if (forced) return 'force-upload';
  return similarity === null ? 'previous-device-image-unavailable' : 'below-similarity-threshold';
}

type Outcome = Pick<z.input<typeof entry>, 'status' | 'reason' | 'failures'>;

function describe(attempt: LoggedAttempt, device: DeviceRow): z.input<typeof entry> {
  const { id, paperId, paperKind, cause, forced, similarity, offer, startedAt } = attempt;
  const revision = offer?.revision ?? null;
  const finishedAt = offer === undefined ? attempt.endedAt : (offer.confirmed_at ?? offer.shown_at ?? offer.failed_at);
  return {
    attemptId: id,
    deviceId: device.id,
    deviceName: device.name,
    paperId,
    trigger: cause,
    triggerMetadata: { paperKind, revision },
    forceUpload: forced,
    ...(offer === undefined ? withoutOffer(attempt, device) : withOffer(offer, forced)),
    decision: { action: attempt.skipped ? 'skip' : 'upload', reason: whyDecided(attempt), forceUpload: forced },
    similarityPercentage: similarity,
    similarityThreshold,
    stages: offer === undefined ? [] : reached(offer),
    grade: offer === undefined ? null : gradeOf(offer),
    startedAt: isoTime(startedAt),
    finishedAt: isoTimeOrNull(finishedAt),
    durationMs: finishedAt === null ? null : finishedAt - startedAt,
    // Pushed content is named by its request.
    integrationRevision: revision !== null && readRevision(revision).kind === 'content' ? revision : null,
  };
}

function reached(offer: UploadRow): z.input<typeof entry>['stages'] {
  return stages.flatMap((stage) => {
    const at = offer[`${stage}_at`];
    return at === null ? [] : [{ stage, at: isoTime(at) }];
  });
}

const defaultReason = (forced: boolean): UploadReason => (forced ? 'force-upload' : 'device-frame-uploaded');

function withOffer({ failed_at: failedAt, reason }: UploadRow, forced: boolean): Outcome {
  if (failedAt === null) return { status: 'uploaded', reason: defaultReason(forced), failures: [] };
  const words = reason === null ? 'the frame said that the update went wrong' : wordsOf(readReasons(reason));
  const failure = { message: words, at: isoTime(failedAt) };
  return { status: 'failed', reason: 'iot-upload-failed', failures: [failure] };
}

/** Describes an attempt that led to no offer, or to none yet. */
function withoutOffer(attempt: LoggedAttempt, device: DeviceRow): Outcome {
  const { problems, skipped, forced, endedAt } = attempt;
  if (skipped) return { status: 'skipped', reason: 'similarity-threshold-met', failures: [] };
  if (problems.some((one) => typeof one !== 'string' && one.code === overtaken.code))
    return { status: 'overtaken', reason: 'upload-processing-failed', failures: [] };
  const kept = whyKept(attempt, device);
  if (problems.length === 0 && kept === undefined)
    return { status: 'started', reason: defaultReason(forced), failures: [] };
  const at = isoTimeOrNull(endedAt);
  const failures = problems.length === 0 ? [] : [{ message: wordsOf(problems), at }];
  return { status: 'failed', reason: kept ?? 'upload-processing-failed', failures };
}

/** Names the reason why the picture does not reach the frame, apart from failures in making it. */
function whyKept({ paperId, paperKind, cause, endedAt }: LoggedAttempt, device: DeviceRow): UploadReason | undefined {
  // For a device's own image the only obstacle is the panel: there is none, or it does not fit.
  if (cause === 'image') return device.serial === null ? 'iot-upload-url-missing' : 'iot-upload-failed';
  if (paperId === null || paperKind === null || endedAt !== null) return undefined;
  return whyNotUploaded(device, { id: paperId, kind: paperKind });
}
