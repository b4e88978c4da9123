/** Checks of the promises about deliveries at every commit; every `synced` is compared with the glass itself. */
import type { RequestRow } from '../../api/delivery-state/requests.ts';
import type { DeliveryRow, DeliveryState } from '../../api/delivery-state/states.ts';
import type { ConnectionRow } from '../../api/integration/connections.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import { isConfigured } from './judge-callbacks.ts';
import { type JudgeDeps, windowMs } from './judge-requests.ts';
import type { Change, Commit } from './machine/commit-log.ts';
import { contestedMs, provenBefore } from './proven-before.ts';

/**
 * The states that a delivery may move to from each state (INV-24), repeated here to be independent of the service's own
 * table.
 */
const transitions: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  pending: ['prepared', 'failed', 'superseded', 'inactive', 'unconfirmed'],
  prepared: ['synced', 'superseded', 'inactive', 'unconfirmed'],
  synced: [],
  superseded: [],
  inactive: [],
  failed: [],
  unconfirmed: [],
};
const attemptsBeforeFailure = 4;
/** This is longer than any claim of an attempt: a delivery that waits longer was lost with its process. */
const maxWaitMs = 600_000;

/** Checks what a commit did to deliveries. */
export function judgeDeliveries(judge: JudgeDeps, commit: Commit): void {
  for (const change of commit.deliveries) judgeOne(judge, commit, change);
  for (const change of commit.requests) judgeLeavers(judge, commit, change);
}

/** Checks that a pass over a request has ended the deliveries of frames that show another paper (INV-37). */
function judgeLeavers(
  { checker, clockErrorMs }: JudgeDeps,
  commit: Commit,
  { before, after }: Change<RequestRow>,
): void {
  if (after?.state !== 'active' || before?.due_at === after.due_at) return;
  if ((after.due_at ?? 0) <= commit.now + clockErrorMs) return;
  const left = commit
    .all<DeliveryRow>("select * from deliveries where request_id = ? and state in ('pending', 'prepared')", after.id)
    .find((delivery) => !isAssigned(commit, delivery) && !movedNow(commit, delivery));
  checker.holds(left === undefined, 'INV-37', () => `${left?.serial} left the paper and is still ${left?.state}`);
}

function judgeOne(judge: JudgeDeps, commit: Commit, { before, after, moves }: Change<DeliveryRow>): void {
  const { checker, clockErrorMs } = judge;
  const { now, one } = commit;
  const request = one<RequestRow>('select * from content_requests where id = ?', (after ?? before)?.request_id);
  if (after === undefined) {
    checker.holds(request === undefined, 'INV-71', () => `delivery ${before?.id} is gone before its request`);
    return;
  }
  if (request === undefined) return;
  const { id, attempts } = after;
  checker.holds(attempts <= attemptsBeforeFailure, 'INV-28', () => `delivery ${id} has ${attempts} attempts`);
  const isLeft = after.due_at !== null && after.due_at > now + maxWaitMs;
  checker.holds(!isLeft, 'INV-28', () => `delivery ${id} is not looked at again for ${after.due_at} ms`);
  for (const { from, to } of moves) {
    const allowed = from === null ? to === 'pending' : transitions[from as DeliveryState].includes(to as DeliveryState);
    const rule = from !== null && isFinal(from) ? (to === 'synced' ? 'INV-27' : 'INV-25') : 'INV-24';
    checker.holds(allowed, rule, () => `delivery ${id} moved from ${from} to ${to}`);
  }
  if (before === undefined) {
    const isInTime = after.created_at <= (request.accepted_at ?? 0) + windowMs + clockErrorMs;
    const isOpen = ['active', 'accepted'].includes(request.state) || commit.hasTouched('content_requests', request.id);
    checker.holds(isInTime && isOpen, 'INV-36', () => `delivery ${id} was created for a request that is over`);
  } else if (before.state !== after.state) judgeArrival(judge, commit, request, after);
}

const isFinal = (state: string): boolean => transitions[state as DeliveryState].length === 0;

/** Checks what must hold for a delivery to have its new state. */
function judgeArrival(judge: JudgeDeps, commit: Commit, request: RequestRow, delivery: DeliveryRow): void {
  const { checker, clockErrorMs } = judge;
  const { now, one } = commit;
  const { id } = delivery;
  checker.holds(
    request.state !== 'revoked' || commit.hasTouched('content_requests', request.id),
    'INV-53',
    () => `delivery ${id} of a revoked request moved to ${delivery.state}`,
  );
  switch (delivery.state) {
    case 'prepared':
      judgePrepared(judge, commit, request, delivery);
      return;
    case 'synced':
      judgeSynced(judge, commit, request, delivery);
      return;
    case 'failed':
      checker.holds(
        delivery.attempts === attemptsBeforeFailure,
        'INV-28',
        () => `delivery ${id} failed after ${delivery.attempts} attempts`,
      );
      return;
    case 'superseded':
      checker.holds(request.state === 'superseded', 'INV-31', () => `delivery ${id} is superseded, its request is not`);
      return;
    case 'inactive':
      checker.holds(
        !isAssigned(commit, delivery) || movedNow(commit, delivery),
        'INV-37',
        () => `delivery ${id} is inactive, but its frame shows the paper`,
      );
      return;
    case 'unconfirmed': {
      const endsAt = (request.accepted_at ?? 0) + windowMs;
      checker.holds(
        now >= endsAt - clockErrorMs,
        'INV-47',
        () => `delivery ${id} was given up ${endsAt - now} ms early`,
      );
      const upload =
        delivery.upload_id === null
          ? undefined
          : one<UploadRow>('select * from uploads where id = ?', delivery.upload_id);
      const isProven = upload !== undefined && provenBefore(commit, upload, endsAt - clockErrorMs);
      checker.holds(!isProven, 'INV-45', () => `delivery ${id} was given up although its proof came in time`);
      return;
    }
    case 'pending':
      return;
  }
}

