/**
 * The dialect of frames that poll as TRMNL's do, below one base address: `/trmnl/api/setup`, `/trmnl/api/display` and
 * `/trmnl/api/log`, with their pictures below the same prefix. What goes over the wire is in `firmware-protocol/trmnl`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { displayAnswer } from '../../../firmware-protocol/trmnl/answers.ts';
import { readCall, type TrmnlCall } from '../../../firmware-protocol/trmnl/headers.ts';
import { serialOfToken } from '../../../firmware-protocol/trmnl/mac-address.ts';
import { chooseRefreshRate } from '../../../firmware-protocol/trmnl/refresh-rate.ts';
import { transact } from '../../../runtime/database.ts';
import { acceptKey, fewestCharacters, serialOfKey } from '../../adoption/frame-keys.ts';
import { noteAsking } from '../../adoption/waiting-frames.ts';
import { frameRegistry } from '../../frames/registry.ts';
import { polledPrefix } from '../../pictures/upload-row.ts';
import type { PolledDeps, PolledDialect } from '../dialect.ts';
import { takeDisplay, trmnlTraits } from './display.ts';
import { takeLog } from './log.ts';
import { sayJson } from './say.ts';
import { answerSetup } from './setup.ts';
import { waitingPictures } from './waiting-picture.ts';

/**
 * How long a frame waits, in seconds: one that nobody has adopted about as long as the firmware waits by itself, one whose
 * first picture is being made not as long.
 */
const waitSeconds = { unadopted: 900, withoutPicture: 120 };

/** The dialect. */
export const trmnlDialect: PolledDialect = {
  name: 'trmnl',
  traits: trmnlTraits,
  open(deps) {
    const waiting = waitingPictures(deps);
    const all = { ...deps, sheetFor: waiting.addressFor, setupPathFor: waiting.setupPathFor };
    return (request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      if (!path.startsWith(`${polledPrefix}/`)) return false;
      const name = path.slice(polledPrefix.length).replace(/\/$/, '');
      const answered = waiting.serve(name, request, response) ?? answer(all, name, request, response);
      answered.catch((error: unknown) => {
        deps.logger.error({ error }, 'a call of a frame was not answered');
        // Without any answer the frame tries again, and keeps what it has.
        response.socket?.destroy();
      });
      return true;
    };
  },
};

interface TrmnlDeps extends PolledDeps {
  /** The quiet sheet for a frame. */
  readonly sheetFor: (call: TrmnlCall) => { readonly path: string; readonly name: string };
  readonly setupPathFor: (call: TrmnlCall) => string;
}

async function answer(
  deps: TrmnlDeps,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isLog = name === '/api/log';
  if (name !== '/api/setup' && name !== '/api/display' && !isLog) return sayJson(response, 404, '{"status":404}');
  if (request.method !== (isLog ? 'POST' : 'GET')) return sayJson(response, 405, '{"status":405}');
  const isSetup = name === '/api/setup';
  const call = readCall(request.headers) ?? (isSetup ? undefined : await callOfKey(deps, request, !isLog));
  if (call === undefined) return sayJson(response, 400, isSetup ? noAddress : noAddressOrToken);
  if (isSetup) return answerSetup(deps, call, request, response);
  const serial = await admitted(deps, call);
  if (isLog) return serial === undefined ? sayJson(response, 204, '') : takeLog(deps, serial, request, response);
  if (serial === undefined) {
    // It is seen, draws a quiet sheet, and asks again.
    await transact(deps.db, (trx) => noteAsking(trx, call, deps.addressOf?.(request), deps.clock.now()));
    return tell(deps.toldAddress(request), response, deps.sheetFor(call), nextAfter(deps, waitSeconds.unadopted));
  }
  await deps.downloadsRecorded(serial);
  const told = await transact(deps.db, (trx) => takeDisplay(deps, trx, call, trmnlDialect.name));
  deps.reported(serial);
  if (told === undefined)
    return tell(deps.toldAddress(request), response, deps.sheetFor(call), nextAfter(deps, waitSeconds.withoutPicture));
  tell(deps.toldAddress(request), response, told, told.refreshSeconds);
}

const noAddress = '{"status":400,"message":"the header ID has no MAC address"}';
const noAddressOrToken = `{"status":400,"message":"there is no MAC address in ID, and no token of ${fewestCharacters} characters in Access-Token"}`;

/**
 * KOReader's plugin, the app for Android and the log of HomePlate send no address, so that theirs is a call of the frame whose
 * key they show.
 * @param mayAsk true where a token that is no frame's asks under an address of its own, by which it can be adopted
 */
async function callOfKey(
  { db }: PolledDeps,
  { headers }: IncomingMessage,
  mayAsk: boolean,
): Promise<TrmnlCall | undefined> {
  const key = headers['access-token'];
  const token = typeof key === 'string' ? key.trim() : '';
  if (headers.id !== undefined || token.length < fewestCharacters) return undefined;
  const serial = await serialOfKey(db, token);
  return serial === undefined && !mayAsk ? undefined : readCall(headers, serial ?? serialOfToken(token));
}

function nextAfter({ random }: PolledDeps, seconds: number): number {
  return chooseRefreshRate(seconds, [], random.jitter());
}

/** Answers a display call. */
function tell(
  baseAddress: string,
  response: ServerResponse,
  { path, name: filename }: { readonly path: string; readonly name: string },
  refreshSeconds: number,
): void {
  const imageUrl = `${baseAddress}${polledPrefix}${path}`;
  sayJson(response, 200, displayAnswer({ imageUrl, filename, refreshSeconds }));
}

/**
 * Lets a frame in by its key. A frame that came from another server is let in by the key it has, once it was adopted.
 * @returns its registry key; undefined for everybody who has to wait
 */
async function admitted(deps: PolledDeps, { serial, token }: TrmnlCall): Promise<string | undefined> {
  if (token === undefined) return undefined;
  const frame = await frameRegistry(deps.db).find(serial);
  if (frame === undefined || frame.activation !== 'activated') return undefined;
  const login = await deps.admit(frame.serial, token);
  const isOurs = login.ok || (await transact(deps.db, (trx) => acceptKey(trx, frame, token, deps.clock.now())));
  return isOurs ? frame.serial : undefined;
}
