/**
 * Reads the newest attempts of a device: those that an upload or the delivery line recorded, and offers that are older
 * than that record.
 */

import { uploadLog } from '../../../gateway/pictures/upload-log.ts';
import type { UploadRow } from '../../../gateway/pictures/upload-row.ts';
import { type Reasons, readReasons } from '../../../reasons/reason.ts';
import { camelOf } from '../../../runtime/database/camel-case.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { type AttemptCause, type AttemptRow, causeOf, uploadAttempts } from '../../delivery-state/upload-attempts.ts';
import { readRevision, revisionOf, type ShownItem, type ShownKind } from '../../devices/shown-item.ts';
import type { DeviceRow } from '../../devices/store.ts';

/** An attempt, with the offer that it led to, if any. Times are epoch milliseconds. */
export interface LoggedAttempt {
  readonly id: string;
  readonly paperId: string | null;
  readonly paperKind: string | null;
  readonly cause: AttemptCause;
  readonly forced: boolean;
  readonly skipped: boolean;
  readonly similarity: number | null;
  /** The reason why the picture was not offered. */
  readonly problems: Reasons;
  readonly offer: UploadRow | undefined;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** Reads the newest attempts first. Offers to the frame under another owner are left out (T-63). */
export async function recentAttempts(db: Database, device: DeviceRow, limit: number): Promise<LoggedAttempt[]> {
  const { id, serial } = device;
  const offers = serial === null ? [] : await uploadLog(db).recent(serial, limit);
  const attempts = uploadAttempts(db);
  const ofOffers = await attempts.ofUploads(
    id,
    offers.map((offer) => offer.id),
  );
  const byUpload = new Map(ofOffers.map((attempt) => [attempt.upload_id, attempt]));
  const unnoted = await sourcesOf(
    db,
    offers.filter((offer) => !byUpload.has(offer.id)),
  );
  const offered = offers.map((offer) => {
    const attempt = byUpload.get(offer.id);
    return attempt === undefined ? unnotedOffer(offer, unnoted) : noted(attempt, offer);
  });
  const without = (await attempts.recent(id, limit)).filter(({ upload_id }) => upload_id === null);
  return [...offered, ...without.map((attempt) => noted(attempt, undefined))]
    .sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

function noted(attempt: AttemptRow, offer: UploadRow | undefined): LoggedAttempt {
  return {
    id: attempt.attempt_id,
    ...camelOf(attempt, 'paper_id', 'paper_kind', 'cause'),
    forced: attempt.forced === 1,
    skipped: attempt.skipped === 1,
    similarity: attempt.similarity,
    problems: readReasons(attempt.problem),
    offer,
    ...camelOf(attempt, 'started_at', 'ended_at'),
  };
}

type Source = Pick<LoggedAttempt, 'paperId' | 'cause'>;

function unnotedOffer(offer: UploadRow, sources: ReadonlyMap<string, Source>): LoggedAttempt {
  const { id, revision, offered_at: at } = offer;
  const cause = causeOf(readRevision(revision));
  const source = sources.get(revision) ?? { paperId: null, cause };
  const unknown = { paperKind: null, forced: false, skipped: false, similarity: null, problems: [] };
  return { id, ...source, ...unknown, offer, startedAt: at, endedAt: at };
}

/** Finds the papers and requests that offers were made for, by revision, as far as they still exist. */
async function sourcesOf(db: Database, offers: readonly UploadRow[]): Promise<ReadonlyMap<string, Source>> {
  if (offers.length === 0) return new Map();
  const items = offers.map(({ revision }) => readRevision(revision));
  const idsOf = (wanted: ShownKind) => items.flatMap(({ kind, id }) => (kind === wanted ? [id] : []));
  const requests: { id: string; paper_id: string }[] = await db('content_requests')
    .whereIn('id', idsOf('content'))
    .select('id', 'paper_id');
  const papers: { id: string; picture_revision: string }[] = await db('papers')
    .whereIn('picture_revision', idsOf('picture'))
    .select('id', 'picture_revision');
  const source = (item: ShownItem, paperId: string): [string, Source] => [
    revisionOf(item),
    { paperId, cause: causeOf(item) },
  ];
  return new Map<string, Source>([
    ...papers.map((row) => source({ kind: 'picture', id: row.picture_revision }, row.id)),
    ...requests.map((row) => source({ kind: 'content', id: row.id }, row.paper_id)),
  ]);
}
