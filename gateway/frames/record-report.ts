/** Records the reports of frames on arrival, in terms that all dialects share. */

import { panelOfKind } from '../../firmware-protocol/panels.ts';
import type { WakeReason } from '../../firmware-protocol/sleep.ts';
import { type Because, storedReasons } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { recordBattery } from './battery.ts';
import { recordFrameEvent } from './event-log.ts';
import { changeWatch, planSleep, recordReturn, watchOf } from './expect-wake.ts';
import { notePanel } from './named-panel.ts';
import type { WatchRow } from './presence-tables.ts';
import { type FrameRow, frameRegistry } from './registry.ts';
import { recordKeptSleep } from './settings.ts';

/** The report of a frame that woke. An undefined field was missing or unreadable, and leaves the known value as it was (W-37). */
export interface WakeReport {
  /** Name of the dialect of the report. */
  readonly dialect: string;
  readonly firmware: string | undefined;
  readonly fileVersion: number;
  readonly wake: WakeReason;
  readonly orientation: number | undefined;
  /** Null where a missing value means that there is no battery, as on a cable. */
  readonly batteryMv: number | null | undefined;
  readonly rssi: number | null | undefined;
  /** The charge in percent, where the frame reports that and no voltage. It is kept in the event only. */
  readonly batteryPercent?: number;
  /**
   * The readings of its sensors, as a sentence, and true where its button was pressed twice. Both are kept in the event
   * only.
   */
  readonly sensors?: string;
  readonly pressedTwice?: true;
  /** The frame's own report that its picture is in sync, in dialects that have such a field. */
  readonly pictureSynced?: boolean;
  /** Digest of the picture on its glass, lowercase hex. It comes with `pictureSynced`. */
  readonly sha256?: string | undefined;
  readonly panel?: string;
  readonly boot?: number;
  readonly sleepSeconds?: number;
  /** The sleep that a classic frame has stored. */
  readonly storedTimeoutSeconds?: number | undefined;
  /** The next wake, epoch ms, in dialects whose report announces it. The event is kept without it. */
  readonly announcedUntil?: number;
}

/** The row of a frame that woke, and its watch with what its last sleep taught; undefined for its first wake. */
export type FrameAtWake = FrameRow & { readonly watch?: WatchRow | undefined };

/**
 * Writes a wake report into the frame's row, its watch and its events. Each is written once only, because every wake of
 * every frame pays for it.
 * @returns the frame as it is now; its kind is another when the frame named its panel and no kind was known
 */
export async function recordWake(
  db: Database,
  frame: FrameRow,
  { announcedUntil, ...report }: WakeReport,
  moment: Moment,
): Promise<FrameAtWake> {
  const { now, random } = moment;
  const change: Partial<FrameRow> = {
    dialect: report.dialect,
    reported_version: report.fileVersion,
    wake: report.wake,
    last_contact_at: now,
    cycle_started_at: now,
    session_epoch: frame.session_epoch + 1,
  };
  if (report.firmware !== undefined) change.firmware = report.firmware;
  if (report.orientation !== undefined) change.orientation = report.orientation;
  if (report.batteryMv !== undefined) change.battery_mv = report.batteryMv;
  if (report.rssi !== undefined) change.rssi = report.rssi;
  if (report.pictureSynced !== undefined) {
    change.picture_synced = report.pictureSynced ? 1 : 0;
    change.glass_sha256 = report.sha256 ?? null;
  }
  if (report.panel !== undefined) {
    change.panel = report.panel;
    // a frame of no known kind takes its kind from its panel. A known kind is kept: a person or the serial gave it.
    const named = panelOfKind(frame.kind) === undefined ? panelOfKind(report.panel) : undefined;
    if (named !== undefined) change.kind = named.name;
  }
  if (report.boot !== undefined) change.boot = report.boot;
  const kept = report.sleepSeconds ?? report.storedTimeoutSeconds;
  if (kept !== undefined) {
    change.kept_sleep_seconds = kept;
    await recordKeptSleep(db, frame, { stage: 'taken', sleepSeconds: kept }, moment);
  }
  const watch = await watchOf(db, frame.serial);
  const batteryMv = report.batteryMv ?? undefined;
  const battery = await recordBattery(db, { frame, watch }, batteryMv, moment);
  const back = await recordReturn(db, { frame, watch }, report.wake, moment);
  const learned = watch && { ...watch, ...back };
  const plan = announcedUntil === undefined ? undefined : planSleep(learned, { now, announcedUntil });
  if (plan !== undefined) change.asleep_until = plan.asleepUntil;
  await changeWatch(db, frame.serial, { ...battery, ...back, ...plan?.watch });
  await frameRegistry(db).change(frame.serial, change, now);
  const payload = { ...report, batteryMv, rssi: report.rssi ?? undefined };
  await recordFrameEvent(db, random, { serial: frame.serial, type: 'hello', at: now, payload });
  await notePanel(db, frame, report.panel, moment);
  return { ...frame, ...change, watch: learned };
}

/** Records that a frame now shows a version, in its row and its events. */
export async function recordShown(
  db: Database,
  frame: FrameRow,
  shown: { uploadId: string; fileVersion: number; synced: boolean; sha256?: string },
  { now, random }: Moment,
): Promise<void> {
  const change: Partial<FrameRow> = {
    reported_version: shown.fileVersion,
    picture_synced: shown.synced ? 1 : 0,
    last_contact_at: now,
    last_failure: null,
  };
  if (shown.sha256 !== undefined) change.glass_sha256 = shown.sha256;
  await frameRegistry(db).change(frame.serial, change, now);
  await recordFrameEvent(db, random, {
    serial: frame.serial,
    type: 'picture',
    at: now,
    payload: { stage: 'shown', ...shown },
  });
}

/** Records that an update failed on the frame. */
export async function recordFailure(
  db: Database,
  frame: FrameRow,
  failed: { uploadId: string | null; reason: Because },
  { now, random }: Moment,
): Promise<void> {
  await frameRegistry(db).change(
    frame.serial,
    { last_failure: storedReasons(failed.reason), last_contact_at: now },
    now,
  );
  await recordFrameEvent(db, random, {
    serial: frame.serial,
    type: 'picture',
    at: now,
    payload: { stage: 'failed', ...failed },
  });
}
