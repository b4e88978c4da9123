/**
 * A third dialect, as small as one can be: a frame that is never connected. It asks `GET /poll/SERIAL` with its state
 * in headers and its password as the bearer secret, gets JSON about what to show and when to come back, fetches the
 * picture, and reports the outcome at its next poll. It knows no digests, does not probe, and takes commands.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PolledDeps, PolledDialect } from '../../gateway/dialects/dialect.ts';
import { expectTold } from '../../gateway/frames/expect-wake.ts';
import { recordFailure, recordShown, recordWake } from '../../gateway/frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../../gateway/frames/registry.ts';
import { sleepToTell } from '../../gateway/frames/told-sleep.ts';
import { choosePicture } from '../../gateway/pictures/choose-picture.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';

export interface PollAnswer {
  readonly picture?: { readonly url: string; readonly version: number };
  readonly commands: readonly { readonly id: string; readonly name: string }[];
  readonly comeBackSeconds: number;
}

interface Poll {
  readonly serial: string;
  readonly version: number;
  readonly firmware: string;
  readonly batteryMv: number;
  /** The outcome of the last picture that was announced to it. */
  readonly became: 'shown' | 'failed' | undefined;
  /** The command it carried out last. */
  readonly done: string | undefined;
}

export const pollingDialect: PolledDialect = {
  name: 'polling',
  traits: { knowsDigests: false, probesFirst: false, proves: 'reported', provesAtOnce: false, knowsCommands: true },
  open: (deps) => (request, response) => {
    const serial = /^\/poll\/([\w-]{1,64})$/.exec(request.url ?? '')?.[1];
    if (serial === undefined) return false;
    answer(deps, serial, request, response).catch((error: unknown) => {
      deps.logger.error({ frame: serial, error }, 'poll not recorded');
      say(response, 503);
    });
    return true;
  },
};

async function answer(
  deps: PolledDeps,
  serial: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const secret = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const admitted = await deps.admit(serial, secret);
  if (!admitted.ok) return say(response, admitted.returnCode === 3 ? 429 : 401);
  const poll = read(admitted.serial, request.headers);
  if (poll === undefined) return say(response, 400);
  if (poll.done !== undefined) await deps.commands.replied(poll.serial, { command: poll.done, ok: true });
  await deps.downloadsRecorded(poll.serial);
  const told = await transact(deps.db, (trx) => take(deps, trx, poll));
  const commands = await deps.commands.atWake(poll.serial);
  deps.reported(poll.serial);
  say(response, 200, { ...told, commands: commands.map(({ id, name }) => ({ id, name })) });
}

async function take(deps: PolledDeps, trx: Transaction, poll: Poll): Promise<Omit<PollAnswer, 'commands'>> {
  const now = deps.clock.now();
  const frame = await frameRegistry(trx).known(poll.serial);
  await takeReport(deps, trx, frame, poll);
  const { version: fileVersion, firmware, batteryMv } = poll;
  const said = { dialect: 'polling', wake: 'timer', orientation: 0, rssi: undefined } as const;
  await recordWake(trx, frame, { ...said, firmware, fileVersion, batteryMv }, { now, random: deps.random });
  const held = { fileVersion, sha256: undefined, knowsDigests: false, proves: 'reported' } as const;
  const upload =
    frame.activation === 'activated' ? await choosePicture(trx, frame, held, { now, random: deps.random }) : undefined;
  const mark = { cycle_upload: upload?.id ?? null, ...(upload && { picture_synced: 0 }) };
  await frameRegistry(trx).change(poll.serial, mark, now);
  const told = await sleepToTell(trx, frame, { givesNew: upload !== undefined }, now);
  await expectTold(trx, poll.serial, { told, awake: 0 }, now);
  return {
    comeBackSeconds: told.seconds,
    ...(upload && { picture: { url: deps.publicUrl() + upload.path, version: upload.file_version } }),
  };
}

/** Takes the report of the last picture. Only the download record makes it more than a claim. */
async function takeReport(deps: PolledDeps, trx: Transaction, frame: FrameRow, poll: Poll): Promise<void> {
  const now = deps.clock.now();
  const upload = frame.cycle_upload === null ? undefined : await uploadLog(trx).find(frame.cycle_upload);
  if (poll.became === undefined || upload === undefined) return;
  if (poll.became === 'shown' && poll.version === upload.file_version) {
    const synced = upload.fetched_at !== null;
    await uploadLog(trx).shown(upload.id, upload.file_version, now, 'reported');
    const shown = { uploadId: upload.id, fileVersion: upload.file_version, synced };
    await recordShown(trx, frame, shown, { now, random: deps.random });
  } else {
    await uploadLog(trx).failed(upload.id, now, 'update failed');
    await recordFailure(trx, frame, { uploadId: upload.id, reason: 'update failed' }, { now, random: deps.random });
  }
}

function read(serial: string, headers: IncomingMessage['headers']): Poll | undefined {
  const [version, batteryMv] = [Number(headers['x-version']), Number(headers['x-battery-mv'])];
  const became = headers['x-became'];
  if (!Number.isInteger(version) || version < 0 || !Number.isInteger(batteryMv)) return undefined;
  return {
    serial,
    version,
    batteryMv,
    firmware: String(headers['x-firmware'] ?? '').slice(0, 32),
    became: became === 'shown' || became === 'failed' ? became : undefined,
    done: headers['x-done'] === undefined ? undefined : String(headers['x-done']).slice(0, 64),
  };
}

function say(response: ServerResponse, status: number, body?: PollAnswer): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
