/** The classic dialect: frames in the field, unmodified (frame wire; the W-rules). Published to only as a reply (W-24). */
import {
  type ClassicAnswer,
  type ClassicMessage,
  type ClassicWake,
  decodeClassic,
  encodeClassicAnswer,
} from '../../firmware-protocol/classic.ts';
import { classicTopics } from '../../firmware-protocol/topics.ts';
import { recordEvent } from '../frames/event-log.ts';
import { changeWatch, expectWake, watchOf, welcomeBack } from '../frames/expect-wake.ts';
import { noteVersion } from '../frames/identity-conflict.ts';
import { classicAsleepUntil } from '../frames/presence.ts';
import { recordFailure, recordShown, recordWake } from '../frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import { noteKept, toldSleepSeconds } from '../frames/settings.ts';
import { choosePicture } from '../pictures/choose-picture.ts';
import { type UploadRow, uploadLog } from '../pictures/upload-log.ts';
import { type Transaction, transact } from '../runtime/database.ts';
import type { Conversation, Dialect, DialectEdges, Outgoing } from './dialect.ts';

/** The sleep of a frame that cannot be answered properly: short, so that it is back when the trouble is over (W-19). */
const neutralSleepSeconds = 300;

/** Speaks with classic frames. */
export function classicDialect(edges: DialectEdges): Dialect {
  const { db, clock, random, logger } = edges;

  const reply = (conversation: Conversation, answer: ClassicAnswer): Outgoing => ({
    topic: classicTopics.receive(conversation.spelling),
    payload: encodeClassicAnswer(conversation.spelling, answer, edges.frameUrl()),
    qos: 0,
  });

  async function wake(conversation: Conversation, report: ClassicWake): Promise<Outgoing[]> {
    if (conversation.answer !== undefined) return [conversation.answer];
    try {
      const answer = await transact(db, async (trx) => {
        const frame = await frameRegistry(trx).known(conversation.serial);
        const now = clock.now();
        if (frame.dialect === 'classic') await noteVersion(trx, frame, report.fileVersion ?? 0, now, random);
        const heard = { ...report, dialect: 'classic', fileVersion: report.fileVersion ?? 0 } as const;
        await recordWake(trx, frame, heard, now, random);
        const { firmware } = report;
        if (firmware !== undefined) {
          await edges.firmware.woke(trx, { ...frame, dialect: 'classic', firmware }, frame.firmware);
        }
        return answerWake(trx, frame, report, now);
      });
      if (answer === undefined) return [];
      conversation.answer = reply(conversation, answer);
      return [conversation.answer];
    } catch (error) {
      logger.error({ frame: conversation.serial, error }, 'wake not recorded; answering neutrally');
      const answer = neutralAnswer(report);
      return answer === undefined ? [] : [reply(conversation, answer)];
    }
  }

  async function answerWake(
    trx: Transaction,
    frame: FrameRow,
    report: ClassicWake,
    now: number,
  ): Promise<ClassicAnswer | undefined> {
    if (frame.activation === 'never' && report.fileVersion !== 0) {
      // W-18: long activated somewhere else; `not_started` would wipe it. Nobody sees its events but who reads the log.
      const problem = 'holds a picture but is registered with nobody';
      await recordEvent(trx, random, { serial: frame.serial, type: 'alert', at: now, payload: { problem } });
      logger.warn({ frame: frame.serial, problem }, 'alert about a frame');
      return neutralAnswer(report);
    }
    // W-17: only here, after the row was read, and only because a person has not registered it or took it back.
    if (frame.activation !== 'activated') return { act: 'not_started' };

    const timeoutSeconds = toldSleepSeconds(frame, now);
    const upload = await choosePicture(
      trx,
      frame,
      { fileVersion: report.fileVersion ?? 0, sha256: undefined, knowsDigests: false },
      now,
      random,
    );
    const fullWake =
      report.wake === 'button' || report.wake === 'timer' || report.storedTimeoutSeconds !== timeoutSeconds;
    const change: Partial<FrameRow> = {
      activated_answer_at: now,
      cycle_upload: upload?.id ?? null,
      // W-20: it keeps what every such answer says.
      kept_sleep_seconds: timeoutSeconds,
    };
    const kept = { ...frame, kept_sleep_seconds: report.storedTimeoutSeconds ?? frame.kept_sleep_seconds };
    await noteKept(trx, kept, timeoutSeconds, now, random, 'told');
    if (fullWake) change.last_full_wake_at = now;
    if (upload !== undefined) change.picture_synced = 0;
    await frameRegistry(trx).change(frame.serial, change, now);
    const until = classicAsleepUntil({
      frame,
      wake: report.wake,
      timeoutSeconds,
      storedTimeoutSeconds: report.storedTimeoutSeconds,
      hasNewPicture: upload !== undefined,
      now,
    });
    await expectWake(trx, frame.serial, until, now);
    // W-01, W-02: t always, url exactly when it is newer.
    if (upload === undefined) return { act: 'activated', timeout: timeoutSeconds, t: report.fileVersion ?? 0 };
    return { act: 'activated', timeout: timeoutSeconds, t: upload.file_version, url: upload.path };
  }

  async function deactivate(conversation: Conversation): Promise<Outgoing[]> {
    const now = clock.now();
    await transact(db, async (trx) => {
      const frame = await frameRegistry(trx).known(conversation.serial);
      // W-36. The first Wi-Fi set-up of a frame registered beforehand says this too, and must not undo it.
      const undoes = frame.activation === 'activated' && frame.activated_answer_at !== null;
      if (undoes) await frameRegistry(trx).setActivation(frame.serial, 'reset', now);
      const back = await welcomeBack(trx, frame, await watchOf(trx, frame.serial), undefined, now, random);
      await changeWatch(trx, frame.serial, back);
      await frameRegistry(trx).change(frame.serial, { dialect: 'classic', last_contact_at: now }, now);
      await recordEvent(trx, random, {
        serial: frame.serial,
        type: 'activate',
        at: now,
        payload: { stage: undoes ? 'reset on the frame' : 'set up' },
      });
    });
    conversation.answer = undefined;
    return [reply(conversation, { act: 'reset' })];
  }

  async function request(conversation: Conversation): Promise<Outgoing[]> {
    const upload = await cycleUpload(conversation.serial);
    return upload === undefined ? [] : [reply(conversation, { url: upload.path })];
  }

  /** The upload this frame was told about in its present cycle, also after a reconnect (W-14). */
  async function cycleUpload(serial: string, trx: Transaction | typeof db = db): Promise<UploadRow | undefined> {
    const frame = await frameRegistry(trx).known(serial);
    return frame.cycle_upload === null ? undefined : uploadLog(trx).find(frame.cycle_upload);
  }

  async function state(conversation: Conversation, said: string): Promise<Outgoing[]> {
    const now = clock.now();
    await transact(db, async (trx) => {
      const frame = await frameRegistry(trx).known(conversation.serial);
      const upload = await cycleUpload(frame.serial, trx);
      if (said === 'update_ok' && upload !== undefined) {
        // W-11, W-12: a claim. The download record decides whether it is worth anything.
        const synced = upload.fetched_at !== null;
        await uploadLog(trx).shown(upload.id, upload.file_version, now);
        await recordShown(trx, frame, { uploadId: upload.id, fileVersion: upload.file_version, synced }, now, random);
      } else if (said === 'update_failed') {
        if (upload !== undefined) await uploadLog(trx).failed(upload.id, now, said);
        await recordFailure(trx, frame, { uploadId: upload?.id ?? null, reason: said }, now, random);
      } else {
        await recordEvent(trx, random, { serial: frame.serial, type: 'state', at: now, payload: { state: said } });
      }
    });
    return [];
  }

  async function act(conversation: Conversation, message: ClassicMessage): Promise<Outgoing[]> {
    switch (message.kind) {
      case 'wake':
        return wake(conversation, message);
      case 'deactivate':
        return deactivate(conversation);
      case 'request':
        return request(conversation);
      case 'state':
        return state(conversation, message.state.slice(0, 64));
    }
  }

  return {
    traits: { knowsDigests: false, probesFirst: true, knowsCommands: false },
    opensWake: 'activate',
    async receive(conversation, name, payload) {
      if (name !== 'activate' && name !== 'request' && name !== 'state') return [];
      const message = decodeClassic(name, payload);
      if (!message.ok) {
        await recordEvent(db, random, {
          serial: conversation.serial,
          type: 'log',
          at: clock.now(),
          payload: { level: 'warn', message: `unreadable ${name}: ${message.problem}` },
        });
        return [];
      }
      const answers = await act(conversation, message.value);
      edges.reported(conversation.serial);
      return answers;
    },
    // W-23, W-24: one version a cycle, and only as a reply; a newer picture waits for the next wake.
    pictureOffered: async () => [],
    // W-20, W-24: the next answer says it.
    settingsChanged: async () => [],
  };
}

/** W-19: sleeps and changes nothing. Without a version to repeat it would draw "no picture": silence is kinder. */
function neutralAnswer({ fileVersion }: ClassicWake): ClassicAnswer | undefined {
  if (fileVersion === undefined || fileVersion === 0) return undefined;
  return { act: 'activated', timeout: neutralSleepSeconds, t: fileVersion };
}
