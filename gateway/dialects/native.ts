/** The native dialect, version 1: hello is answered with desired; reports, logs and bye are recorded. */
import { decode, encode } from '../../firmware-protocol/codec.ts';
import { limits } from '../../firmware-protocol/limits.ts';
import type { Hello, Message, MessageName, Report, Update } from '../../firmware-protocol/messages.ts';
import { nativeTopic } from '../../firmware-protocol/topics.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';
import type { DialectTraits } from '../frames/dialect-traits.ts';
import { type EventFacts, recordFrameEvent } from '../frames/event-log.ts';
import { expectWake, type Telling } from '../frames/expect-wake.ts';
import { type FrameAtWake, recordFailure, recordShown, recordWake } from '../frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import { recordByeSleep } from '../frames/settings.ts';
import { isSuspect } from '../identity/detect-conflict.ts';
import { uploadLog } from '../pictures/upload-log.ts';
import type { UploadRow } from '../pictures/upload-row.ts';
import { announceDesired, repeatDesired } from './desired.ts';
import type { Conversation, Dialect, DialectDeps, Outgoing } from './dialect.ts';
import { isSuperseded, noteEpoch } from './session-epoch.ts';

/** Added to an announced sleep until the frame has really gone: it is awake meanwhile. */
const awakeAllowanceMs = 60_000;

/** The traits of the dialect that native frames speak. */
export const nativeTraits: DialectTraits = {
  knowsDigests: true,
  probesFirst: false,
  proves: 'named',
  provesAtOnce: true,
  knowsCommands: true,
};

/** Composes the dialect of native frames. */
export function nativeDialect(deps: DialectDeps): Dialect {
  return {
    traits: nativeTraits,
    opensWake: 'hello',
    async receive(conversation, name, payload) {
      const answers = await receive(deps, conversation, name as MessageName, payload);
      // The other messages are not evidence, and change nothing about a delivery.
      if (name === 'hello' || name === 'report') deps.reported(conversation.serial);
      if (name === 'bye') deps.slept?.(conversation.serial);
      return answers;
    },
    async pictureOffered(conversation) {
      if (!conversation.awake) return [];
      return transact(deps.db, async (trx) => {
        const frame = await frameRegistry(trx).known(conversation.serial);
        return isSuperseded(conversation, frame) ? [] : announceDesired(deps, trx, conversation, frame);
      });
    },
    settingsChanged: async (conversation) => (conversation.awake ? repeatDesired(deps, conversation) : []),
    command: (conversation, message) => (conversation.awake ? [command(conversation, message)] : []),
  };
}

async function receive(
  deps: DialectDeps,
  conversation: Conversation,
  name: MessageName,
  payload: Uint8Array,
): Promise<Outgoing[]> {
  const message = decode(name, payload);
  if (!message.ok) {
    await recordLog(deps, conversation, { level: 'warn', message: `unreadable ${name}: ${message.problem}` });
    return [];
  }
  if (name === 'hello') return hello(deps, conversation, message.value as Hello);
  if (name === 'report') await report(deps, conversation, message.value as Report);
  if (name === 'bye') await bye(deps, conversation, message.value as Message<'bye'>);
  if (name === 'log') await log(deps, conversation, message.value as Message<'log'>);
  if (name === 'update') {
    const isDoubted = conversation.suspect || conversation.isOver === true;
    await deps.firmware.phaseReported(conversation.serial, message.value as Update, isDoubted);
  }
  if (name === 'reply') await deps.commands.replied(conversation.serial, message.value as Message<'reply'>);
  return [];
}

async function hello(deps: DialectDeps, conversation: Conversation, message: Hello): Promise<Outgoing[]> {
  conversation.logs = 0;
  conversation.telling = undefined;
  // The frame counts as awake before the transaction: a command given from now on is sent at once, behind the answer,
  // and one that was given before is found in the transaction.
  conversation.awake = true;
  let hasCommands = false;
  let woken: FrameAtWake | undefined;
  const answers = await transact(deps.db, async (trx) => {
    hasCommands = await deps.commands.anyWaiting(trx, conversation.serial);
    woken = await recordHello(deps, trx, conversation, message);
    return woken === undefined ? [] : announceDesired(deps, trx, conversation, woken);
  }).catch((error: unknown) => {
    conversation.awake = false;
    throw error;
  });
  conversation.awake = woken !== undefined;
  if (woken === undefined) return [];
  noteEpoch(conversation, woken);
  const waiting = hasCommands ? await deps.commands.atWake(conversation.serial) : [];
  return [...answers, ...waiting.map((waits) => command(conversation, waits))];
}

/**
 * Records a hello and what follows from it.
 * @returns the frame's row as it is now; undefined when the frame has woken in another session since
 */
