/**
 * The judge of a run: it checks every commit, every callback that starts, and now and then what must have happened by
 * then.
 */

import type { FrameBody } from './bodies/device.ts';
import type { PushedContent } from './compose-message.ts';
import { type GroundTruth, groundTruth } from './ground-truth.ts';
import { judgeCallbacks, judgeSending, type SendingConnection } from './judge-callbacks.ts';
import { type DeadlineJudge, deadlineJudge } from './judge-deadlines.ts';
import { judgeDeliveries } from './judge-deliveries.ts';
import { lookAround } from './judge-looks.ts';
import { type NodeJudge, openNodeJudge } from './judge-nodes.ts';
import { type OfflineFirmwareJudge, offlineFirmwareJudge } from './judge-offline-firmware.ts';
import { type PolledJudge, polledJudge } from './judge-polled.ts';
import { type JudgeDeps, judgeRequests } from './judge-requests.ts';
import { type TimesJudge, timesJudge } from './judge-times.ts';
import { uploadJudge } from './judge-uploads.ts';
import type { Checker } from './machine/checker.ts';
import { type Commit, type CommitLog, noteMoves, openCommitLog } from './machine/commit-log.ts';
import type { Disk } from './machine/disk.ts';
import type { SimulatedProcess } from './machine/process.ts';
import { type SessionWitness, sessionWitness } from './machine/session-witness.ts';
import type { VirtualTime } from './machine/virtual-time.ts';

/** Checks the promises of one run. */
export interface Judge
  extends Pick<NodeJudge, 'watchNodes' | 'didSingleTask' | 'sent'>,
    Pick<TimesJudge, 'history'>,
    Pick<PolledJudge, 'slept'>,
    Pick<OfflineFirmwareJudge, 'answered'>,
    Pick<DeadlineJudge, 'watchUptime'> {
  readonly sessions: SessionWitness;
  readonly truth: GroundTruth;
  readonly rows: CommitLog['rows'];
  /** The body of every callback that was ever committed, by event id. */
  readonly written: ReadonlyMap<string, string>;
  /** Is called right after a commit. Returns true when the commit holds a frame's report that it shows something. */
  committed(): boolean;
  /** Is called when an attempt of a callback begins. */
  sending(eventId: string, process: SimulatedProcess, askedAt: number): void;
  /** Calls `onCommit` right after each commit was judged, until it returns true. */
  watch(onCommit: (commit: Commit) => boolean): void;
  /** Is called when a frame has every byte of the file at this path. */
  tookWhole(path: string): void;
  /** Is called after a leap: what began before this moment ends after it. */
  leapt(): void;
  /** The number of backups that were restored. */
  readonly restores: () => number;
  /** Is called when a backup is in the place of everything: what was accepted and proven since is gone. */
  restored(): void;
  /** Checks what must have happened by now, which no commit shows. */
  look(serviceIsUpSince: number | undefined): void;
}

interface JudgeOptions {
  readonly disk: Disk;
  readonly checker: Checker;
  readonly time: VirtualTime;
  readonly bodies: readonly FrameBody[];
  readonly submissions: () => Iterable<PushedContent>;
  /** Returns what was sent under an id, the oldest first. */
  readonly sentAs: (messageId: string) => readonly PushedContent[];
  readonly note: (what: string) => void;
  /** The longest time that a statement may wait for the disk under the faults of the moment. */
  readonly maxStatementMs: () => number;
  /** How far the clocks of nodes may be from the database's; nothing where one process has one clock. */
  readonly clockErrorMs: number;
}

/** Everything that a judge remembers of its run. */
interface JudgeState {
  readonly options: JudgeOptions;
  readonly truth: GroundTruth;
  readonly log: CommitLog;
  /** Paths that a frame took every byte of, and `SERIAL DIGEST` of the pictures behind them. */
  readonly taken: Set<string>;
  readonly written: Map<string, string>;
  readonly watchers: Set<(commit: Commit) => boolean>;
  readonly judging: JudgeDeps;
  readonly judgeUploads: (commit: Commit) => void;
  readonly times: TimesJudge;
  readonly polled: PolledJudge;
  readonly offline: OfflineFirmwareJudge;
  readonly deadlines: DeadlineJudge;
  leaptAt: number;
  restoredAt: number;
  /** True from a restore to the commit in which a start takes up from it. */
  isRestored: boolean;
  restores: number;
}

/** After this long a pass has seen any change, however slow the disk is. */
export const settledMs = 120_000;

