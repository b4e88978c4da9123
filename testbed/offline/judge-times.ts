/**
 * Checks of the times in the evidence (INV-84): a reported time never moves, and what was on a glass, from when to
 * when, matches the first reports and the glass itself.
 */
import type { DeliveryRow } from '../../api/delivery-state/states.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { JudgeDeps } from './judge-requests.ts';
import type { Change, Commit, EventRow } from './machine/commit-log.ts';

/** Offers that were replaced this long ago are forgotten, with their evidence. */
const rememberedMs = 90 * 86_400_000;

/** The number of entries of a history unless the caller asks for another one. */
const listed = 100;

/** The first report that a frame shows a picture under a version. Times are epoch milliseconds. */
interface Showing {
  readonly serial: string;
  readonly version: number;
  readonly shownAt: number;
}

/** An entry of a frame's history as people read it. */
export interface ToldShowing {
  readonly fileVersion: number;
  readonly since: string;
  readonly until: string | null;
}

/** The judge of times, which remembers what was proven by the first reports. */
export interface TimesJudge {
  /** Checks what a commit did to times. */
  committed(commit: Commit): void;
  /** Forgets what was proven after the backup that was restored; these rows are what it knows. */
  restored(uploads: Iterable<UploadRow>): void;
  /** Checks a frame's whole history, the newest first, as it is reported now. */
  history(serial: string, told: readonly ToldShowing[], now: number): void;
}

type TimeColumn = 'offered_at' | 'announced_at' | 'fetched_at' | 'shown_at' | 'confirmed_at';
const timeColumns: readonly TimeColumn[] = ['offered_at', 'announced_at', 'fetched_at', 'shown_at', 'confirmed_at'];

/** Returns whether a row records that the frame took the picture whole and reported it then. */
function isShown({ fetched_at: fetched, shown_at: shown }: UploadRow): boolean {
  return fetched !== null && shown !== null && shown >= fetched;
}

/** Checks that no time within one announcement moves. A time that proves nothing yet may be replaced, once. */
function judgeMoves({ checker }: JudgeDeps, before: UploadRow, after: UploadRow): void {
  if (before.file_version !== after.file_version || before.cycle !== after.cycle) return;
  for (const column of timeColumns) {
    if (before[column] === null || after[column] === before[column]) continue;
    const isStandIn = column === 'fetched_at' && before.vouched_by !== null && !isShown(before);
    const isIdleClaim = column === 'shown_at' && !isShown(before) && isShown(after);
    checker.holds(
      isStandIn || isIdleClaim || after[column] === null,
      'INV-84',
      () => `${column} of ${after.id} was reported as ${before[column]}, and is reported as ${after[column]}`,
    );
  }
}

/** Checks that what was proven to be shown is still reported, in this row or in one that was kept of it. */
function judgeKept(
  { checker, truth, clockErrorMs }: JudgeDeps,
  commit: Commit,
  before: UploadRow,
  after: UploadRow | undefined,
): void {
  if (!isShown(before) || !truth.isHonest(before.serial)) return;
  const { serial, file_version: version, shown_at: shownAt, replaced_at: replacedAt } = before;
  if (after?.file_version === version && after.shown_at === shownAt) return;
  const isOld = after === undefined && replacedAt !== null && replacedAt <= commit.now - rememberedMs + clockErrorMs;
  const sql = 'select id from uploads where serial = ? and file_version = ? and shown_at = ?';
  const isKept = isOld || commit.one(sql, serial, version, shownAt) !== undefined;
  checker.holds(isKept, 'INV-84', () => `${serial} showed version ${version} since ${shownAt}, and nothing says so`);
}

/** Checks that a callback reports the moment of the change that it is about. */
function judgeOccurred(
  { checker, clockErrorMs }: JudgeDeps,
  { now, deliveries }: Commit,
  { before, after }: Change<EventRow>,
): void {
  if (before !== undefined || after === undefined) return;
  const at = Date.parse(JSON.parse(after.body).occurredAt);
  const delivery: DeliveryRow | undefined = deliveries.find((one) => one.after?.id === after.delivery_id)?.after;
  // One commit may hold several changes of a delivery: its row has the moment of the last.
  const moment = delivery?.state === after.state ? delivery.updated_at : after.created_at;
  const isIts = at === moment && at <= now + clockErrorMs;
  checker.holds(isIts, 'INV-84', () => `callback ${after.id} tells ${after.state} as of ${at}, which was at ${moment}`);
}

/** Opens the judge. */
export function timesJudge(deps: JudgeDeps): TimesJudge {
  const { checker, truth, clockErrorMs } = deps;
  const showings = new Map<string, Showing>();

  /** Checks a report that came first: the glass really shows the picture since it was announced. */
  function judgeFirst(commit: Commit, after: UploadRow): void {
    if (!isShown(after)) return;
    const { serial, file_version: version, shown_at: shownAt, picture_sha256: digest } = after;
    // A showing that was kept in a row of its own is known already, unless all of it happened within one commit.
    const key = `${serial} ${version} ${shownAt}`;
    if (showings.has(key)) return;
    showings.set(key, { serial, version, shownAt: shownAt ?? 0 });
    if (!truth.isHonest(serial)) return;
    const since = (after.announced_at ?? 0) - clockErrorMs;
    const isTrue = truth.showed(serial, digest, since) && (shownAt ?? 0) <= commit.now + clockErrorMs;
    checker.holds(
      isTrue,
      'INV-84',
      () => `version ${version} is reported to be on ${serial} since ${shownAt}, and was not`,
    );
  }

  return {
    committed(commit) {
      for (const { before, after } of commit.uploads) {
        if (before !== undefined && after !== undefined) judgeMoves(deps, before, after);
        if (before !== undefined) judgeKept(deps, commit, before, after);
        if (after !== undefined) judgeFirst(commit, after);
      }
      for (const event of commit.events) judgeOccurred(deps, commit, event);
    },
    restored(uploads) {
      showings.clear();
      for (const row of uploads) {
        const { serial, file_version: version, shown_at: shownAt } = row;
        if (isShown(row)) showings.set(`${serial} ${version} ${shownAt}`, { serial, version, shownAt: shownAt ?? 0 });
      }
    },
    history(serial, told, now) {
      const newest = [...showings.values()]
        .filter((showing) => showing.serial === serial && showing.shownAt >= now - rememberedMs)
        .sort((a, b) => b.shownAt - a.shownAt)
        .slice(0, listed);
      const expected = newest.map(({ version, shownAt }, at) => {
        const next = newest[at - 1];
        const until = next === undefined ? 'now' : new Date(next.shownAt).toISOString();
        return `${version} ${new Date(shownAt).toISOString()} ${until}`;
      });
      const entries = told.map(({ fileVersion, since, until }) => `${fileVersion} ${since} ${until ?? 'now'}`);
      checker.holds(
        entries.join() === expected.join(),
        'INV-84',
        () => `the history of ${serial} tells ${entries.join(', ')}, and the frame reported ${expected.join(', ')}`,
      );
    },
  };
}
