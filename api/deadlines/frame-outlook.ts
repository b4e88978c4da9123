/** The outlook of a frame before a deadline, from its rows. */
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { cellsOf } from '../../gateway/frames/battery.ts';
import type { DialectTraits, TraitsOf } from '../../gateway/frames/dialect-traits.ts';
import { latestPart, tellingOf } from '../../gateway/frames/expect-wake.ts';
import { type Grade, grades } from '../../gateway/frames/grades.ts';
import { isConflictOpen } from '../../gateway/frames/identity-conflict.ts';
import { awakeUntil } from '../../gateway/frames/presence.ts';
import type { FrameRow } from '../../gateway/frames/registry.ts';
import { gradeOf, type UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { FrameOutlook } from './deadline-state.ts';

/** A frame's row with the rows about it. Times are epoch milliseconds. */
export interface WatchedRow extends FrameRow {
  readonly overdue_since: number | null;
  readonly battery_level: string | null;
  readonly periods: string | null;
  readonly sleeps: string | null;
  readonly slept_at: number | null;
  readonly told: string | null;
  readonly announced_until: number | null;
  readonly conflict_since: number | null;
}

/** A frame's row and pictures, as they were read. */
export interface FoundFrame {
  readonly row: WatchedRow;
  readonly newest: UploadRow | undefined;
  /** The last picture that it proved. */
  readonly shown: UploadRow | undefined;
}

/** The shortest sleep that frames take from the service, in milliseconds. */
const shortestToldMs = 60_000;
/** A panel whose source gives no time for a refresh. */
const defaultRefreshSeconds = 45;

/** Returns the outlook of a frame; null for one that belongs to nobody. */
export function outlookOf({ row, newest, shown }: FoundFrame, traitsOf: TraitsOf, now: number): FrameOutlook | null {
  if (row.activation !== 'activated') return null;
  const traits = traitsOf(row.dialect);
  const isSent = newest !== undefined && row.cycle_upload === newest.id && !traits.knowsCommands;
  return {
    wakesAt: row.asleep_until,
    lastContactAt: row.last_contact_at,
    takesUntil: isSent ? awakeUntil(row) : null,
    latenessMs: latenessOf(row),
    drawMs: Math.ceil((panelOfKind(row.kind)?.refreshSeconds ?? defaultRefreshSeconds) * 1000),
    provesLater: provesLater(traits, shown),
    shortestSleepMs: keepsItsSleep(row, traits) ? row.sleep_seconds * 1000 : shortestToldMs,
    bestGrade: bestOf(traits.proves, shown),
    trouble: troubleOf(row, now),
  };
}

/** Whether a frame may sleep as it was set up: its last sleep is not expected to be the one in the answer. */
function keepsItsSleep(row: WatchedRow, { mayKeepItsSleep = false }: DialectTraits): boolean {
  return mayKeepItsSleep && tellingOf(row) === undefined;
}

/** Whether a picture is proven by the wake after the one that fetched it, as the last one was (DL-22). */
function provesLater({ provesAtOnce }: DialectTraits, shown: UploadRow | undefined): boolean {
  if (shown === undefined) return !provesAtOnce;
  return shown.confirmed_at !== null && shown.confirmed_at === shown.shown_at;
}

const bestOf = (usual: Grade, shown: UploadRow | undefined): Grade => {
  const reached = shown === undefined ? 'offered' : gradeOf(shown);
  return grades.indexOf(reached) > grades.indexOf(usual) ? reached : usual;
};

/** How much later than expected the last sleeps ended, for a sleep as long as the present one. */
function latenessOf({ periods, sleeps, slept_at: sleptAt, asleep_until: until }: WatchedRow): number {
  if (sleptAt === null || until === null || until <= sleptAt) return 0;
  return Math.round(latestPart({ periods: periods ?? '[]', sleeps }) * (until - sleptAt));
}

function troubleOf(row: WatchedRow, now: number): FrameOutlook['trouble'] {
  const isEmpty = row.battery_mv !== null && row.battery_mv > 0 && row.battery_mv < cellsOf(row.serial).criticalMv;
  if (isEmpty && row.overdue_since !== null) return 'flat';
  if (isConflictOpen(row.conflict_since, now)) return 'identity';
  if (row.last_failure !== null) return 'failing';
  if (row.overdue_since !== null) return 'silent';
  return isEmpty || row.battery_level === 'low' || row.battery_level === 'critical' ? 'battery' : null;
}
