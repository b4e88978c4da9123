/** Checks of the promises about requests and about the content of papers, at every commit. */
import type { RequestRow } from '../../api/delivery-state/requests.ts';
import type { RequestState } from '../../api/delivery-state/states.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { GroundTruth } from './ground-truth.ts';
import type { Checker } from './machine/checker.ts';
import type { Change, Commit } from './machine/commit-log.ts';

/** The dependencies of the checks, besides the commit. */
export interface JudgeDeps {
  readonly checker: Checker;
  readonly truth: GroundTruth;
  /** Returns whether an image is stored that rows may name; `hasPicture` does the same for pictures. */
  readonly hasImage: (name: string) => boolean;
  readonly hasPicture: (name: string) => boolean;
  /**
   * Returns whether a frame took every byte of this upload, or of the same file under an earlier upload that attests to
   * it.
   */
  readonly tookWhole: (upload: UploadRow) => boolean;
  /** How far the clocks of nodes may be from the database's; nothing where one process has one clock. */
  readonly clockErrorMs: number;
  /** The moment of the last restore: nothing that a frame showed before it proves anything after it. */
  readonly restoredAt: () => number;
}

/**
 * The states that a request may move to from each state, repeated here to be independent of the service's own table.
 */
const transitions: Readonly<Record<RequestState, readonly RequestState[]>> = {
  receiving: ['accepted', 'superseded', 'revoked'],
  accepted: ['active', 'superseded', 'closed', 'revoked'],
  active: ['superseded', 'closed', 'revoked'],
  closed: ['superseded'],
  superseded: [],
  revoked: [],
};

/** The window in which the service observes whether a request's content is shown. */
export const windowMs = 48 * 3_600_000;
/** The service keeps requests and their message ids for this long (INV-71). */
export const keptRequestMs = 30 * 86_400_000;

/** Checks what a commit did to requests. */
export function judgeRequests(judge: JudgeDeps, commit: Commit): void {
  for (const change of commit.requests) {
    judgeMove(judge, commit, change);
    if (change.after !== undefined) judgeContent(judge, change.after);
  }
  if (commit.requests.length > 0) judgeSources(judge, commit);
}

function judgeMove(
  { checker, clockErrorMs }: JudgeDeps,
  { now, one }: Commit,
  { before, after, moves }: Change<RequestRow>,
): void {
  if (after === undefined) {
    const isOld = before !== undefined && before.created_at <= now - keptRequestMs + clockErrorMs;
    checker.holds(isOld, 'INV-71', () => `request ${before?.id} is gone before its 30 days`);
    return;
  }
  for (const { from, to } of moves) {
    // A message without an image has no file to wait for: its request is created and accepted at once.
    const begins = to === 'receiving' || (to === 'accepted' && after.image_key === null);
    const allowed = from === null ? begins : transitions[from as RequestState].includes(to as RequestState);
    checker.holds(allowed, 'INV-24', () => `request ${after.id} moved from ${from} to ${to}`);
  }
  const isOpen = after.state === 'accepted' || after.state === 'active';
  checker.holds(!isOpen || after.due_at !== null, 'INV-48', () => `open request ${after.id} is never looked at again`);
  const endsAt = (after.accepted_at ?? 0) + windowMs;
  const isClosed = moves.some(({ to }) => to === 'closed');
  checker.holds(
    !isClosed || now >= endsAt - clockErrorMs,
    'INV-47',
    () => `request ${after.id} was closed ${endsAt - now} ms early`,
  );
  if (before !== undefined) {
    checker.holds(before.sequence === after.sequence, 'INV-16', () => `request ${after.id} changed its place`);
    return;
  }
  const larger = one(
    'select id from content_requests where paper_id = ? and sequence >= ? and id <> ? and created_at < ?',
    ...[after.paper_id, after.sequence, after.id, after.created_at - clockErrorMs],
  );
  checker.holds(
    larger === undefined,
    'INV-16',
    () => `request ${after.id} draws a place that was passed: ${after.sequence}`,
  );
}

/** Checks that the content is what its sender sent, and that its image is stored. */
function judgeContent({ checker, truth, hasImage }: JudgeDeps, row: RequestRow): void {
  const sent = truth.submission(row);
  if (sent === undefined) {
    checker.holds(false, 'INV-10', () => `request ${row.id} is a message that nobody sent: ${row.message_id}`);
    return;
  }
  checker.holds(row.text === sent.content.text, 'INV-20', () => `request ${row.id} holds another text`);
  if (row.state === 'receiving' || row.accepted_at === null) return;
  const key = sent.content.imageKey ?? null;
  checker.holds(row.image_key === key, 'INV-10', () => `request ${row.id} was accepted without its own image`);
  checker.holds(key === null || hasImage(key), 'INV-03', () => `the image of request ${row.id} is not stored`);
}

/** The current content of a paper. */
interface Source {
  readonly paper_id: string;
  readonly request_id: string;
  readonly sequence: number;
  readonly text: string;
  readonly image_key: string | null;
}

/** Checks that each paper shows its newest accepted message, text and image together, and that older ones are over. */
function judgeSources({ checker }: JudgeDeps, { all, one }: Commit): void {
  const newest = all<RequestRow>(
    `select * from content_requests as r where accepted_at is not null and sequence =
       (select max(sequence) from content_requests where paper_id = r.paper_id and accepted_at is not null)`,
  );
  for (const request of newest) {
    const source = one<Source>('select * from paper_contents where paper_id = ?', request.paper_id);
    const isIt = source !== undefined && (source.request_id === request.id || source.sequence > request.sequence);
    checker.holds(
      isIt,
      'INV-15',
      () => `paper ${request.paper_id} shows ${source?.request_id}, not the newest ${request.id}`,
    );
    if (source?.request_id !== request.id) continue;
    const isPair = source.text === request.text && source.image_key === request.image_key;
    checker.holds(isPair, 'INV-20', () => `paper ${request.paper_id} pairs text and image of different messages`);
  }
  // Newer content ends every older request of the paper, whichever connection pushed it (INV-19).
  const passed = one<{ id: string; state: string }>(
    `select old.id, old.state from content_requests as old join content_requests as newer
       on newer.paper_id = old.paper_id and newer.sequence > old.sequence and newer.accepted_at is not null
     where old.state in ('accepted', 'active', 'closed')`,
  );
  checker.holds(
    passed === undefined,
    'INV-19',
    () => `request ${passed?.id} is still ${passed?.state} although there is newer content`,
  );
  const open = one<{ id: string; state: string }>(
    `select deliveries.id, deliveries.state from deliveries join content_requests on content_requests.id = request_id
     where content_requests.state in ('superseded', 'closed') and deliveries.state in ('pending', 'prepared')`,
  );
  checker.holds(open === undefined, 'INV-21', () => `delivery ${open?.id} is ${open?.state}, its request is over`);
}
