/**
 * Checks of the promises about deadlines, by the truth of the glass and by arithmetic of their own: none is met without a proof, and
 * none is missed without having been foretold at the moment at which it became unavoidable (DL-12, DL-13, DL-15, DL-24).
 */
import type { OccurrenceRow } from '../../api/deadlines/deadline-rows.ts';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import type { FrameRow } from '../../gateway/frames/registry.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { JudgeDeps } from './judge-requests.ts';
import type { Change, Commit, CommitLog } from './machine/commit-log.ts';
import type { VirtualTime } from './machine/virtual-time.ts';

/** The judge of deadlines. */
export interface DeadlineJudge {
  /** Checks what a commit did to days of deadlines. */
  committed(commit: Commit): void;
  /** Checks that what was due before this long was settled. */
  look(settledMs: number): void;
  /** Makes this the moment since which the service has been running; undefined while it is away. */
  watchUptime(upSince: () => number | undefined): void;
  /** Begins again with the rows of a backup. */
  restored(): void;
}

interface DeadlineJudgeOptions {
  readonly time: Pick<VirtualTime, 'now'>;
  /** The longest time that a statement may wait for the disk under the faults of the moment. */
  readonly maxStatementMs: () => number;
}

/** A look reads, judges and writes so many statements at most that wait for the disk, and holds all else up for a moment. */
const statementsOfLook = 40;
const momentMs = 10_000;
/** A frame that was sent a picture is on the air for so long, besides drawing. */
const radioMs = 15_000;
const openStates: readonly string[] = ['planned', 'at-risk', 'unavoidable'];
const provenStates: readonly string[] = ['met', 'met-late'];

/** The memory of a day of a deadline. Times are epoch milliseconds. */
interface WatchedDay {
  round: number;
  /** The moment from which on the present picture is wanted, by this frame of this paper as they are. */
  since: number;
  readonly paperId: string | null;
  /** Since when its frame sleeps beyond the time; undefined while it does not. */
  sleepsThroughSince: number | undefined;
}

/** Everything that the judge knows and remembers. */
interface JudgeState extends Pick<JudgeDeps, 'checker' | 'truth' | 'clockErrorMs'>, DeadlineJudgeOptions {
  readonly rows: CommitLog['rows'];
  readonly days: Map<string, WatchedDay>;
  /** When a frame was last offered something that it has yet to take, by serial. */
  readonly offered: Map<string, number>;
  upSince: () => number | undefined;
}

/** Opens the judge. */
export function deadlineJudge(deps: JudgeDeps, rows: CommitLog['rows'], options: DeadlineJudgeOptions): DeadlineJudge {
  const { checker, truth, clockErrorMs } = deps;
  const { time } = options;
  const [days, offered] = [new Map<string, WatchedDay>(), new Map<string, number>()];
  const state = { rows, days, offered, upSince: () => undefined };
  const judge: JudgeState = { checker, truth, clockErrorMs, ...options, ...state };
  return {
    committed(commit) {
      if (rows.occurrences.size === 0 && commit.occurrences.length === 0) return;
      for (const change of commit.uploads) {
        if (losesTaken(change)) offered.set((change.after ?? change.before)?.serial ?? '', commit.now);
      }
      for (const row of rows.occurrences.values()) followFrame(judge, commit, row);
      for (const change of commit.occurrences) judgeDay(judge, commit, change);
    },
    look(settledMs) {
      const [now, up] = [time.now(), judge.upSince()];
      if (up === undefined || up > now - settledMs) return;
      for (const { id, by_at: by, state, due_at: due } of rows.occurrences.values()) {
        const isSettled = due === null || by > now - settledMs || !openStates.includes(state);
        checker.holds(isSettled, 'DL-15', () => `the time of ${id} was ${now - by} ms ago, and it is ${state}`);
      }
    },
    watchUptime(since) {
      judge.upSince = since;
    },
    restored() {
      days.clear();
      offered.clear();
    },
  };
}

function judgeDay(judge: JudgeState, commit: Commit, { before, after }: Change<OccurrenceRow>): void {
  const { days } = judge;
  if (after === undefined) return void (before && days.delete(before.id));
  const isOther = before?.round !== after.round;
  if (isOther || !days.has(after.id)) {
    const deadline = commit.one<{ paper_id: string | null }>(
      'select paper_id from deadlines where id = ?',
      after.deadline_id,
    );
    const paperId = deadline?.paper_id ?? null;
    days.set(after.id, { round: after.round, since: commit.now, paperId, sleepsThroughSince: undefined });
  }
  if (isOther || before.state !== after.state) judgeState(judge, commit, after);
  if (after.will_miss_at !== null && (isOther || before.will_miss_at !== after.will_miss_at))
    judgeTold(judge, commit, after);
}

