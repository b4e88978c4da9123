/** The newest attempts of a device: those that an upload or the line wrote down, and offers from before that was done. */
import { type UploadRow, uploadLog } from '../../gateway/pictures/upload-log.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import { type AttemptCause, type AttemptRow, causeOf, uploadAttempts } from '../delivery/upload-attempts.ts';
import { isOwnRevision } from './device-images.ts';
import type { DeviceRow } from './store.ts';

/** An attempt with the offer that came of it, if one did. Times are epoch milliseconds. */
export interface LoggedAttempt {
  readonly id: string;
  readonly paperId: string | null;
  readonly paperKind: string | null;
  readonly cause: AttemptCause;
  readonly forced: boolean;
  readonly skipped: boolean;
  readonly similarity: number | null;
  /** What kept it from being offered. */
  readonly problem: string | null;
  readonly offer: UploadRow | undefined;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** The newest first. What its frame was offered with another owner is left out (T-16). */
export async function recentAttempts(db: Database, device: DeviceRow, limit: number): Promise<LoggedAttempt[]> {
  const { id, serial, created_at: since } = device;
  const offers = serial === null ? [] : await uploadLog(db).recent(serial, since, limit);
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
  const { attempt_id: id, paper_id: paperId, paper_kind: paperKind, cause, similarity, problem } = attempt;
  const { started_at: startedAt, ended_at: endedAt } = attempt;
  const [forced, skipped] = [attempt.forced === 1, attempt.skipped === 1];
  return { id, paperId, paperKind, cause, forced, skipped, similarity, problem, offer, startedAt, endedAt };
}

type Source = Pick<LoggedAttempt, 'paperId' | 'cause'>;

function unnotedOffer(offer: UploadRow, sources: ReadonlyMap<string, Source>): LoggedAttempt {
  const { id, revision, offered_at: at } = offer;
  const cause = isOwnRevision(revision) ? 'image' : causeOf(revision);
  const source = sources.get(revision) ?? { paperId: null, cause };
  const unknown = { paperKind: null, forced: false, skipped: false, similarity: null, problem: null };
  return { id, ...source, ...unknown, offer, startedAt: at, endedAt: at };
}

/** What offers were made for, by revision, as far as papers and requests still say. */
async function sourcesOf(db: Database, offers: readonly UploadRow[]): Promise<ReadonlyMap<string, Source>> {
  if (offers.length === 0) return new Map();
  const revisions = offers.map(({ revision }) => revision);
  const requests: { id: string; paper_id: string }[] = await db('content_requests')
    .whereIn('id', revisions)
    .select('id', 'paper_id');
  const pictures = revisions.map((revision) => revision.replace(/^picture:/, ''));
  const papers: { id: string; picture_revision: string }[] = await db('papers')
    .whereIn('picture_revision', pictures)
    .select('id', 'picture_revision');
  return new Map<string, Source>([
    ...papers.map((row): [string, Source] => [
      `picture:${row.picture_revision}`,
      { paperId: row.id, cause: 'picture' },
    ]),
    ...requests.map((row): [string, Source] => [row.id, { paperId: row.paper_id, cause: 'content' }]),
  ]);
}
