/** Promises about requests and sources, checked at every commit. */
import type { UploadRow } from '../../gateway/pictures/upload-log.ts';
import type { RequestState } from '../delivery/states.ts';
import type { RequestRow } from '../integration/requests.ts';
import type { Change, Commit } from './commit-log.ts';
import type { GroundTruth } from './ground-truth.ts';
import type { Court } from './verdict.ts';

/** What the judges look at besides the commit. */
export interface JudgeEdges {
  readonly court: Court;
  readonly truth: GroundTruth;
  /** Files that rows may name. */
  readonly hasImage: (name: string) => boolean;
  readonly hasPicture: (name: string) => boolean;
  /** Whether a frame took every byte of this upload, or of the same file under an earlier one that vouches for it. */
  readonly tookWhole: (upload: UploadRow) => boolean;
}

/** From a request's state to those it may move to, in this judge's own words. */
const edges: Readonly<Record<RequestState, readonly RequestState[]>> = {
  receiving: ['accepted', 'superseded', 'revoked'],
  accepted: ['active', 'superseded', 'closed', 'revoked'],
  active: ['superseded', 'closed', 'revoked'],
  closed: ['superseded'],
  superseded: [],
  revoked: [],
};

export const windowMs = 48 * 3_600_000;
const keptMs = 30 * 86_400_000;

/** Judges what a commit did to requests. */
export function judgeRequests(judge: JudgeEdges, commit: Commit): void {
  for (const change of commit.requests) {
    judgeMove(judge.court, commit, change);
    if (change.after !== undefined) judgeContent(judge, change.after);
  }
  if (commit.requests.length > 0) judgeSources(judge, commit);
}

function judgeMove(court: Court, { now, one }: Commit, { before, after, moves }: Change<RequestRow>): void {
  if (after === undefined) {
    const isOld = before !== undefined && before.created_at <= now - keptMs;
    court.holds(isOld, 'INV-71', () => `request ${before?.id} is gone before its 30 days`);
    return;
  }
  for (const { from, to } of moves) {
    // A text has no file to wait for: it is opened and accepted at once.
    const begins = to === 'receiving' || (to === 'accepted' && after.image_key === null);
    const allowed = from === null ? begins : edges[from as RequestState].includes(to as RequestState);
    court.holds(allowed, 'INV-24', () => `request ${after.id} moved from ${from} to ${to}`);
  }
  const isOpen = after.state === 'accepted' || after.state === 'active';
  court.holds(!isOpen || after.due_at !== null, 'INV-48', () => `open request ${after.id} is never looked at again`);
  const endsAt = (after.accepted_at ?? 0) + windowMs;
  const isClosed = moves.some(({ to }) => to === 'closed');
  court.holds(!isClosed || now >= endsAt, 'INV-47', () => `request ${after.id} was closed ${endsAt - now} ms early`);
  if (before !== undefined) {
    court.holds(before.sequence === after.sequence, 'INV-16', () => `request ${after.id} changed its place`);
    return;
  }
  const larger = one(
    'select id from content_requests where paper_id = ? and sequence >= ? and id <> ? and created_at < ?',
    ...[after.paper_id, after.sequence, after.id, after.created_at],
  );
  court.holds(
    larger === undefined,
    'INV-16',
    () => `request ${after.id} draws a place that was passed: ${after.sequence}`,
  );
}

/** The content is what its sender sent, and its picture is there (INV-01, INV-03, INV-10). */
function judgeContent({ court, truth, hasImage }: JudgeEdges, row: RequestRow): void {
  const sent = truth.submission(row);
  if (sent === undefined) {
    court.holds(false, 'INV-10', () => `request ${row.id} is a message that nobody sent: ${row.message_id}`);
    return;
  }
  court.holds(row.text === sent.content.text, 'INV-20', () => `request ${row.id} holds another text`);
  if (row.state === 'receiving' || row.accepted_at === null) return;
  const key = sent.content.imageKey ?? null;
  court.holds(row.image_key === key, 'INV-10', () => `request ${row.id} was accepted without its own image`);
  court.holds(key === null || hasImage(key), 'INV-03', () => `the image of request ${row.id} is not stored`);
}

interface Source {
  readonly paper_id: string;
  readonly request_id: string;
  readonly sequence: number;
  readonly text: string;
  readonly image_key: string | null;
}

/** INV-15, INV-18 to INV-21: one source a paper, the accepted one of the largest sequence, text and image of one message. */
function judgeSources({ court }: JudgeEdges, { all, one }: Commit): void {
  const newest = all<RequestRow>(
    `select * from content_requests as r where accepted_at is not null and sequence =
       (select max(sequence) from content_requests where paper_id = r.paper_id and accepted_at is not null)`,
  );
  for (const request of newest) {
    const source = one<Source>('select * from paper_contents where paper_id = ?', request.paper_id);
    const isIt = source !== undefined && (source.request_id === request.id || source.sequence > request.sequence);
    court.holds(
      isIt,
      'INV-15',
      () => `paper ${request.paper_id} shows ${source?.request_id}, not the newest ${request.id}`,
    );
    if (source?.request_id !== request.id) continue;
    const isPair = source.text === request.text && source.image_key === request.image_key;
    court.holds(isPair, 'INV-20', () => `paper ${request.paper_id} pairs text and image of different messages`);
  }
  // INV-19, D-1: newer content ends every older request of the paper, whosever it is.
  const passed = one<{ id: string; state: string }>(
    `select old.id, old.state from content_requests as old join content_requests as newer
       on newer.paper_id = old.paper_id and newer.sequence > old.sequence and newer.accepted_at is not null
     where old.state in ('accepted', 'active', 'closed')`,
  );
  court.holds(
    passed === undefined,
    'INV-19',
    () => `request ${passed?.id} is still ${passed?.state} beside newer content`,
  );
  const open = one<{ id: string; state: string }>(
    `select deliveries.id, deliveries.state from deliveries join content_requests on content_requests.id = request_id
     where content_requests.state in ('superseded', 'closed') and deliveries.state in ('pending', 'prepared')`,
  );
  court.holds(open === undefined, 'INV-21', () => `delivery ${open?.id} is ${open?.state}, its request is over`);
}
