/** The wake report of a classic frame: it is recorded, and answered with settings and the newest picture. */

import type { ClassicAnswer, ClassicWake } from '../../firmware-protocol/classic.ts';
import { limits } from '../../firmware-protocol/limits.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { recordFrameEvent } from '../frames/event-log.ts';
import { expectTold } from '../frames/expect-wake.ts';
import { awakeSecondsOf, classicSleepSeconds } from '../frames/presence.ts';
import { type FrameAtWake, recordWake } from '../frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import { flagsFor, recordKeptSleep } from '../frames/settings.ts';
import type { ToldSleep } from '../frames/tell-sleep.ts';
import { sleepToTell } from '../frames/told-sleep.ts';
import { noteVersion } from '../identity/detect-conflict.ts';
import { choosePicture } from '../pictures/choose-picture.ts';
import type { UploadRow } from '../pictures/upload-row.ts';
import type { Conversation, DialectDeps } from './dialect.ts';
import { isSuperseded } from './session-epoch.ts';

/** The sleep of a frame that cannot be answered properly: short, so that it is back when the trouble is over (W-19). */
const neutralSleepSeconds = 300;

/**
 * The answer with which a frame sleeps and changes nothing (W-19). Without a version to repeat the frame would draw "no
 * picture", so it gets no answer then.
 */
export function neutralAnswer({ fileVersion }: ClassicWake): ClassicAnswer | undefined {
  if (fileVersion === undefined || fileVersion === 0) return undefined;
  return { act: 'activated', timeout: neutralSleepSeconds, t: fileVersion };
}

/** A wake as it is recorded. */
interface Wake {
  /** The frame as it was before this wake; its watch, once it is known, after it. */
  readonly frame: FrameAtWake;
  readonly report: ClassicWake;
  readonly moment: Moment;
}

/** A wake that was recorded: the frame's row, and its answer; undefined when there is nothing to answer. */
interface ClassicWoken {
  readonly frame: Pick<FrameRow, 'session_epoch'>;
  readonly answer: ClassicAnswer | undefined;
}

/** Records a wake report. Returns undefined when the frame has woken in another session since: then it changes nothing. */
export async function recordClassicWake(
  deps: DialectDeps,
  trx: Transaction,
  conversation: Conversation,
  report: ClassicWake,
): Promise<ClassicWoken | undefined> {
  const frame = await frameRegistry(trx).known(conversation.serial);
  const { clock, random } = deps;
  const now = clock.now();
  if (isSuperseded(conversation, frame)) {
    const payload = { dialect: 'classic', ...report, superseded: true };
    await recordFrameEvent(trx, random, { serial: frame.serial, type: 'hello', at: now, payload });
    return undefined;
  }
  return answerWake(deps, trx, { frame, report, moment: { now, random } });
}

async function answerWake(deps: DialectDeps, trx: Transaction, wake: Wake): Promise<ClassicWoken> {
  const { frame, report, moment } = wake;
  if (frame.dialect === 'classic') await noteVersion(trx, frame, report.fileVersion ?? 0, moment);
  const common = { ...report, dialect: 'classic', fileVersion: report.fileVersion ?? 0 } as const;
  const woken = await recordWake(trx, frame, common, moment);
  const { firmware } = report;
  if (firmware !== undefined) {
    await deps.firmware.woke(trx, { ...frame, dialect: 'classic', firmware, firmwareBefore: frame.firmware });
  }
  return { frame: woken, answer: await answerOf(deps, trx, { ...wake, frame: { ...frame, watch: woken.watch } }) };
}

async function answerOf(deps: DialectDeps, trx: Transaction, wake: Wake): Promise<ClassicAnswer | undefined> {
  const { frame, report } = wake;
  if (frame.activation === 'never' && report.fileVersion !== 0) return answerStranger(deps, trx, wake);
  // W-17: `not_started` is sent only here, after the row was read, and only because a person has not registered the frame
  // or has taken it back.
  if (frame.activation !== 'activated') return { act: 'not_started' };
  return answerActivated(deps, trx, wake);
}

/**
 * Answers a frame that was activated somewhere else long ago: `not_started` would wipe it (W-18). The alert goes to the
 * log as well, because nobody can read the events of a frame without an owner.
 */
async function answerStranger(
  { logger }: DialectDeps,
  trx: Transaction,
  { frame, report, moment: { now, random } }: Wake,
): Promise<ClassicAnswer | undefined> {
  const problem = reasonOf('picture-of-nobody');
  await recordFrameEvent(trx, random, { serial: frame.serial, type: 'alert', at: now, payload: { problem } });
  logger.warn({ frame: frame.serial, problem: wordsOf(problem) }, 'alert about a frame');
  return neutralAnswer(report);
}

async function answerActivated(
  { isBeingMade }: DialectDeps,
  trx: Transaction,
  { frame, report, moment }: Wake,
): Promise<ClassicAnswer> {
  const { now } = moment;
  const reported = {
    fileVersion: report.fileVersion ?? 0,
    sha256: undefined,
    knowsDigests: false,
    proves: 'reported',
  } as const;
  const upload = await choosePicture(trx, frame, reported, moment);
  const givesNew = upload !== undefined;
  const awake = awakeSecondsOf(frame, givesNew);
  const known = { awakeSeconds: awake, givesNew, isBeingMade: isBeingMade?.(frame.serial) };
  const told = await sleepToTell(trx, frame, known, now);
  const timeoutSeconds = timeoutOf(told, report);
  const kept = { ...frame, kept_sleep_seconds: report.storedTimeoutSeconds ?? frame.kept_sleep_seconds };
  await recordKeptSleep(trx, kept, { stage: 'told', sleepSeconds: timeoutSeconds }, moment);
  await frameRegistry(trx).change(frame.serial, changeOf(report, timeoutSeconds, upload, now), now);
  const { wake, storedTimeoutSeconds } = report;
  const slept = classicSleepSeconds({ frame, wake, timeoutSeconds, storedTimeoutSeconds, now });
  await expectTold(trx, frame.serial, { told, awake, slept }, now);
  const settings = { act: 'activated', timeout: timeoutSeconds, ...flagsFor(frame) } as const;
  // W-02: `t` is always sent, `url` exactly when the picture is newer.
  if (upload === undefined) return { ...settings, t: report.fileVersion ?? 0 };
  return { ...settings, t: upload.file_version, url: upload.path };
}

/**
 * The sleep to send. After a reset or a movement the frame would finish the interval that it was in, where it is sent the
 * length that it has stored: one second more is a sleep of its own.
 */
function timeoutOf({ seconds, end }: ToldSleep, { wake, storedTimeoutSeconds }: ClassicWake): number {
  const isInterrupted = wake === 'reset' || wake === 'motion';
  const isPlanned = end !== 'longest' && seconds < limits.sleepSeconds.longest;
  return isInterrupted && isPlanned && seconds === storedTimeoutSeconds ? seconds + 1 : seconds;
}

function changeOf(
  report: ClassicWake,
  timeoutSeconds: number,
  upload: UploadRow | undefined,
  now: number,
): Partial<FrameRow> {
  const change: Partial<FrameRow> = {
    activated_answer_at: now,
    cycle_upload: upload?.id ?? null,
    // W-20: the frame keeps the sleep of every such answer.
    kept_sleep_seconds: timeoutSeconds,
  };
  const isFullWake =
    report.wake === 'button' || report.wake === 'timer' || report.storedTimeoutSeconds !== timeoutSeconds;
  if (isFullWake) change.last_full_wake_at = now;
  if (upload !== undefined) change.picture_synced = 0;
  return change;
}