/**
 * Checks that the offer exists, and that everything that allowed it holds at the moment of this commit (INV-30). A row
 * that this commit changed is left out, because it may have changed after the offer.
 */
function judgePrepared({ checker }: JudgeDeps, commit: Commit, request: RequestRow, delivery: DeliveryRow): void {
  const { one } = commit;
  const upload = one<UploadRow>('select * from uploads where id = ?', delivery.upload_id);
  const isOffered = upload?.revision === request.id && upload.serial === delivery.serial;
  checker.holds(isOffered, 'INV-34', () => `delivery ${delivery.id} is prepared without an offer of its content`);
  const source = one<{ request_id: string }>(
    'select request_id from paper_contents where paper_id = ?',
    request.paper_id,
  );
  const connection = one<ConnectionRow>('select * from connections where id = ?', request.connection_id);
  const member = one<{ role: string }>('select role from users where id = ?', connection?.user_id);
  checker.holds(
    commit.hasTouched('users', connection?.user_id ?? null) || member?.role === 'admin' || member?.role === 'user',
    'INV-30',
    () => `delivery ${delivery.id} was offered for somebody who may no longer connect`,
  );
  const isActive =
    commit.hasTouched('connections', request.connection_id) ||
    (connection?.generation === request.generation && connection.revoked_at === null);
  checker.holds(isActive, 'INV-30', () => `delivery ${delivery.id} was offered for a connection that ended`);
  checker.holds(
    source?.request_id === request.id,
    'INV-30',
    () => `delivery ${delivery.id} was offered content that is no longer the source`,
  );
  checker.holds(
    isAssigned(commit, delivery) || movedNow(commit, delivery),
    'INV-30',
    () => `delivery ${delivery.id} was offered to a frame that shows another paper`,
  );
  const paper = one<{ meta: string }>('select meta from papers where id = ?', request.paper_id);
  const isUnchanged =
    commit.hasTouched('papers', request.paper_id) ||
    (connection !== undefined && isConfigured(connection, paper?.meta ?? null));
  checker.holds(isUnchanged, 'INV-30', () => `delivery ${delivery.id} was offered for a changed integration`);
}

/** Checks that the glass showed exactly this content at some moment since it was accepted (INV-43). */
function judgeSynced(
  { checker, truth, clockErrorMs, restoredAt }: JudgeDeps,
  commit: Commit,
  request: RequestRow,
  delivery: DeliveryRow,
): void {
  const sent = truth.submission(request);
  const device = commit.one<{ kind: string }>('select kind from devices where id = ?', delivery.device_id);
  if (sent === undefined || device === undefined) return;
  const digest = truth.pictureOf(sent, device.kind);
  const since = (request.accepted_at ?? request.created_at) - clockErrorMs;
  const showed = truth.showed(delivery.serial, digest, since);
  const conflict = commit.one<{ since: number }>('select since from frame_conflicts where serial = ?', delivery.serial);
  const sinceMs = commit.now - (conflict?.since ?? commit.now);
  const isContested = clockErrorMs < sinceMs && sinceMs < contestedMs - clockErrorMs;
  const isDoubled = truth.isDoubled(delivery.serial);
  // Until something reveals that there are two devices, the service takes them for one.
  checker.holds(!(isDoubled && isContested), 'T-47', () => `${delivery.serial} is synced while two claim it`);
  checker.holds(
    showed || isDoubled || truth.isBlind(delivery.serial),
    'INV-43',
    () => `${delivery.serial} is said to show ${request.message_id}, but its glass never did`,
  );
  checker.holds(
    truth.showed(delivery.serial, digest, Math.max(since, restoredAt())) || !truth.isHonest(delivery.serial),
    'INV-91',
    () => `${delivery.serial} is said to show ${request.message_id}, and has not since the restore`,
  );
  // A commit may hold the work of several callers: a picture that it offers may have been offered after this delivery
  // was synced.
  const newest = commit
    .all<UploadRow>(
      'select * from uploads where serial = ? order by offered_at desc, file_version desc',
      delivery.serial,
    )
    .find(
      ({ id }) =>
        id === delivery.upload_id ||
        !commit.uploads.some(({ before, after }) => before === undefined && after?.id === id),
    );
  checker.holds(
    newest?.id === delivery.upload_id,
    'INV-39',
    () => `delivery ${delivery.id} is synced although something else was offered since`,
  );
}

/** Returns whether the frame still shows the paper, in its organization and since the same assignment (INV-36). */
function isAssigned({ one }: Commit, delivery: DeliveryRow): boolean {
  const device = one(
    `select devices.id from devices join papers on papers.id = devices.paper_id
       and papers.organization_id = devices.organization_id
     where devices.id = ? and devices.paper_id = ? and devices.assignment = ?`,
    ...[delivery.device_id, delivery.paper_id, delivery.assignment],
  );
  return device !== undefined;
}

/** Returns whether the same commit, which may hold the work of several callers, changed the frame's device. */
function movedNow(commit: Commit, delivery: DeliveryRow): boolean {
  return commit.hasTouched('devices', delivery.device_id);
}
