/** The judge of a run: looks at every commit, every callback that starts, and the end. */
import type { Callback } from '../callbacks/send-callback.ts';
import type { Submission } from './backend.ts';
import { type Commit, type CommitLog, openCommitLog } from './commit-log.ts';
import type { Disk } from './disk.ts';
import type { FrameBody } from './frame-body.ts';
import { type GroundTruth, groundTruth } from './ground-truth.ts';
import { judgeCallbacks, judgeSending, type SendingConnection } from './judge-callbacks.ts';
import { judgeDeliveries } from './judge-deliveries.ts';
import { type JudgeEdges, judgeRequests, windowMs } from './judge-requests.ts';
import { uploadJudge } from './judge-uploads.ts';
import type { Court } from './verdict.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface Judge {
  readonly truth: GroundTruth;
  readonly rows: CommitLog['rows'];
  /** Every callback's body that was ever committed, by event id. */
  readonly written: ReadonlyMap<string, string>;
  /** Right after a commit. True when it holds a frame's word that it shows something. */
  committed(): boolean;
  /** An attempt of a callback begins. */
  sending(callback: Callback, eventId: string): void;
  /** Tells of every commit, at once after it was judged, until it is answered with true. */
  watch(sees: (commit: Commit) => boolean): void;
  tookWhole(path: string): void;
  /** Time leapt to this moment: what was begun before it ends after it. */
  leapt(): void;
  /** A look in between: what must have happened by now. */
  look(serviceIsUpSince: number | undefined): void;
}

/** A pass a half minute, and a second for its work (INV-44); where statements wait for the disk, as many as a pass may have. */
const latestCloseMs = 31_000;
const statementsOfPass = 30;
const keptMs = 30 * 86_400_000;
/** Any change has been seen by a pass, however slow the disk. */
export const settledMs = 120_000;

/** Opens the judge over a disk that nothing was written to. */
export function openJudge(edges: {
  readonly disk: Disk;
  readonly court: Court;
  readonly time: VirtualTime;
  readonly bodies: readonly FrameBody[];
  readonly submissions: () => Iterable<Submission>;
  readonly note: (what: string) => void;
  /** How long a statement may wait for the disk in this weather. */
  readonly longestStatementMs: () => number;
}): Judge {
  const { disk, court, time, note } = edges;
  const truth = groundTruth(edges.submissions, edges.bodies);
  const log = openCommitLog(disk.sqlite);
  let leaptAt = Number.NEGATIVE_INFINITY;
  const taken = new Set<string>();
  const written = new Map<string, string>();
  const watchers = new Set<(commit: Commit) => boolean>();
  const judging: JudgeEdges = {
    court,
    truth,
    hasImage: disk.files.has,
    hasPicture: disk.pictures.has,
    tookWhole: ({ path, serial, vouched_by: vouchedBy, picture_sha256: digest }) =>
      taken.has(path) || (vouchedBy !== null && taken.has(`${serial} ${digest}`)),
  };
  const judgeUploads = uploadJudge(judging);

  /** INV-37: a frame that shows another paper since then has no open delivery any more. */
  function lookAtLeavers(since: number): void {
    const stray = disk.sqlite
      .prepare(
        `select deliveries.serial from deliveries
           join content_requests on content_requests.id = request_id and content_requests.state = 'active'
           join devices on devices.id = device_id and devices.updated_at < ?
           where deliveries.state in ('pending', 'prepared') and deliveries.assignment <> devices.assignment`,
      )
      .get(since) as { serial: string } | undefined;
    court.holds(stray === undefined, 'INV-37', () => `${stray?.serial} has an open delivery of a paper that it left`);
  }

  return {
    truth,
    rows: log.rows,
    written,
    committed() {
      const commit = log.read(time.now());
      for (const { before, after } of commit.requests) {
        if (before?.state !== after?.state) note(`request ${after?.id ?? before?.id} ${after?.state ?? 'forgotten'}`);
      }
      for (const { before, after } of commit.deliveries) {
        if (before?.state !== after?.state) note(`delivery ${after?.serial} ${after?.request_id} ${after?.state}`);
      }
      for (const { after } of commit.events)
        if (after !== undefined && !written.has(after.id)) written.set(after.id, after.body);
      judgeRequests(judging, commit);
      judgeUploads(commit);
      judgeDeliveries(judging, commit);
      judgeCallbacks(court, commit);
      for (const sees of watchers) if (sees(commit)) watchers.delete(sees);
      return commit.uploads.some(
        ({ before, after }) => after?.shown_at !== before?.shown_at || after?.confirmed_at !== before?.confirmed_at,
      );
    },
    sending(_callback, eventId) {
      const event = log.rows.events.get(eventId);
      const connection = disk.sqlite
        .prepare(
          `select connections.*, users.role, papers.meta as paper_meta from connections
             left join users on users.id = user_id left join papers on papers.id = paper_id where connections.id = ?`,
        )
        .get(event?.connection_id ?? '') as SendingConnection | undefined;
      const changedNow = (table: 'papers' | 'users', id: string): boolean => log.changedAt(table, id) === time.now();
      judgeSending(court, { now: time.now(), leaptAt, changedNow }, event, connection);
    },
    watch: (sees) => void watchers.add(sees),
    tookWhole(path) {
      taken.add(path);
      const upload = disk.sqlite.prepare('select serial, picture_sha256 from uploads where path = ?').get(path) as
        | { serial: string; picture_sha256: string }
        | undefined;
      if (upload !== undefined) taken.add(`${upload.serial} ${upload.picture_sha256}`);
    },
    leapt() {
      leaptAt = time.now();
    },
    look(serviceIsUpSince) {
      const now = time.now();
      const slowMs = statementsOfPass * edges.longestStatementMs();
      for (const { id, state, accepted_at: acceptedAt } of log.rows.requests.values()) {
        if (state !== 'accepted' && state !== 'active') continue;
        const endsAt = Math.max((acceptedAt ?? now) + windowMs, serviceIsUpSince ?? now) + latestCloseMs + slowMs;
        court.holds(now <= endsAt, 'INV-44', () => `request ${id} should have been closed ${now - endsAt} ms ago`);
      }
      if (serviceIsUpSince !== undefined && now - serviceIsUpSince > settledMs) lookAtLeavers(now - settledMs);
      // T-47: reconnects, power losses and broken links of one honest device are no conflict.
      for (const serial of disk.sqlite.prepare('select serial from frame_conflicts').pluck().all() as string[]) {
        court.holds(!truth.isHonest(serial), 'T-47', () => `${serial} is one frame, and taken for two`);
      }
      // INV-01: what a sender was promised is there, whatever crashed since.
      for (const { requestId, messageId, sentAt } of edges.submissions()) {
        if (requestId === undefined || now - sentAt >= keptMs) continue;
        const state = log.rows.requests.get(requestId)?.state ?? 'missing';
        const isKept = state !== 'missing' && state !== 'receiving';
        court.holds(isKept, 'INV-01', () => `${messageId} was accepted as ${requestId}, which is ${state}`);
      }
    },
  };
}