function judgeState(judge: JudgeState, commit: Commit, row: OccurrenceRow): void {
  const { checker, clockErrorMs } = judge;
  if (provenStates.includes(row.state)) judgeProof(judge, commit, row);
  if (row.state !== 'missed' && row.state !== 'unavoidable') return;
  const sql = `select at from deadline_events where occurrence_id = ? and round = ? and kind = 'deadline.will-miss'`;
  const told = commit.one<{ at: number }>(sql, row.id, row.round);
  const isTold = told !== undefined && row.will_miss_at !== null && told.at <= commit.now + clockErrorMs;
  checker.holds(isTold, 'DL-24', () => `${row.id} is ${row.state}, and nobody was notified that it will be missed`);
  const isHonest = told === undefined || told.at <= row.by_at || row.foreseeable === 0;
  checker.holds(isHonest, 'DL-24', () => `${row.id} counts as foreseen, which was said after its time`);
}

/** By the glass: the very picture was there when it counts as proven. */
function judgeProof(judge: JudgeState, commit: Commit, row: OccurrenceRow): void {
  const { checker, truth, clockErrorMs } = judge;
  const { id, serial, by_at: by, proof_at: provenAt, upload_id, state } = row;
  const upload = commit.one<UploadRow>('select * from uploads where id = ?', upload_id);
  const isInTime = provenAt !== null && (state === 'met' ? provenAt <= by : provenAt > by);
  checker.holds(isInTime, 'DL-13', () => `${id} by ${by} is ${state} by a proof of ${provenAt}`);
  checker.holds(
    // Behind the revision of a page stands the edition of its paper.
    upload !== undefined && upload.serial === serial && upload.revision === row.wanted?.split(' ')[0],
    'DL-24',
    () => `${id} is ${state} by ${upload?.revision}, and wants ${row.wanted}`,
  );
  if (upload === undefined || serial === null || !truth.isHonest(serial)) return;
  const digest = wantedDigest(judge, commit, row) ?? upload.picture_sha256;
  const since = (upload.announced_at ?? upload.offered_at) - clockErrorMs;
  checker.holds(
    truth.showed(serial, digest, since, (provenAt ?? commit.now) + clockErrorMs),
    'DL-24',
    () => `${id} is ${state} since ${provenAt}, and the glass of ${serial} did not show it by then`,
  );
}

/** The digest of the picture of the content that is wanted, as its sender composed it. */
function wantedDigest(judge: JudgeState, commit: Commit, { wanted, device_id }: OccurrenceRow): string | undefined {
  const { rows, truth } = judge;
  const request = rows.requests.get(wanted ?? '');
  const sent = request === undefined ? undefined : truth.submission(request);
  const device = commit.one<{ kind: string }>('select kind from devices where id = ?', device_id);
  return sent === undefined || device === undefined ? undefined : truth.pictureOf(sent, device.kind);
}

/** Notes when a frame sleeps beyond the time of a deadline, as it is known: from then on nothing is to be hoped for. */
function followFrame(judge: JudgeState, commit: Commit, row: OccurrenceRow): void {
  const { days, truth } = judge;
  const day = days.get(row.id);
  if (day === undefined) return;
  if (needsMore(commit, day, row)) day.since = commit.now;
  const isOpen = row.due_at !== null && commit.now <= row.by_at && !provenStates.includes(row.state);
  const frame = isOpen && row.serial !== null ? frameOf(commit, row.serial) : undefined;
  const isAsleep = frame !== undefined && truth.sleeps(frame.serial) && (frame.asleep_until ?? 0) > row.by_at;
  if (!isAsleep) day.sleepsThroughSince = undefined;
  else day.sleepsThroughSince ??= Math.max(commit.now, knownAsleep(frame));
}

/**
 * Whether a commit makes more due in the same round than before: another frame hangs there, or the picture that the frame
 * had taken, so that only its proof was awaited, is not the one any longer: its page is to be drawn again, or its frame is
 * to show something else. Whatever still has to be taken is not farther away by such a change.
 */
