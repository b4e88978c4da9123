/** The classic dialect: unmodified frames in the field. A classic frame is sent messages only as replies. */
import {
  type ClassicAnswer,
  type ClassicMessage,
  type ClassicWake,
  decodeClassic,
  encodeClassicAnswer,
} from '../../firmware-protocol/classic.ts';
import { classicTopics } from '../../firmware-protocol/topics.ts';
import { type Database, transact } from '../../runtime/database/database.ts';
import type { DialectTraits } from '../frames/dialect-traits.ts';
import { recordFrameEvent } from '../frames/event-log.ts';
import { changeWatch, recordReturn, watchOf } from '../frames/expect-wake.ts';
import { recordFailure, recordShown } from '../frames/record-report.ts';
import { frameRegistry } from '../frames/registry.ts';
import { uploadLog } from '../pictures/upload-log.ts';
import type { UploadRow } from '../pictures/upload-row.ts';
import { neutralAnswer, recordClassicWake } from './classic-wake.ts';
import type { Conversation, Dialect, DialectDeps, Outgoing } from './dialect.ts';
import { isSuperseded, noteEpoch } from './session-epoch.ts';

/** The traits of the dialect that classic frames speak. */
export const classicTraits: DialectTraits = {
  knowsDigests: false,
  probesFirst: true,
  proves: 'reported',
  provesAtOnce: true,
  knowsCommands: false,
};

/** Composes the dialect of classic frames. */
export function classicDialect(deps: DialectDeps): Dialect {
  const { db, clock, random } = deps;
  return {
    traits: classicTraits,
    opensWake: 'activate',
    async receive(conversation, name, payload) {
      if (name !== 'activate' && name !== 'request' && name !== 'state') return [];
      const message = decodeClassic(name, payload);
      if (!message.ok) {
        await recordFrameEvent(db, random, {
          serial: conversation.serial,
          type: 'log',
          at: clock.now(),
          payload: { level: 'warn', message: `unreadable ${name}: ${message.problem}` },
        });
        return [];
      }
      const answers = await answer(deps, conversation, message.value);
      deps.reported(conversation.serial);
      return answers;
    },
    // W-23: a cycle has one version, so a newer picture waits for the next wake.
    pictureOffered: async () => [],
    // W-20: the next answer carries the setting.
    settingsChanged: async () => [],
  };
}

async function answer(deps: DialectDeps, conversation: Conversation, message: ClassicMessage): Promise<Outgoing[]> {
  switch (message.kind) {
    case 'wake':
      return wake(deps, conversation, message);
    case 'deactivate':
      return deactivate(deps, conversation);
    case 'request':
      return request(deps, conversation);
    case 'state':
      return state(deps, conversation, message.state.slice(0, 64));
  }
}

function reply({ frameUrl }: DialectDeps, { clientId }: Conversation, answer: ClassicAnswer): Outgoing {
  const payload = encodeClassicAnswer(clientId, answer, frameUrl());
  return { topic: classicTopics.receive(clientId), payload, qos: 0 };
}

async function wake(deps: DialectDeps, conversation: Conversation, report: ClassicWake): Promise<Outgoing[]> {
  if (conversation.answer !== undefined) return [conversation.answer];
  try {
    const woken = await transact(deps.db, (trx) => recordClassicWake(deps, trx, conversation, report));
    if (woken === undefined) return [];
    noteEpoch(conversation, woken.frame);
    if (woken.answer === undefined) return [];
    conversation.answer = reply(deps, conversation, woken.answer);
    return [conversation.answer];
  } catch (error) {
    deps.logger.error({ frame: conversation.serial, error }, 'wake not recorded; answering neutrally');
    const answer = neutralAnswer(report);
    return answer === undefined ? [] : [reply(deps, conversation, answer)];
  }
}

async function deactivate(deps: DialectDeps, conversation: Conversation): Promise<Outgoing[]> {
  const { random } = deps;
  const now = deps.clock.now();
  await transact(deps.db, async (trx) => {
    const frame = await frameRegistry(trx).known(conversation.serial);
    // W-36: the first Wi-Fi set-up of a frame that was registered beforehand sends this message too, and must not undo
    // the registration.
    const undoes = frame.activation === 'activated' && frame.activated_answer_at !== null;
    if (undoes) await frameRegistry(trx).setActivation(frame.serial, 'reset', now);
    const watch = await watchOf(trx, frame.serial);
    const back = await recordReturn(trx, { frame, watch }, undefined, { now, random });
    await changeWatch(trx, frame.serial, back);
    await frameRegistry(trx).change(frame.serial, { dialect: 'classic', last_contact_at: now }, now);
    await recordFrameEvent(trx, random, {
      serial: frame.serial,
      type: 'activate',
      at: now,
      payload: { stage: undoes ? 'reset on the frame' : 'set up' },
    });
  });
  conversation.answer = undefined;
  return [reply(deps, conversation, { act: 'reset' })];
}

async function request(deps: DialectDeps, conversation: Conversation): Promise<Outgoing[]> {
  const upload = await cycleUpload(deps.db, conversation.serial);
  return upload === undefined ? [] : [reply(deps, conversation, { url: upload.path })];
}

/** Finds the upload that was announced to this frame in its present cycle, also after a reconnect (W-14). */
async function cycleUpload(db: Database, serial: string): Promise<UploadRow | undefined> {
  const frame = await frameRegistry(db).known(serial);
  return frame.cycle_upload === null ? undefined : uploadLog(db).find(frame.cycle_upload);
}

async function state(deps: DialectDeps, conversation: Conversation, reported: string): Promise<Outgoing[]> {
  const { random } = deps;
  const now = deps.clock.now();
  await transact(deps.db, async (trx) => {
    const frame = await frameRegistry(trx).known(conversation.serial);
    const upload = await cycleUpload(trx, frame.serial);
    if (isSuperseded(conversation, frame)) {
      const payload = { state: reported, superseded: true };
      await recordFrameEvent(trx, random, { serial: frame.serial, type: 'state', at: now, payload });
    } else if (reported === 'update_ok' && upload !== undefined) {
      // W-11: the report is a claim. The record of the download decides whether it counts.
      const synced = upload.fetched_at !== null;
      await uploadLog(trx).shown(upload.id, upload.file_version, now, classicTraits.proves);
      await recordShown(trx, frame, { uploadId: upload.id, fileVersion: upload.file_version, synced }, { now, random });
    } else if (reported === 'update_failed') {
      if (upload !== undefined) await uploadLog(trx).failed(upload.id, now, reported);
      await recordFailure(trx, frame, { uploadId: upload?.id ?? null, reason: reported }, { now, random });
    } else {
      const payload = { state: reported };
      await recordFrameEvent(trx, random, { serial: frame.serial, type: 'state', at: now, payload });
    }
  });
  return [];
}
