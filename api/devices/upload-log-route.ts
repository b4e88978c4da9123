/** What a device's uploads and offers came to, in the words of clients in the field (C-55). */
import { z } from 'zod';
import type { UploadRow } from '../../gateway/pictures/upload-log.ts';
import { isoTime } from '../../gateway/runtime/clock.ts';
import { attemptCauses } from '../delivery/upload-attempts.ts';
import { objectId } from '../http/field-shapes.ts';
import { wholeNumber } from '../http/list-query.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { similarityThreshold, type UploadReason, uploadReasons, whyNotHandedOver } from '../papers/hand-over.ts';
import type { DeviceEdges } from './device-edges.ts';
import { type LoggedAttempt, recentAttempts } from './recent-attempts.ts';
import { requireDevice } from './require-device.ts';
import type { DeviceRow } from './store.ts';

const usualEntries = 50;

const stages = ['offered', 'announced', 'fetched', 'shown', 'confirmed', 'failed', 'replaced'] as const;

const entry = z.object({
  /** What the upload was answered with as `uploadAttemptId`. */
  attemptId: z.string(),
  deviceId: z.string(),
  deviceName: z.string(),
  paperId: z.string().nullable(),
  /** Pushed content, a paper's uploaded picture, an image of the device's own, or a page that draws itself. */
  trigger: z.enum(attemptCauses),
  triggerMetadata: z.object({ paperKind: z.string().nullable(), revision: z.string().nullable() }),
  forceUpload: z.boolean(),
  status: z.enum(['started', 'skipped', 'uploaded', 'failed']),
  reason: z.enum(uploadReasons),
  similarityPercentage: z.number().nullable(),
  similarityThreshold: z.number(),
  stages: z.array(z.object({ stage: z.enum(stages), at: z.string() })),
  failures: z.array(z.object({ message: z.string(), at: z.string().nullable() })),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  integrationRevision: z.string().nullable(),
});

/** The route. */
export function uploadLogRoute(edges: DeviceEdges): AnyRoute {
  const { database } = edges;
  return route({
    method: 'GET',
    path: '/devices/upload-logs/:deviceId',
    summary:
      'Uploads for the device and pictures that its frame was offered lately, the newest first, with their stages',
    access: 'person',
    status: 200,
    params: z.object({ deviceId: objectId }),
    query: z.object({ limit: wholeNumber(1, 100).optional() }),
    output: z.object({ results: z.array(entry) }),
    async handle({ params, query, principal }) {
      const device = await requireDevice(database, principal, params.deviceId, 'read');
      const attempts = await recentAttempts(database, device, query.limit ?? usualEntries);
      return { results: attempts.map((attempt) => describe(attempt, device)) };
    },
  });
}

type Outcome = Pick<z.input<typeof entry>, 'status' | 'reason' | 'failures'>;

function describe(attempt: LoggedAttempt, device: DeviceRow): z.input<typeof entry> {
  const { id, paperId, paperKind, cause, forced, similarity, offer, startedAt } = attempt;
  const revision = offer?.revision ?? null;
  const finishedAt = offer === undefined ? attempt.endedAt : (offer.confirmed_at ?? offer.shown_at ?? offer.failed_at);
  return {
    ...{ attemptId: id, deviceId: device.id, deviceName: device.name, paperId },
    ...{ trigger: cause, triggerMetadata: { paperKind, revision }, forceUpload: forced },
    ...(offer === undefined ? withoutOffer(attempt, device) : withOffer(offer, forced)),
    ...{ similarityPercentage: similarity, similarityThreshold },
    stages: offer === undefined ? [] : reached(offer),
    startedAt: isoTime(startedAt),
    finishedAt: finishedAt === null ? null : isoTime(finishedAt),
    durationMs: finishedAt === null ? null : finishedAt - startedAt,
    // The service's own words have a colon; what was pushed is named by its request.
    integrationRevision: revision === null || revision.includes(':') ? null : revision,
  };
}

function reached(offer: UploadRow): z.input<typeof entry>['stages'] {
  return stages.flatMap((stage) => {
    const at = offer[`${stage}_at`];
    return at === null ? [] : [{ stage, at: isoTime(at) }];
  });
}

const usualReason = (forced: boolean): UploadReason => (forced ? 'force-upload' : 'device-frame-uploaded');

function withOffer({ failed_at: failedAt, reason }: UploadRow, forced: boolean): Outcome {
  if (failedAt === null) return { status: 'uploaded', reason: usualReason(forced), failures: [] };
  const failure = { message: reason ?? 'the frame said that the update went wrong', at: isoTime(failedAt) };
  return { status: 'failed', reason: 'iot-upload-failed', failures: [failure] };
}

/** What nothing came of, or nothing yet. */
function withoutOffer(attempt: LoggedAttempt, device: DeviceRow): Outcome {
  const { problem, skipped, forced, endedAt } = attempt;
  if (skipped) return { status: 'skipped', reason: 'similarity-threshold-met', failures: [] };
  const kept = whyKept(attempt, device);
  if (problem === null && kept === undefined) return { status: 'started', reason: usualReason(forced), failures: [] };
  const at = endedAt === null ? null : isoTime(endedAt);
  const failures = problem === null ? [] : [{ message: problem, at }];
  return { status: 'failed', reason: kept ?? 'upload-processing-failed', failures };
}

/** What keeps it from the frame, apart from what went wrong in making it. */
function whyKept({ paperId, paperKind, cause, endedAt }: LoggedAttempt, device: DeviceRow): UploadReason | undefined {
  // Of a device's own image nothing else is ever in the way than its panel.
  if (cause === 'image') return 'iot-upload-failed';
  if (paperId === null || paperKind === null || endedAt !== null) return undefined;
  return whyNotHandedOver(device, { id: paperId, kind: paperKind });
}
