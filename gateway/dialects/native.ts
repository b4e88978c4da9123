/** The native dialect, version 1: hello is answered with desired; reports, logs and bye are recorded. */
import { decode, encode } from '../../firmware-protocol/codec.ts';
import { limits } from '../../firmware-protocol/limits.ts';
import type {
  Desired,
  Hello,
  Message,
  MessageName,
  OfferedFirmware,
  Report,
  Update,
} from '../../firmware-protocol/messages.ts';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { nativeTopic } from '../../firmware-protocol/topics.ts';
import { recordEvent } from '../frames/event-log.ts';
import { expectWake } from '../frames/expect-wake.ts';
import { isDoubted } from '../frames/identity-conflict.ts';
import { recordFailure, recordShown, recordWake } from '../frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import { noteFarewell, toldSleepSeconds } from '../frames/settings.ts';
import { choosePicture } from '../pictures/choose-picture.ts';
import { type UploadRow, uploadLog } from '../pictures/upload-log.ts';
import { type Transaction, transact } from '../runtime/database.ts';
import type { Conversation, Dialect, DialectEdges, Outgoing } from './dialect.ts';

/** Added to an announced sleep until the frame has really gone: it is awake meanwhile. */
const awakeAllowanceMs = 60_000;

/** Speaks with native frames. */
export function nativeDialect(edges: DialectEdges): Dialect {
  const { db, clock, random } = edges;

  function desired(
    conversation: Conversation,
    frame: FrameRow,
    upload: UploadRow | undefined,
    firmware?: OfferedFirmware,
  ): Outgoing[] {
    const now = clock.now();
    // A doubted frame's wake is not recorded: what is known is another one's (T-47).
    const wokeAt = conversation.doubted ? now : (frame.cycle_started_at ?? now);
    const message: Desired = {
      time: Math.floor(now / 1000),
      settings: { sleepSeconds: toldSleepSeconds(frame, wokeAt) },
    };
    if (upload !== undefined) {
      message.picture = {
        upload: upload.id,
        fileVersion: upload.file_version,
        url: edges.publicUrl() + upload.path,
        bytes: upload.picture_bytes,
        sha256: upload.picture_sha256,
        format: upload.format ?? panelOfKind(frame.kind)?.packing ?? 'nibble',
        ...(upload.vouched_by !== null && { unchanged: true }),
      };
    }
    if (firmware !== undefined) message.firmware = firmware;
    return [{ topic: nativeTopic(conversation.spelling, 'desired'), payload: encode('desired', message), qos: 1 }];
  }

  /** Tells a frame the newest picture and firmware, given what it holds, and remembers that it was told. */
  async function tell(trx: Transaction, conversation: Conversation, frame: FrameRow): Promise<Outgoing[]> {
    const reported = {
      fileVersion: frame.reported_version,
      sha256: frame.glass_sha256 ?? undefined,
      knowsDigests: true,
    };
    const registered = frame.activation === 'activated';
    if (conversation.doubted) {
      const newest = registered ? await uploadLog(trx).newest(frame.serial) : undefined;
      // What vouches for the frame does not vouch for one that may be a copy of it.
      return desired(conversation, frame, newest && { ...newest, vouched_by: null });
    }
    const upload = registered ? await choosePicture(trx, frame, reported, clock.now(), random) : undefined;
    // Once an upload; a transaction that has to run again counts it twice.
    if (upload !== undefined && upload.vouched_by !== null) {
      edges.meter?.count('papergate_refreshes_avoided_total', { reason: 'unchanged' });
    }
    if (upload !== undefined) await frameRegistry(trx).change(frame.serial, { cycle_upload: upload.id }, clock.now());
    return desired(conversation, frame, upload, await edges.firmware.offerTo(trx, frame));
  }

  async function hello(conversation: Conversation, said: Hello): Promise<Outgoing[]> {
    const now = clock.now();
    conversation.logs = 0;
    // Awake first: what is asked from now on is given at once, behind the answer; what was asked before is found here.
    conversation.awake = true;
    let isAsked = false;
    const answers = await transact(db, async (trx) => {
      isAsked = await edges.commands.anyWaiting(trx, conversation.serial);
      const frame = await frameRegistry(trx).known(conversation.serial);
      conversation.doubted = await isDoubted(trx, frame, said.boot, now, random);
      if (conversation.doubted) {
        // T-47: kept as what was said. It has not confirmed a picture, and has moved no expectation.
        const payload = { dialect: 'native', ...said, doubted: true };
        await recordEvent(trx, random, { serial: frame.serial, type: 'hello', at: now, payload });
        return tell(trx, conversation, frame);
      }
      const report = { dialect: 'native', batteryMv: null, rssi: null, sha256: undefined, ...said } as const;
      const sleepsUntil = now + said.sleepSeconds * 1000 + awakeAllowanceMs;
      const woken = await recordWake(trx, frame, report, now, random, sleepsUntil);
      if (woken.kind !== frame.kind) {
        await edges.kindNamed?.(trx, { serial: frame.serial, before: frame.kind, kind: woken.kind });
      }
      await edges.firmware.woke(trx, { ...woken, dialect: 'native', firmware: said.firmware }, frame.firmware);
      return tell(trx, conversation, woken);
    }).catch((error: unknown) => {
      conversation.awake = false;
      throw error;
    });
    const waiting = isAsked ? await edges.commands.atWake(conversation.serial) : [];
    return [...answers, ...waiting.map((message) => command(conversation, message))];
  }

  async function report(conversation: Conversation, said: Report): Promise<void> {
    const now = clock.now();
    await transact(db, async (trx) => {
      const frame = await frameRegistry(trx).known(conversation.serial);
      const upload = await uploadLog(trx).find(said.upload);
      const known = upload?.serial === frame.serial && upload.file_version === said.fileVersion;
      const ours = known && !isPast(said, frame) && !conversation.doubted;
      if (upload === undefined || !ours || said.stage === 'fetched') {
        // A report of something else, one replayed (T-48), or one of a doubted frame (T-47), is kept as what was said and proves nothing.
        const payload = {
          ...said,
          stage: ours ? said.stage : `${conversation.doubted ? 'doubted' : 'stale'} ${said.stage}`,
        };
        await recordEvent(trx, random, { serial: frame.serial, type: 'picture', at: now, payload });
      } else if (said.stage === 'shown' && said.pictureSynced && said.sha256 === upload.picture_sha256) {
        await uploadLog(trx).shown(upload.id, said.fileVersion, now);
        const shown = { uploadId: upload.id, fileVersion: said.fileVersion, synced: true, sha256: said.sha256 };
        await recordShown(trx, frame, shown, now, random);
      } else {
        const reason = said.stage === 'shown' ? 'shows other bytes than were sent' : (said.reason ?? 'failed');
        await uploadLog(trx).failed(upload.id, now, reason);
        await recordFailure(trx, frame, { uploadId: upload.id, reason }, now, random);
      }
    });
  }

  /** INV-32, T-48: a glass never goes back to a lower version, so a report below what it shows was said before. */
  function isPast(said: Report, frame: FrameRow): boolean {
    return said.fileVersion < frame.reported_version + (said.stage === 'failed' ? 1 : 0);
  }

  async function bye(conversation: Conversation, said: Message<'bye'>): Promise<void> {
    conversation.awake = false;
    if (conversation.doubted) return;
    const now = clock.now();
    await transact(db, async (trx) => {
      await noteFarewell(trx, conversation.serial, said.sleepSeconds, now, random);
      await expectWake(trx, conversation.serial, now + said.sleepSeconds * 1000, now);
    });
  }

  const command = (conversation: Conversation, message: Message<'command'>): Outgoing => ({
    topic: nativeTopic(conversation.spelling, 'command'),
    payload: encode('command', message),
    qos: 1,
  });

  async function note(conversation: Conversation, payload: Record<string, unknown>): Promise<void> {
    await transact(db, (trx) =>
      recordEvent(trx, random, { serial: conversation.serial, type: 'log', at: clock.now(), payload }),
    );
  }

  async function log(conversation: Conversation, said: Message<'log'>): Promise<void> {
    const times = ++conversation.logs;
    if (times <= limits.logsPerWake) await note(conversation, said);
    else if (times === limits.logsPerWake + 1) {
      await note(conversation, { level: 'warn', message: 'said more than is kept of one wake' });
    }
  }

  async function act(conversation: Conversation, name: MessageName, payload: Uint8Array): Promise<Outgoing[]> {
    const said = decode(name, payload);
    if (!said.ok) {
      await note(conversation, { level: 'warn', message: `unreadable ${name}: ${said.problem}` });
      return [];
    }
    if (name === 'hello') return hello(conversation, said.value as Hello);
    if (name === 'report') await report(conversation, said.value as Report);
    if (name === 'bye') await bye(conversation, said.value as Message<'bye'>);
    if (name === 'log') await log(conversation, said.value as Message<'log'>);
    if (name === 'update') {
      await edges.firmware.heard(conversation.serial, said.value as Update, conversation.doubted);
    }
    if (name === 'reply') await edges.commands.heard(conversation.serial, said.value as Message<'reply'>);
    return [];
  }

  return {
    traits: { knowsDigests: true, probesFirst: false, knowsCommands: true },
    opensWake: 'hello',
    async receive(conversation, name, payload) {
      const answers = await act(conversation, name as MessageName, payload);
      // What may be evidence; the rest moves nothing.
      if (name === 'hello' || name === 'report') edges.reported(conversation.serial);
      return answers;
    },
    async pictureOffered(conversation) {
      if (!conversation.awake) return [];
      return transact(db, async (trx) => tell(trx, conversation, await frameRegistry(trx).known(conversation.serial)));
    },
    async settingsChanged(conversation) {
      if (!conversation.awake) return [];
      const frame = await frameRegistry(db).known(conversation.serial);
      const newest = frame.activation === 'activated' ? await uploadLog(db).newest(frame.serial) : undefined;
      // Nothing is weighed: it is what the frame was told before, beside the new setting. The last desired counts.
      const told = newest !== undefined && newest.announced_at !== null && !conversation.doubted;
      // What it has said to show is none it could still take.
      const open = told && newest.file_version > frame.reported_version;
      return desired(conversation, frame, open ? newest : undefined);
    },
    command: (conversation, message) => (conversation.awake ? [command(conversation, message)] : []),
  };
}
