/** The display call: a wake is recorded, what it proves of the picture before is weighed, and the next picture is announced. */
import { panelOfKind } from '../../../firmware-protocol/panels.ts';
import type { TrmnlCall } from '../../../firmware-protocol/trmnl/headers.ts';
import { isKnownModel, leastDrawingMs, panelInsteadOf, panelOfCall } from '../../../firmware-protocol/trmnl/models.ts';
import { chooseRefreshRate } from '../../../firmware-protocol/trmnl/refresh-rate.ts';
import { rangeOfFirmware } from '../../../firmware-protocol/trmnl/versions.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import type { Transaction } from '../../../runtime/database/database.ts';
import type { Moment } from '../../../runtime/moment.ts';
import { keyUsed } from '../../adoption/frame-keys.ts';
import { type EventFacts, recordFrameEvent } from '../../frames/event-log.ts';
import { expectTold } from '../../frames/expect-wake.ts';
import { recordConflict } from '../../frames/identity-conflict.ts';
import { panelBySize } from '../../frames/named-panel.ts';
import { type FrameAtWake, recordShown, recordWake } from '../../frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../../frames/registry.ts';
import { sleepToTell } from '../../frames/told-sleep.ts';
import { uploadLog } from '../../pictures/upload-log.ts';
import type { UploadRow } from '../../pictures/upload-row.ts';
import type { PolledDeps } from '../dialect.ts';
import { judgeWake, retriesMs, type WakeVerdict } from './judge-wake.ts';
import { keepAnswer, lastAnswer, latelyTold, type PolledAnswerRow } from './last-answers.ts';
import { middleRate } from './middle-rate.ts';
import { type AnsweredPicture, afreshOf, nameOfOffer, tellPicture } from './tell-picture.ts';
import { trmnlTraits } from './traits.ts';

/** The answer to a display call: the path of a picture, its name, and the sleep in seconds. */
export interface AnsweredDisplay {
  readonly path: string;
  readonly name: string;
  readonly refreshSeconds: number;
}

export interface DisplayCall extends TrmnlCall {
  /** True when the address of the picture is one at which this frame identifies itself. */
  readonly sharesAddress: boolean;
}

/** Seconds that a frame is reckoned awake after its answer (WK-3); its next wake alone proves a picture. */
const polls = { awakeSeconds: 10 } as const;
/** The number of earlier sleeps whose echo may still come back. */
const remembered = 6;

/** The facts when a frame asks, and the moment of it, in the transaction of its call. */
interface Wake extends Moment {
  readonly call: DisplayCall;
  /** The frame as it was before this call; its watch, once it is known, after it. */
  readonly frame: FrameAtWake;
  readonly last: PolledAnswerRow | undefined;
  readonly newest: UploadRow | undefined;
  /** The verdict on the newest offer, where the last answer announced it. */
  readonly verdict: WakeVerdict | undefined;
}

/** Takes a display call of a frame that is known and activated. @returns undefined when there is no picture for it yet */
export async function takeDisplay(
  deps: PolledDeps,
  trx: Transaction,
  call: DisplayCall,
  dialect: string,
): Promise<AnsweredDisplay | undefined> {
  const { clock, random } = deps;
  const now = clock.now();
  const frame = await frameRegistry(trx).known(call.serial);
  const last = await lastAnswer(trx, frame.serial);
  const newest = await uploadLog(trx).newest(frame.serial);
  const verdict = verdictOn({ call, frame, last, newest, now });
  const wake: Wake = { call, frame, last, newest, verdict, now, random };
  await keyUsed(trx, frame.serial);
  await noteStrangeEcho(trx, wake);
  const { woken, stands } = await recordPolledWake(deps, trx, wake, dialect);
  const told = await tellPicture(trx, {
    frame: woken,
    newest: stands,
    last,
    verdict,
    echoed: call.refreshSeconds,
    firmware: call.firmware,
    now,
    random,
  });
  return keepTold(deps, trx, { ...wake, frame: { ...frame, watch: woken.watch } }, told);
}