function needsMore(commit: Commit, { paperId }: WatchedDay, { device_id, serial }: OccurrenceRow): boolean {
  const isOfDevice = commit.hasTouched('devices', device_id);
  if (!isOfDevice && !commit.hasTouched('papers', paperId)) return false;
  const device = commit.one<Pick<OccurrenceRow, 'serial'>>('select serial from devices where id = ?', device_id);
  if (device?.serial !== serial) return true;
  return newestUpload(commit, serial)?.fetched_at != null;
}

const newestUpload = (commit: Commit, serial: string | null): UploadRow | undefined =>
  commit.one<UploadRow>('select * from uploads where serial = ? order by offered_at desc, id desc limit 1', serial);

/** Whether a change of an upload leaves its frame with something that it has yet to take. */
const losesTaken = ({ before, after }: Change<UploadRow>): boolean =>
  after === undefined || before === undefined || (before.fetched_at !== null && after.fetched_at === null);

/** Checks that a miss was foretold when it became unavoidable: at the latest when there was no time left for drawing. */
function judgeTold(judge: JudgeState, commit: Commit, row: OccurrenceRow): void {
  const { checker, days, offered, upSince, maxStatementMs, clockErrorMs } = judge;
  const { id, serial, by_at: by, will_miss_at: toldAt, state } = row;
  const frame = serial === null ? undefined : frameOf(commit, serial);
  const day = days.get(id);
  if (day === undefined || frame === undefined || toldAt === null) return;
  const reachable = Math.max(day.since, upSince() ?? commit.now, offered.get(frame.serial) ?? 0);
  const isFetched = hasTakenWanted(commit, row);
  const isTaken = state === 'shown-unproven' || isFetched;
  const tooLateSince = isTaken ? by : by - drawMsOf(frame);
  const unavoidableAt = Math.min(day.sleepsThroughSince ?? Number.POSITIVE_INFINITY, tooLateSince);
  const maxMs = momentMs + statementsOfLook * maxStatementMs() + clockErrorMs;
  const lateMs = toldAt - Math.max(unavoidableAt, reachable);
  checker.holds(
    lateMs <= maxMs,
    'DL-12',
    () => `${id} by ${by} was unavoidable from ${unavoidableAt} on, and that was said ${lateMs} ms later`,
  );
  if (day.sleepsThroughSince !== undefined && toldAt <= by) judgeForeseen(judge, row, { frame, day, isFetched });
}

/** Whether the frame has the wanted picture, so that its proof alone is awaited: that may come until the last moment. */
function hasTakenWanted(commit: Commit, { serial, wanted }: OccurrenceRow): boolean {
  const newest = newestUpload(commit, serial);
  return newest !== undefined && newest.fetched_at !== null && newest.revision === wanted?.split(' ')[0];
}

/**
 * Checks what is said of the cause where a frame sleeps beyond the time: that was known when it was told to sleep, unless
 * its picture came afterwards (DL-24). A frame that fetched the picture went to sleep after that, whatever it said last.
 */
function judgeForeseen(
  { checker, clockErrorMs, rows }: JudgeState,
  row: OccurrenceRow,
  { frame, day, isFetched }: { readonly frame: FrameRow; readonly day: WatchedDay; readonly isFetched: boolean },
): void {
  const saidLast = frame.last_contact_at ?? 0;
  const sentAt = rows.requests.get(row.wanted ?? '')?.accepted_at ?? 0;
  // Another cause goes first, such as another paper.
  const isBySleep = row.cause?.includes('deadline-asleep') === true;
  const isOfBefore = day.since < saidLast - clockErrorMs;
  const isOfAfter = !isFetched && sentAt > saidLast + clockErrorMs;
  checker.holds(
    !isBySleep || (row.foreseeable === 1 ? !isOfAfter : !isOfBefore),
    'DL-24',
    () =>
      `the last contact of the frame of ${row.id} was at ${saidLast}, and the miss counts as foreseeable: ${row.foreseeable}, by ${row.cause}`,
  );
}

const frameOf = (commit: Commit, serial: string): FrameRow | undefined =>
  commit.one<FrameRow>('select * from frames where serial = ?', serial);

/** How long the panel of a frame takes to draw; one of an unknown kind gives no time to reckon with. */
const drawMsOf = ({ kind }: Pick<FrameRow, 'kind'>): number => (panelOfKind(kind)?.refreshSeconds ?? 0) * 1000;

/** From when on the service knows that a frame sleeps which does not report that it goes to sleep. */
const knownAsleep = (frame: FrameRow): number =>
  frame.dialect === 'native' ? 0 : (frame.last_contact_at ?? 0) + radioMs + drawMsOf(frame);
