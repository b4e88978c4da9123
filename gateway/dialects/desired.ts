/** The `desired` message of the native dialect: the settings, the picture and the firmware that a frame is to have. */
import { encode } from '../../firmware-protocol/codec.ts';
import type { Desired, OfferedFirmware } from '../../firmware-protocol/messages.ts';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { nativeTopic } from '../../firmware-protocol/topics.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { whyNotDrawn } from '../frames/named-panel.ts';
import { awakeSecondsOf } from '../frames/presence.ts';
import type { FrameAtWake } from '../frames/record-report.ts';
import { frameRegistry } from '../frames/registry.ts';
import { sleepToTell } from '../frames/told-sleep.ts';
import { choosePicture } from '../pictures/choose-picture.ts';
import { uploadLog } from '../pictures/upload-log.ts';
import type { UploadRow } from '../pictures/upload-row.ts';
import type { Conversation, DialectDeps, Outgoing } from './dialect.ts';

/**
 * Chooses the newest picture and firmware for a frame, given what it reported, and records that they are announced.
 * @returns the `desired` message to send
 */
export async function announceDesired(
  deps: DialectDeps,
  trx: Transaction,
  conversation: Conversation,
  frame: FrameAtWake,
): Promise<Outgoing[]> {
  const { clock, random } = deps;
  const reported = {
    fileVersion: frame.reported_version,
    sha256: frame.glass_sha256 ?? undefined,
    knowsDigests: true,
    proves: 'named',
  } as const;
  const registered = frame.activation === 'activated';
  if (conversation.suspect) {
    const newest = registered ? await uploadLog(trx).newest(frame.serial) : undefined;
    // An earlier download attests the picture of the frame itself, not that of a frame that may be its copy.
    return desired(deps, trx, conversation, { frame, upload: newest && { ...newest, vouched_by: null } });
  }
  const upload = registered ? await choosePicture(trx, frame, reported, { now: clock.now(), random }) : undefined;
  // Counted once an upload; a transaction that has to run again counts it twice.
  if (upload !== undefined && upload.vouched_by !== null) {
    deps.meter?.count('papergate_refreshes_avoided_total', { reason: 'unchanged' });
  }
  if (upload !== undefined) await frameRegistry(trx).change(frame.serial, { cycle_upload: upload.id }, clock.now());
  const firmware = await deps.firmware.offerTo(trx, frame);
  return desired(deps, trx, conversation, { frame, upload, firmware });
}

/** Repeats the picture that was announced before, together with a setting that was changed. The last `desired` counts. */
export async function repeatDesired(deps: DialectDeps, conversation: Conversation): Promise<Outgoing[]> {
  const { db } = deps;
  const frame = await frameRegistry(db).known(conversation.serial);
  const newest = frame.activation === 'activated' ? await uploadLog(db).newest(frame.serial) : undefined;
  const wasAnnounced = newest !== undefined && newest.announced_at !== null && !conversation.suspect;
  // The frame can no longer take a picture that it has reported as shown.
  const isOpen = wasAnnounced && newest.file_version > frame.reported_version;
  return desired(deps, db, conversation, { frame, upload: isOpen ? newest : undefined });
}

interface Told {
  readonly frame: FrameAtWake;
  readonly upload: UploadRow | undefined;
  readonly firmware?: OfferedFirmware | undefined;
}

async function desired(
  deps: DialectDeps,
  db: Database,
  conversation: Conversation,
  { frame, upload, firmware }: Told,
): Promise<Outgoing[]> {
  const now = deps.clock.now();
  // T-47: the wake of a suspect frame is not recorded; the recorded one is another frame's.
  const wokeAt = conversation.suspect ? now : (frame.cycle_started_at ?? now);
  // A picture that the glass shows already is not drawn again.
  const awake = awakeSecondsOf(frame, upload !== undefined && upload.vouched_by === null);
  const isBeingMade = deps.isBeingMade?.(frame.serial);
  const known = { awakeSeconds: awake, givesNew: upload !== undefined, isBeingMade };
  const told = await sleepToTell(db, frame, known, wokeAt);
  // T-47: a suspect frame says goodbye for itself alone.
  conversation.telling = { toldAt: wokeAt, seconds: told.seconds, awake, told };
  const message: Desired = { time: Math.floor(now / 1000), settings: { sleepSeconds: told.seconds } };
  if (upload !== undefined && whyNotDrawn(frame, upload.panel) === undefined) {
    message.picture = {
      upload: upload.id,
      fileVersion: upload.file_version,
      url: deps.publicUrl() + upload.path,
      bytes: upload.picture_bytes,
      sha256: upload.picture_sha256,
      format: upload.format ?? panelOfKind(frame.kind)?.packing ?? 'nibble',
      ...(upload.vouched_by !== null && { unchanged: true }),
    };
  }
  if (firmware !== undefined) message.firmware = firmware;
  return [{ topic: nativeTopic(conversation.clientId, 'desired'), payload: encode('desired', message), qos: 1 }];
}