async function recordHello(
  deps: DialectDeps,
  trx: Transaction,
  conversation: Conversation,
  hello: Hello,
): Promise<FrameAtWake | undefined> {
  const { clock, random } = deps;
  const now = clock.now();
  const frame = await frameRegistry(trx).known(conversation.serial);
  if (isSuperseded(conversation, frame)) {
    const payload = { dialect: 'native', ...hello, superseded: true };
    await recordFrameEvent(trx, random, { serial: frame.serial, type: 'hello', at: now, payload });
    return undefined;
  }
  conversation.suspect = await isSuspect(trx, frame, hello.boot, { now, random });
  if (conversation.suspect) {
    // T-47: only the event is kept. The hello confirms no picture and moves no expected wake.
    const payload = { dialect: 'native', ...hello, suspect: true };
    await recordFrameEvent(trx, random, { serial: frame.serial, type: 'hello', at: now, payload });
    return frame;
  }
  const report = { dialect: 'native', batteryMv: null, rssi: null, sha256: undefined, ...hello } as const;
  const announcedUntil = now + hello.sleepSeconds * 1000 + awakeAllowanceMs;
  const woken = await recordWake(trx, frame, { ...report, announcedUntil }, { now, random });
  if (woken.kind !== frame.kind) {
    await deps.kindNamed?.(trx, { serial: frame.serial, before: frame.kind, kind: woken.kind });
  }
  await deps.firmware.woke(trx, {
    ...woken,
    dialect: 'native',
    firmware: hello.firmware,
    firmwareBefore: frame.firmware,
  });
  return woken;
}

async function report(deps: DialectDeps, conversation: Conversation, message: Report): Promise<void> {
  const { random } = deps;
  const now = deps.clock.now();
  await transact(deps.db, async (trx) => {
    const frame = await frameRegistry(trx).known(conversation.serial);
    const upload = await uploadLog(trx).find(message.upload);
    const isPresent = !isSuperseded(conversation, frame);
    const counts = isOwnReport(message, upload, frame) && !conversation.suspect && isPresent;
    if (upload === undefined || !counts || message.stage === 'fetched') {
      // A report about another upload, a replayed one (T-48), or one of a suspect frame or an earlier session is kept as
      // an event and proves nothing.
      const doubt = conversation.suspect ? 'doubted' : isPresent ? 'stale' : 'superseded';
      const payload: EventFacts = { ...message, stage: counts ? message.stage : `${doubt} ${message.stage}` };
      await recordFrameEvent(trx, random, { serial: frame.serial, type: 'picture', at: now, payload });
    } else if (message.stage === 'shown' && message.pictureSynced && message.sha256 === upload.picture_sha256) {
      await uploadLog(trx).shown(upload.id, message.fileVersion, now, nativeTraits.proves);
      const shown = { uploadId: upload.id, fileVersion: message.fileVersion, synced: true, sha256: message.sha256 };
      await recordShown(trx, frame, shown, { now, random });
    } else {
      const reason = message.stage === 'shown' ? 'shows other bytes than were sent' : (message.reason ?? 'failed');
      await uploadLog(trx).failed(upload.id, now, reason);
      await recordFailure(trx, frame, { uploadId: upload.id, reason }, { now, random });
    }
  });
}

/** True when a report is about an upload of this frame and its present owner (T-63), in its version, and is not a replay. */
function isOwnReport(report: Report, upload: UploadRow | undefined, frame: FrameRow): boolean {
  const isOwn = upload?.serial === frame.serial && upload.ownership === frame.ownership;
  return isOwn && upload.file_version === report.fileVersion && !isPast(report, frame);
}

/** T-48: a glass never goes back to a lower version, so a report below the shown version is a replay. */
function isPast(report: Report, frame: FrameRow): boolean {
  return report.fileVersion < frame.reported_version + (report.stage === 'failed' ? 1 : 0);
}

async function bye(deps: DialectDeps, conversation: Conversation, message: Message<'bye'>): Promise<void> {
  conversation.awake = false;
  if (conversation.suspect) return;
  const now = deps.clock.now();
  await transact(deps.db, async (trx) => {
    const frame = await frameRegistry(trx).known(conversation.serial);
    if (isSuperseded(conversation, frame)) return;
    const kept = await recordByeSleep(trx, frame, message.sleepSeconds, { now, random: deps.random });
    const announced = {
      now,
      announcedUntil: now + message.sleepSeconds * 1000,
      telling: followed(conversation, message),
    };
    await expectWake(trx, frame.serial, announced, kept);
  });
}

/** The sleep that the frame was sent, where it says goodbye with that one. */
function followed({ telling }: Conversation, { sleepSeconds }: Message<'bye'>): Telling | undefined {
  return telling?.seconds === sleepSeconds ? telling : undefined;
}

async function log(deps: DialectDeps, conversation: Conversation, message: Message<'log'>): Promise<void> {
  const times = ++conversation.logs;
  if (times <= limits.logsPerWake) await recordLog(deps, conversation, message);
  else if (times === limits.logsPerWake + 1) {
    await recordLog(deps, conversation, { level: 'warn', message: 'said more than is kept of one wake' });
  }
}

async function recordLog(
  { db, clock, random }: DialectDeps,
  { serial }: Conversation,
  payload: EventFacts,
): Promise<void> {
  await transact(db, (trx) => recordFrameEvent(trx, random, { serial, type: 'log', at: clock.now(), payload }));
}

function command(conversation: Conversation, message: Message<'command'>): Outgoing {
  return { topic: nativeTopic(conversation.clientId, 'command'), payload: encode('command', message), qos: 1 };
}
