/** Promises that must be kept by now and that no commit shows: the judge looks for them from time to time. */

import type { PushedContent } from './compose-message.ts';
import type { GroundTruth } from './ground-truth.ts';
import { keptRequestMs, windowMs } from './judge-requests.ts';
import type { Checker } from './machine/checker.ts';
import type { CommitLog } from './machine/commit-log.ts';
import type { Disk } from './machine/disk.ts';
import type { VirtualTime } from './machine/virtual-time.ts';

interface LookDeps {
  readonly options: {
    readonly disk: Pick<Disk, 'sqlite'>;
    readonly checker: Checker;
    readonly time: VirtualTime;
    readonly submissions: () => Iterable<PushedContent>;
    readonly maxStatementMs: () => number;
  };
  readonly truth: GroundTruth;
  readonly log: CommitLog;
}

/**
 * A pass comes every half minute and has a second for its work (INV-44), besides the waits of its statements for the
 * disk.
 */
const latestCloseMs = 31_000;
const statementsOfPass = 30;

/** Checks all of it. */
export function lookAround(deps: LookDeps, serviceIsUpSince: number | undefined, settledMs: number): void {
  const now = deps.options.time.now();
  checkClosing(deps, now, serviceIsUpSince);
  if (serviceIsUpSince !== undefined && now - serviceIsUpSince > settledMs) checkLeavers(deps, now - settledMs);
  checkConflicts(deps);
  checkAccepted(deps, now);
}

/** Checks that every request whose window has ended was closed in time. */
function checkClosing({ log, options }: LookDeps, now: number, serviceIsUpSince: number | undefined): void {
  const slowMs = statementsOfPass * options.maxStatementMs();
  for (const { id, state, accepted_at: acceptedAt } of log.rows.requests.values()) {
    if (state !== 'accepted' && state !== 'active') continue;
    const endsAt = Math.max((acceptedAt ?? now) + windowMs, serviceIsUpSince ?? now) + latestCloseMs + slowMs;
    options.checker.holds(
      now <= endsAt,
      'INV-44',
      () => `request ${id} should have been closed ${now - endsAt} ms ago`,
    );
  }
}

/** Checks that a frame which has shown another paper since that moment has no open delivery any longer (INV-37). */
function checkLeavers({ options }: LookDeps, since: number): void {
  const stray = options.disk.sqlite
    .prepare(
      `select deliveries.serial from deliveries
         join content_requests on content_requests.id = request_id and content_requests.state = 'active'
         join devices on devices.id = device_id and devices.updated_at < ?
         where deliveries.state in ('pending', 'prepared') and deliveries.assignment <> devices.assignment`,
    )
    .get(since) as { serial: string } | undefined;
  options.checker.holds(
    stray === undefined,
    'INV-37',
    () => `${stray?.serial} has an open delivery of a paper that it left`,
  );
}

/** Checks that reconnects, power losses and broken links of one honest device are never taken for a conflict (T-47). */
function checkConflicts({ options, truth }: LookDeps): void {
  for (const serial of options.disk.sqlite.prepare('select serial from frame_conflicts').pluck().all() as string[]) {
    options.checker.holds(!truth.isHonest(serial), 'T-47', () => `${serial} is one frame, and taken for two`);
  }
}

/** Checks that every accepted message is still there, whatever crashed since (INV-01). */
function checkAccepted({ log, options }: LookDeps, now: number): void {
  for (const { requestId, messageId, sentAt } of options.submissions()) {
    if (requestId === undefined || now - sentAt >= keptRequestMs) continue;
    const state = log.rows.requests.get(requestId)?.state ?? 'missing';
    const isKept = state !== 'missing' && state !== 'receiving';
    options.checker.holds(isKept, 'INV-01', () => `${messageId} was accepted as ${requestId}, which is ${state}`);
  }
}