/** Opens the judge over a disk that nothing was written to. */
export function openJudge(options: JudgeOptions): Judge {
  const judge = judgeStateOf(options);
  const nodes = openNodeJudge({ ...options, one: judge.log.one });
  const witness = sessionWitness({
    checker: options.checker,
    now: options.time.now,
    clockErrorMs: options.clockErrorMs,
    isHonest: judge.truth.isHonest,
  });
  return {
    truth: judge.truth,
    rows: judge.log.rows,
    written: judge.written,
    committed: () => committed(judge, witness),
    sessions: witness,
    history: judge.times.history,
    slept(body, wasWell) {
      judge.polled.slept(body, wasWell);
      judge.offline.slept(body);
    },
    answered: judge.offline.answered,
    watchNodes: nodes.watchNodes,
    didSingleTask: nodes.didSingleTask,
    sent: nodes.sent,
    sending(eventId, process, askedAt) {
      nodes.sending(eventId, process, askedAt);
      sending(judge, eventId);
    },
    watch: (onCommit) => void judge.watchers.add(onCommit),
    tookWhole: (path) => tookWhole(judge, path),
    leapt() {
      judge.leaptAt = options.time.now();
    },
    restores: () => judge.restores,
    watchUptime: judge.deadlines.watchUptime,
    look(serviceIsUpSince) {
      lookAround(judge, serviceIsUpSince, settledMs);
      judge.deadlines.look(settledMs);
    },
    restored() {
      judge.log.reload();
      judge.restoredAt = options.time.now();
      judge.isRestored = true;
      judge.restores++;
      judge.times.restored(judge.log.rows.uploads.values());
      judge.deadlines.restored();
    },
  };
}

function judgeStateOf(options: JudgeOptions): JudgeState {
  const { disk, checker, sentAs, bodies } = options;
  const truth = groundTruth(sentAs, bodies);
  const taken = new Set<string>();
  const log = openCommitLog(disk.sqlite);
  const judging: JudgeDeps = {
    checker,
    truth,
    clockErrorMs: options.clockErrorMs,
    restoredAt: () => state.restoredAt,
    hasImage: disk.files.has,
    hasPicture: disk.pictures.has,
    tookWhole: ({ path, serial, vouched_by: attestedBy, picture_sha256: digest }) =>
      taken.has(path) || (attestedBy !== null && taken.has(`${serial} ${digest}`)),
  };
  const state: JudgeState = {
    options,
    truth,
    log,
    taken,
    written: new Map(),
    watchers: new Set(),
    judging,
    judgeUploads: uploadJudge(judging),
    times: timesJudge(judging),
    polled: polledJudge(judging, bodies, options.time.now),
    offline: offlineFirmwareJudge(judging, { bodies, uploads: log.rows.uploads, now: options.time.now }),
    deadlines: deadlineJudge(judging, log.rows, options),
    leaptAt: Number.NEGATIVE_INFINITY,
    restoredAt: Number.NEGATIVE_INFINITY,
    isRestored: false,
    restores: 0,
  };
  return state;
}

function committed(judge: JudgeState, witness: SessionWitness): boolean {
  const { judging, watchers, written, options } = judge;
  const commit = judge.log.read(options.time.now());
  noteMoves(options.note, commit);
  for (const { after } of commit.events) {
    if (after !== undefined && !written.has(after.id)) written.set(after.id, after.body);
  }
  judgeRequests(judging, commit);
  witness.committed(commit);
  judge.judgeUploads(commit);
  judge.times.committed(commit);
  if (judge.isRestored && !options.disk.isRestored()) {
    // Every picture is announced again in this commit, those that are proven among them.
    judge.isRestored = false;
    judge.polled.restored();
  } else {
    judge.polled.committed(commit);
    judge.offline.committed(commit);
  }
  judge.deadlines.committed(commit);
  judgeDeliveries(judging, commit);
  judgeCallbacks(judging, commit);
  for (const onCommit of watchers) if (onCommit(commit)) watchers.delete(onCommit);
  return commit.uploads.some(
    ({ before, after }) =>
      after?.showing_of === null &&
      (after.shown_at !== before?.shown_at || after.confirmed_at !== before?.confirmed_at),
  );
}

function sending({ log, leaptAt, options }: JudgeState, eventId: string): void {
  const { checker, time } = options;
  const event = log.rows.events.get(eventId);
  const connection = log.one<SendingConnection>(
    `select connections.*, users.role, papers.meta as paper_meta from connections
       left join users on users.id = user_id left join papers on papers.id = paper_id where connections.id = ?`,
    event?.connection_id ?? '',
  );
  const { clockErrorMs } = options;
  const changedNow = (table: 'papers' | 'users' | 'connections', id: string): boolean =>
    log.changedAt(table, id) === time.now();
  judgeSending(checker, { now: time.now(), leaptAt, changedNow, clockErrorMs }, event, connection);
}

function tookWhole({ log, taken }: JudgeState, path: string): void {
  taken.add(path);
  const sql = 'select serial, picture_sha256 from uploads where path = ?';
  const upload = log.one<{ serial: string; picture_sha256: string }>(sql, path);
  if (upload !== undefined) taken.add(`${upload.serial} ${upload.picture_sha256}`);
}
