/** The display call: a wake is recorded, what it proves of the picture before is weighed, and the next picture is told. */
import { panelOfKind } from '../../../firmware-protocol/panels.ts';
import type { TrmnlCall } from '../../../firmware-protocol/trmnl/headers.ts';
import { panelOfCall } from '../../../firmware-protocol/trmnl/models.ts';
import { chooseRefreshRate } from '../../../firmware-protocol/trmnl/refresh-rate.ts';
import type { Transaction } from '../../../runtime/database.ts';
import { said } from '../../../runtime/said-sentence.ts';
import { eventDayOf } from '../../frames/event-days.ts';
import { expectWake } from '../../frames/expect-wake.ts';
import { recordConflict } from '../../frames/identity-conflict.ts';
import { panelBySize } from '../../frames/named-panel.ts';
import { recordShown, recordWake } from '../../frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../../frames/registry.ts';
import { sleepSecondsFor } from '../../frames/settings.ts';
import { uploadLog } from '../../pictures/upload-log.ts';
import type { UploadRow } from '../../pictures/upload-row.ts';
import type { PolledDeps } from '../dialect.ts';
import { judgeWake, type WakeVerdict } from './judge-wake.ts';
import { keepAnswer, lastAnswer, type PolledAnswerRow } from './last-answers.ts';
import { nameOfOffer, tellPicture } from './tell-picture.ts';

/** What a display call is answered with: the path of a picture, its name, and the sleep in seconds. */
export interface ToldDisplay {
  readonly path: string;
  readonly name: string;
  readonly refreshSeconds: number;
}

/** The sleeps told before whose echo may still come back. */
const remembered = 6;

/** Takes a display call of a frame that is known and activated. @returns undefined when there is no picture for it yet */
export async function takeDisplay(
  deps: PolledDeps,
  trx: Transaction,
  call: TrmnlCall,
  dialect: string,
): Promise<ToldDisplay | undefined> {
  const now = deps.clock.now();
  const frame = await frameRegistry(trx).known(call.serial);
  const last = await lastAnswer(trx, frame.serial);
  const newest = await uploadLog(trx).newest(frame.serial);
  const verdict = last === undefined || newest === undefined ? undefined : verdictOn(last, newest, call, now);
  await noteReplay(deps, trx, frame, last, call, now);
  const isProven = verdict !== undefined && verdict.doubts.length === 0;
  const shows = isProven && newest !== undefined ? newest.file_version : frame.reported_version;
  const report = { ...reportOf(call, dialect, shows), ...panelBySize(frame, panelOfKind(panelOfCall(call) ?? '')) };
  const woken = await recordWake(trx, frame, report, now, deps.random);
  if (woken.kind !== frame.kind) {
    await deps.kindNamed?.(trx, { serial: frame.serial, before: frame.kind, kind: woken.kind });
  }
  if (isProven && newest !== undefined && newest.confirmed_at === null)
    await recordProven(deps, trx, woken, newest, now);
  const { firmware, refreshSeconds: echoed } = call;
  const told = await tellPicture(trx, { frame: woken, last, verdict, echoed, firmware, now }, deps.random);
  const upload = told?.upload;
  const mark = { cycle_upload: upload?.id ?? null, ...(upload?.confirmed_at === null && { picture_synced: 0 }) };
  await frameRegistry(trx).change(frame.serial, mark, now);
  const picture =
    upload === undefined
      ? last && { path: last.path, name: last.name }
      : { path: upload.path, name: nameOfOffer(upload) };
  if (picture === undefined) return undefined;
  const lately = last === undefined ? [] : (JSON.parse(last.lately) as number[]);
  const refreshSeconds = chooseRefreshRate(sleepSecondsFor(frame, now), lately, deps.random.jitter());
  await keepAnswer(trx, {
    serial: frame.serial,
    at: now,
    refresh_seconds: refreshSeconds,
    lately: JSON.stringify([refreshSeconds, ...lately].slice(0, remembered)),
    echoed_seconds:
      call.refreshSeconds === last?.refresh_seconds ? (last?.refresh_seconds ?? null) : (last?.echoed_seconds ?? null),
    upload_id: upload?.id ?? null,
    file_version: upload?.file_version ?? null,
    ...picture,
    erred_at: null,
    ...afreshOf(last, told?.isAfresh === true, now),
  });
  await expectWake(trx, frame.serial, now + refreshSeconds * 1000, now);
  return { ...picture, refreshSeconds };
}

/** The verdict on the newest offer; undefined where the last answer told another one. */
function verdictOn(last: PolledAnswerRow, newest: UploadRow, call: TrmnlCall, now: number): WakeVerdict | undefined {
  if (last.upload_id !== newest.id || last.file_version !== newest.file_version) return undefined;
  const answer = { at: last.at, refreshSeconds: last.refresh_seconds, erredAt: last.erred_at };
  return judgeWake(answer, call, { isWhole: newest.fetched_at !== null }, 0, now);
}

/** The wake in the terms of all dialects. The frame's own version is what its wakes have proven. */
function reportOf(call: TrmnlCall, dialect: string, fileVersion: number): Parameters<typeof recordWake>[2] {
  const { firmware, batteryMv, rssi, wake = 'timer' } = call;
  return { dialect, firmware, fileVersion, wake, orientation: undefined, batteryMv, rssi };
}

/** Records that the picture which was told last was processed to the end: it counts from this wake on. */
async function recordProven(
  { random }: PolledDeps,
  trx: Transaction,
  frame: FrameRow,
  upload: UploadRow,
  now: number,
): Promise<void> {
  await uploadLog(trx).confirmed(upload.id, upload.file_version, now);
  const shown = { uploadId: upload.id, fileVersion: upload.file_version, synced: true };
  await recordShown(trx, frame, shown, now, random);
}

/**
 * An echo that was overtaken by a newer one comes from somebody else: one frame stores one value. It may be a copy of this
 * frame's key, or a recording (T-47).
 */
async function noteReplay(
  { random }: PolledDeps,
  trx: Transaction,
  { serial }: FrameRow,
  last: PolledAnswerRow | undefined,
  { refreshSeconds }: TrmnlCall,
  now: number,
): Promise<void> {
  if (last === undefined || refreshSeconds === undefined || last.echoed_seconds === null) return;
  const lately = JSON.parse(last.lately) as number[];
  const [echoedAt, comesAt] = [lately.indexOf(last.echoed_seconds), lately.indexOf(refreshSeconds)];
  if (echoedAt < 0 || comesAt <= echoedAt) return;
  await recordConflict(trx, { serial, problem: said('echo-went-backwards') }, now, random);
}

/** The count of pictures told afresh, with this answer. */
function afreshOf(
  last: PolledAnswerRow | undefined,
  isAfresh: boolean,
  now: number,
): Pick<PolledAnswerRow, 'afresh' | 'afresh_day'> {
  const today = eventDayOf(now);
  const before = last?.afresh_day === today ? last.afresh : 0;
  return { afresh: before + (isAfresh ? 1 : 0), afresh_day: today };
}
