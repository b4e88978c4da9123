/** The wakes of a frame with the offline firmware: which calls are one, and the sleep and the picture of each. */
import { limits } from '../../../firmware-protocol/limits.ts';
import { offlineAwakeMs } from '../../../firmware-protocol/offline/wire.ts';
import { panelOfKind } from '../../../firmware-protocol/panels.ts';
import type { Database, Transaction } from '../../../runtime/database/database.ts';
import type { Moment } from '../../../runtime/moment.ts';
import { recordFrameEvent } from '../../frames/event-log.ts';
import { changeWatch, expectTold, expectWake, tellingOf, watchOf } from '../../frames/expect-wake.ts';
import { type FrameAtWake, recordWake } from '../../frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../../frames/registry.ts';
import type { ToldSleep } from '../../frames/tell-sleep.ts';
import { type KnownOfWake, sleepToTell } from '../../frames/told-sleep.ts';
import { uploadLog } from '../../pictures/upload-log.ts';
import { chooseOffline, type OfflineChoice, ownTag } from './choose-offline.ts';
import { judgeOffline, type SeenOfflineWake } from './judge-offline.ts';
import { changeOffline, type OfflineRow, offlineRow } from './offline-rows.ts';

/** How long a frame sleeps that has no picture yet, and one that belongs to nobody, in seconds. */
const waitSeconds = { withoutPicture: 300, nobodys: 900 };
/** Calls that follow each other within this time are of one wake: a try waits 15 s for data, and no sleep is as short. */
const quietMs = 50_000;

/** The answer to a call, as its transaction decided it. */
export interface OfflineAnswer extends OfflineChoice {
  readonly frame: FrameRow;
  readonly sleepSeconds: number;
}

/** A call that is recorded. */
interface TakenCall extends Pick<KnownOfWake, 'isBeingMade'> {
  readonly serial: string;
  readonly held: string | undefined;
}

/** Records a call, and chooses what the frame is answered. */
export async function takeOfflineCall(
  trx: Transaction,
  { serial, held, isBeingMade }: TakenCall,
  moment: Moment,
): Promise<OfflineAnswer> {
  const { now } = moment;
  const known = await frameRegistry(trx).known(serial);
  const last = await offlineRow(trx, serial);
  const isNew = await beginsWake(trx, last, held, now);
  const begun = isNew ? await beginWake(trx, known, last, moment) : { frame: known, row: last };
  const { frame, row } = begun;
  const isLook = isNew && held === undefined;
  const wakeAt = row.wake_at ?? now;
  const isSomebodys = frame.activation === 'activated';
  const call = { frame, held, isLook, wakeAt, row, ...moment };
  const choice: OfflineChoice = isSomebodys ? await chooseOffline(trx, call) : { upload: undefined, kept: {} };
  const { upload } = choice;
  if (upload !== undefined) {
    const isProven = upload.confirmed_at !== null || choice.unchanged !== undefined;
    const mark = { cycle_upload: upload.id, ...(!isProven && { picture_synced: 0 }) };
    await frameRegistry(trx).change(serial, mark, now);
  }
  const told =
    (isNew ? undefined : await sleepSoFar(trx, last, now)) ??
    (await sleepOf(trx, frame, { ...choice, isBeingMade }, now));
  const sleepSeconds = told.seconds;
  const isUnchanged = choice.unchanged !== undefined;
  await changeOffline(trx, serial, {
    ...rowOfWake(row),
    called_at: now,
    calls: isLook ? 1 : Math.max(2, row.calls + 1),
    told_seconds: sleepSeconds,
    upload_id: upload?.id ?? null,
    file_version: upload?.file_version ?? 0,
    unchanged: isUnchanged ? 1 : 0,
    was_taken: 0,
    ...choice.kept,
  });
  // WK-7; states A and B take no notice of the sleep in an answer: one whose own is known is expected by that.
  if (row.own_seconds === null) await expectTold(trx, serial, { told, awake: 0 }, now);
  else await expectWake(trx, serial, { now, announcedUntil: now + row.own_seconds * 1000 });
  return { ...choice, frame, sleepSeconds };
}

/** The columns of its row that the beginning of a wake has changed. */
function rowOfWake({ wake_at, doubt, doubt_version, own_seconds, own_lately }: OfflineRow): Partial<OfflineRow> {
  return { wake_at, doubt, doubt_version, own_seconds, own_lately };
}

/**
 * Whether a call begins a wake. Nothing tells the look for a redirect from what follows it, so that calls which follow each
 * other closely are one wake, unless what the frame asked for was done and it begins again.
 */
async function beginsWake(trx: Transaction, last: OfflineRow, held: string | undefined, now: number): Promise<boolean> {
  const { wake_at, called_at, upload_id, file_version, unchanged, was_taken } = last;
  if (wake_at === null || called_at === null) return true;
  if (now - called_at > quietMs || now - wake_at > offlineAwakeMs) return true;
  if (held !== undefined) return false;
  if (unchanged === 1) return was_taken === 1;
  const upload = upload_id === null ? undefined : await uploadLog(trx).find(upload_id);
  return upload?.file_version === file_version && upload.fetched_at !== null && upload.fetched_at >= wake_at;
}