/** The verdict on the newest offer; undefined where the last answer announced another one. */
function verdictOn({ call, frame, last, newest, now }: Omit<Wake, 'verdict' | 'random'>): WakeVerdict | undefined {
  if (last === undefined || newest === undefined) return undefined;
  if (last.upload_id !== newest.id || last.file_version !== newest.file_version) return undefined;
  const answer = { at: last.at, refreshSeconds: last.refresh_seconds, erredAt: last.erred_at };
  // A download of an earlier wake proves nothing about this one: the frame may have skipped a name that it knows.
  const isWhole = newest.fetched_at !== null && newest.fetched_at >= last.at;
  return judgeWake(answer, call, { now, isWhole, drawingMs: leastDrawingMs(panelOfKind(frame.kind)) });
}

/**
 * Records the wake, and that the newest picture was processed where nothing speaks against it.
 * @returns the frame, and the newest offer as it stands after that
 */
async function recordPolledWake(
  deps: PolledDeps,
  trx: Transaction,
  wake: Wake,
  dialect: string,
): Promise<{ readonly woken: FrameAtWake; readonly stands: UploadRow | undefined }> {
  const { call, newest, verdict } = wake;
  const frame = await withDrawnKind(trx, wake);
  const proven = verdict?.doubts.length === 0 ? newest : undefined;
  const shows = proven?.file_version ?? frame.reported_version;
  const report = { ...reportOf(call, dialect, shows), ...panelBySize(frame, panelOfKind(panelOfCall(call) ?? '')) };
  const woken = await recordWake(trx, frame, report, wake);
  if (woken.kind !== wake.frame.kind) {
    await deps.kindNamed?.(trx, { serial: frame.serial, before: wake.frame.kind, kind: woken.kind });
  }
  if (proven?.confirmed_at !== null) return { woken, stands: newest };
  await recordProven(trx, woken, proven, wake);
  return { woken, stands: await uploadLog(trx).newest(frame.serial) };
}

/**
 * The frame, with the kind that its firmware draws where it has one of the same size that it does not: one that was chosen by
 * hand, or before that was known here.
 */
async function withDrawnKind(trx: Transaction, { call, frame, now }: Wake): Promise<FrameRow> {
  const kind = panelInsteadOf(frame.kind, call);
  if (kind === undefined) return frame;
  // A panel of another size is not a picture of this frame: that is reported as an alert.
  if (panelBySize(frame, panelOfKind(kind)).panel !== panelOfKind(frame.kind)?.name) return frame;
  await frameRegistry(trx).change(frame.serial, { kind }, now);
  return { ...frame, kind };
}

/** Records the picture that the frame is sent. Without a new one, the last is announced again. */
async function keepTold(
  { isBeingMade }: PolledDeps,
  trx: Transaction,
  { call, frame, last, now, random }: Wake,
  told: AnsweredPicture | undefined,
): Promise<AnsweredDisplay | undefined> {
  const upload = told?.upload;
  const isUnproven = upload?.confirmed_at === null;
  const isInDoubt = isUnproven || (told !== undefined && told.kept.covered_by !== null);
  const mark = { cycle_upload: upload?.id ?? null, ...(isInDoubt && { picture_synced: 0 }) };
  await frameRegistry(trx).change(frame.serial, mark, now);
  const picture = upload === undefined ? last : { path: upload.path, name: nameOfOffer(upload) };
  if (picture === undefined) return undefined;
  const { path, name } = picture;
  const lately = latelyTold(last);
  const isHurried = isUnproven && last?.hurried !== upload.file_version;
  const known = { ...polls, givesNew: isUnproven, isHurried, isBeingMade: isBeingMade?.(frame.serial) };
  const sleep = await sleepToTell(trx, frame, known, now);
  // After a restore the frame may send back the sleep of an answer that is not known here.
  const echoes = call.refreshSeconds === undefined ? lately : [call.refreshSeconds, ...lately];
  const refreshSeconds = chooseRefreshRate(middleRate(sleep), echoes, random.jitter());
  const isEcho = last !== undefined && call.refreshSeconds === last.refresh_seconds;
  await keepAnswer(trx, {
    serial: frame.serial,
    at: now,
    refresh_seconds: refreshSeconds,
    lately: JSON.stringify([refreshSeconds, ...lately].slice(0, remembered)),
    echoed_seconds: isEcho ? last.refresh_seconds : (last?.echoed_seconds ?? null),
    upload_id: upload?.id ?? null,
    file_version: upload?.file_version ?? 0,
    name,
    path,
    erred_at: null,
    hurried: isHurried ? upload.file_version : (last?.hurried ?? null),
    names_itself: namesItself(call) ? 1 : null,
    ...(told?.kept ?? afreshOf(last, now)),
  });
  await expectTold(trx, frame.serial, { told: sleep, awake: polls.awakeSeconds, slept: refreshSeconds }, now);
  return { path, name, refreshSeconds };
}

