/** What a frame was offered lately and how far each picture came, in the words of clients in the field (C-55). */
import { z } from 'zod';
import { type UploadRow, uploadLog } from '../../gateway/pictures/upload-log.ts';
import { isoTime } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import { objectId } from '../http/field-shapes.ts';
import { wholeNumber } from '../http/list-query.ts';
import { type AnyRoute, route } from '../http/route.ts';
import type { DeviceEdges } from './device-edges.ts';
import { isOwnRevision } from './device-images.ts';
import { requireDevice } from './require-device.ts';

const usualEntries = 50;

const stages = ['offered', 'announced', 'fetched', 'shown', 'confirmed', 'failed', 'replaced'] as const;

const entry = z.object({
  attemptId: z.string(),
  deviceId: z.string(),
  deviceName: z.string(),
  paperId: z.string().nullable(),
  /** Pushed content, a paper's uploaded picture, an image of the device's own, or a page that draws itself. */
  trigger: z.enum(['content', 'picture', 'image', 'page']),
  status: z.enum(['uploaded', 'failed']),
  reason: z.string(),
  similarityPercentage: z.number().nullable(),
  stages: z.array(z.object({ stage: z.enum(stages), at: z.string() })),
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
    summary: 'Pictures that the frame was offered lately, the newest first, with the time of each stage',
    access: 'person',
    status: 200,
    params: z.object({ deviceId: objectId }),
    query: z.object({ limit: wholeNumber(1, 100).optional() }),
    output: z.object({ results: z.array(entry) }),
    async handle({ params, query, principal }) {
      const device = await requireDevice(database, principal, params.deviceId, 'read');
      if (device.serial === null) return { results: [] };
      // T-16: what the frame was offered with its owner before is not theirs to read.
      const uploads = await uploadLog(database).recent(device.serial, device.created_at, query.limit ?? usualEntries);
      const papers = await papersOf(database, uploads);
      return { results: uploads.map((upload) => describe(upload, device, papers)) };
    },
  });
}

interface Source {
  readonly paperId: string;
  readonly trigger: z.output<typeof entry>['trigger'];
}

/** What the uploads were made for, by revision. */
async function papersOf(db: Database, uploads: readonly UploadRow[]): Promise<ReadonlyMap<string, Source>> {
  const revisions = uploads.map(({ revision }) => revision);
  const requests: { id: string; paper_id: string }[] = await db('content_requests')
    .whereIn('id', revisions)
    .select('id', 'paper_id');
  const papers: { id: string; picture_revision: string }[] = await db('papers')
    .whereIn(
      'picture_revision',
      revisions.map((revision) => revision.replace(/^picture:/, '')),
    )
    .select('id', 'picture_revision');
  return new Map<string, Source>([
    ...papers.map((row): [string, Source] => [
      `picture:${row.picture_revision}`,
      { paperId: row.id, trigger: 'picture' },
    ]),
    ...requests.map((row): [string, Source] => [row.id, { paperId: row.paper_id, trigger: 'content' }]),
  ]);
}

function describe(
  upload: UploadRow,
  device: { readonly id: string; readonly name: string },
  papers: ReadonlyMap<string, Source>,
): z.input<typeof entry> {
  const { id, revision, offered_at: startedAt } = upload;
  const source = papers.get(revision);
  const isPicture = revision.startsWith('picture:');
  const trigger = source?.trigger ?? (isPicture ? 'picture' : isOwnRevision(revision) ? 'image' : 'page');
  const reached = stages.flatMap((stage) => {
    const at = upload[`${stage}_at`];
    return at === null ? [] : [{ stage, at }];
  });
  const finishedAt = upload.confirmed_at ?? upload.shown_at ?? upload.failed_at;
  return {
    ...{ attemptId: id, deviceId: device.id, deviceName: device.name, paperId: source?.paperId ?? null, trigger },
    status: upload.failed_at === null ? 'uploaded' : 'failed',
    reason: upload.reason ?? 'device-frame-uploaded',
    similarityPercentage: null,
    stages: reached.map(({ stage, at }) => ({ stage, at: isoTime(at) })),
    startedAt: isoTime(startedAt),
    finishedAt: finishedAt === null ? null : isoTime(finishedAt),
    durationMs: finishedAt === null ? null : finishedAt - startedAt,
    integrationRevision: trigger === 'content' ? revision : null,
  };
}