/** Records the wake, and what speaks for an error text on the glass. */
async function beginWake(
  trx: Transaction,
  frame: FrameRow,
  last: OfflineRow,
  moment: Moment,
): Promise<{ readonly frame: FrameAtWake; readonly row: OfflineRow }> {
  const { now, random } = moment;
  const { serial } = frame;
  const verdict = judgeOffline(last, await seenWake(trx, frame, last, now));
  // A sleep of another length shows nothing of the frame's clock.
  if (!verdict.isRegular && last.wake_at !== null) await changeWatch(trx, serial, { slept_at: null });
  // OF-18: it says nothing of itself.
  const silence = { firmware: undefined, orientation: undefined, batteryMv: undefined, rssi: undefined };
  const report = { dialect: 'offline', wake: 'timer', fileVersion: frame.reported_version, ...silence } as const;
  const woken = await recordWake(trx, frame, report, moment);
  const newest = await uploadLog(trx).newest(serial);
  const row = { ...last, ...verdict.own, wake_at: now, calls: 0 };
  const { doubt } = verdict;
  if (doubt === undefined || newest === undefined || newest.fetched_at === null) return { frame: woken, row };
  const named = { uploadId: newest.id, fileVersion: newest.file_version };
  const isKnown = last.doubt !== null && last.doubt_version === newest.file_version;
  if (!isKnown) {
    const payload = { stage: 'doubted', ...named, because: doubt } as const;
    await recordFrameEvent(trx, random, { serial, type: 'picture', at: now, payload });
  }
  await frameRegistry(trx).change(serial, { picture_synced: 0 }, now);
  const doubted = { ...row, doubt, doubt_version: newest.file_version };
  return { frame: { ...woken, picture_synced: 0 }, row: doubted };
}

async function seenWake(
  trx: Transaction,
  frame: FrameRow,
  { wake_at, settings, settings_read_at, upload_id, unchanged }: OfflineRow,
  now: number,
): Promise<SeenOfflineWake> {
  const hasRead = settings !== null && settings_read_at !== null && wake_at !== null;
  const isOfLast = hasRead && settings_read_at >= wake_at - offlineAwakeMs;
  const { timeout } = isOfLast ? (JSON.parse(settings) as { timeout: number }) : {};
  const upload = unchanged === 1 || upload_id === null ? undefined : await uploadLog(trx).find(upload_id);
  const drew = wake_at !== null && upload !== undefined && (upload.fetched_at ?? 0) >= wake_at;
  const refreshSeconds = drew ? (panelOfKind(frame.kind)?.refreshSeconds ?? 0) : 0;
  return { now, expectedAt: frame.asleep_until, settingsSeconds: timeout, drawingMs: refreshSeconds * 1000 };
}

/** The sleep after the first answer of a wake; a frame that lacks its picture comes back for it soon. */
async function sleepOf(
  db: Database,
  frame: FrameAtWake,
  { upload, unchanged, isBeingMade }: Pick<OfflineChoice, 'upload' | 'unchanged'> & Pick<KnownOfWake, 'isBeingMade'>,
  now: number,
): Promise<ToldSleep> {
  if (frame.activation !== 'activated') return { seconds: waitSeconds.nobodys, end: 'longest', at: null };
  const givesNew = upload !== undefined && unchanged === undefined && upload.fetched_at === null;
  const told = await sleepToTell(db, frame, { givesNew, isBeingMade }, now);
  if (upload !== undefined || told.seconds <= waitSeconds.withoutPicture) return told;
  return { seconds: waitSeconds.withoutPicture, end: 'proof', at: null };
}

/** The rest of the sleep in the answer before, within one wake: it ends at the same moment (WK-19). */
async function sleepSoFar(
  db: Database,
  { serial, called_at, told_seconds }: OfflineRow,
  now: number,
): Promise<ToldSleep | undefined> {
  if (called_at === null || told_seconds === null) return undefined;
  const watch = await watchOf(db, serial);
  const told: ToldSleep = (watch && tellingOf(watch)) ?? { seconds: told_seconds, end: 'longest', at: null };
  const rest = told_seconds - Math.floor((now - called_at) / 1000);
  return { ...told, seconds: Math.max(limits.sleepSeconds.shortest, rest) };
}

/** Answers a frame whose call is not recorded: there are too many at once, and it may not notice (OF-8). */
export async function lookOffline(
  db: Database,
  { serial, held }: { readonly serial: string; readonly held: string | undefined },
  now: number,
): Promise<OfflineAnswer> {
  const frame = await frameRegistry(db).known(serial);
  const { told_seconds } = await offlineRow(db, serial);
  const upload = frame.activation === 'activated' ? await uploadLog(db).newest(serial) : undefined;
  const unchanged = upload === undefined || held === undefined ? undefined : await ownTag(db, frame, held);
  const sleepSeconds = told_seconds ?? (await sleepOf(db, frame, { upload }, now)).seconds;
  return { frame, sleepSeconds, kept: {}, upload, ...(unchanged && { unchanged }) };
}