/**
 * Returns whether a frame identifies itself as it downloads. Clients with their own version numbers are not among the
 * known models.
 */
function namesItself(call: DisplayCall): boolean {
  const isNamed = rangeOfFirmware(call.firmware)?.namesItselfAtDownload === true;
  return isNamed && call.sharesAddress && isKnownModel(call);
}

/** The wake in the terms of all dialects. The frame's own version is what its wakes have proven. */
function reportOf(call: TrmnlCall, dialect: string, fileVersion: number): Parameters<typeof recordWake>[2] {
  const { firmware, batteryMv, rssi, sensors, hasSpecialFunction, wake = 'timer' } = call;
  const more = { ...(sensors && { sensors }), ...(hasSpecialFunction && { pressedTwice: true as const }) };
  return { dialect, firmware, fileVersion, wake, orientation: undefined, batteryMv, rssi, ...more };
}

/** Records that the picture which was announced last was processed to the end: it counts from this wake on. */
async function recordProven(trx: Transaction, frame: FrameRow, upload: UploadRow, moment: Moment): Promise<void> {
  await uploadLog(trx).confirmed(upload.id, upload.file_version, moment.now, trmnlTraits.proves);
  const shown = { uploadId: upload.id, fileVersion: upload.file_version, synced: true };
  await recordShown(trx, frame, shown, moment);
}

/**
 * Notes an echo that proves nothing, whatever else is known. One that was overtaken by a newer one, or by a newer
 * answer long ago, comes from somebody else: a frame stores one value, so that it is a copy of this frame's key, or a
 * recording (T-47). One of an answer whose picture was replaced meanwhile comes too late.
 */
async function noteStrangeEcho(
  trx: Transaction,
  { call, frame: { serial }, last, newest, now, random }: Wake,
): Promise<void> {
  const echo = call.refreshSeconds;
  if (last === undefined || echo === undefined) return;
  if (
    echo === last.refresh_seconds &&
    last.upload_id !== null &&
    newest !== undefined &&
    last.upload_id !== newest.id
  ) {
    const payload: EventFacts = {
      stage: 'doubted',
      uploadId: last.upload_id,
      fileVersion: last.file_version,
      because: [replaced],
    };
    await recordFrameEvent(trx, random, { serial, type: 'picture', at: now, payload });
  }
  const lately = latelyTold(last);
  const echoedAt = last.echoed_seconds === null ? -1 : lately.indexOf(last.echoed_seconds);
  const isOvertaken = echoedAt >= 0 && lately.indexOf(echo) > echoedAt;
  // A machine that was suspended receives a call long after it was sent: its frame tried again and got no answer.
  const isRepeated = echo === last.echoed_seconds;
  if (!isOvertaken && (isRepeated || !isOfOlderAnswer(call, lately.indexOf(echo), now - last.at))) return;
  await recordConflict(trx, { serial, problem: reasonOf('echo-went-backwards') }, { now, random });
}

/**
 * Whether an echo is of an older answer though the frame would have stored the last one: two devices that wake in turn
 * with one key. A frame that did not understand the last answer stores a value of its own, and one that lost its power
 * reports that.
 * @param place how many answers came after the one that is echoed
 */
function isOfOlderAnswer({ firmware, wake }: TrmnlCall, place: number, sinceMs: number): boolean {
  return place > 0 && wake === 'timer' && sinceMs > retriesMs && rangeOfFirmware(firmware)?.tellsWake === true;
}

/** The doubt about a picture that was replaced before the frame came back. */
const replaced = 'replaced by a newer picture meanwhile';
