/**
 * The dialect of frames that poll as TRMNL's do, below one base address: `/trmnl/api/setup`, `/trmnl/api/display` and
 * `/trmnl/api/log`, with their pictures below the same prefix. What goes over the wire is in `firmware-protocol/trmnl`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { displayAnswer } from '../../../firmware-protocol/trmnl/answers.ts';
import { readCall, type TrmnlCall } from '../../../firmware-protocol/trmnl/headers.ts';
import { serialOfToken } from '../../../firmware-protocol/trmnl/mac-address.ts';
import { chooseRefreshRate, refreshLimits } from '../../../firmware-protocol/trmnl/refresh-rate.ts';
import { transact } from '../../../runtime/database/database.ts';
import { acceptKey, fewestCharacters, isKeyed, serialOfKey } from '../../adoption/frame-keys.ts';
import { type Asker, askerOf, noteAsking } from '../../adoption/waiting-frames.ts';
import { frameRegistry } from '../../frames/registry.ts';
import { polledPrefix } from '../../pictures/upload-row.ts';
import type { PolledDeps, PolledDialect } from '../dialect.ts';
import { takeDisplay } from './display.ts';
import { lastAnswer } from './last-answers.ts';
import { takeLog } from './log.ts';
import { isOwnDownload } from './own-download.ts';
import { sayJson } from './say.ts';
import { answerSetup } from './setup.ts';
import { trmnlTraits } from './traits.ts';
import { waitingPictures } from './waiting-picture.ts';

/**
 * How long a frame waits, in seconds: one that nobody has adopted about as long as the firmware waits by itself, one whose
 * first picture is being made not as long.
 */
const waitSeconds = { unadopted: 900, withoutPicture: 120 };

export const trmnlDialect: PolledDialect = {
  name: 'trmnl',
  traits: trmnlTraits,
  isOwnDownload,
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
  const admission = await admitted(deps, call, request);
  if (admission.is === 'early') return sayTooOften(deps, request, response, admission);
  if (isLog) {
    return admission.is === 'in' ? takeLog(deps, admission.serial, request, response) : sayJson(response, 204, '');
  }
  const address = deps.toldAddress(request);
  if (admission.is === 'unknown') {
    // It is seen, draws a quiet sheet, and asks again.
    const { asking } = admission;
    if (asking !== undefined) await transact(deps.db, (trx) => noteAsking(trx, call, asking, deps.clock.now()));
    return tell(address, response, deps.sheetFor(call), nextAfter(deps, waitSeconds.unadopted));
  }
  const { serial } = admission;
  await deps.downloadsRecorded(serial);
  // The firmware identifies itself only at the address that was entered into it, and other clients nowhere.
  const { id, host } = request.headers;
  const sharesAddress = id !== undefined && host === new URL(address).host;
  const told = await transact(deps.db, (trx) => takeDisplay(deps, trx, { ...call, sharesAddress }, trmnlDialect.name));
  deps.reported(serial);
  if (told === undefined)
    return tell(address, response, deps.sheetFor(call), nextAfter(deps, waitSeconds.withoutPicture));
  tell(address, response, told, told.refreshSeconds);
}

const noAddress = '{"status":400,"message":"the header ID has no MAC address"}';
const noAddressOrToken = `{"status":400,"message":"there is no MAC address in ID, and no token of ${fewestCharacters} characters in Access-Token"}`;

/**
 * Answers a frame that calls too often with what it was sent last (T-115): a stranger's sheet would be drawn over its
 * picture. Firmware reads an answer with this status like others, and tries again later where the answer is empty.
 */
async function sayTooOften(
  deps: TrmnlDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { known }: EarlyCall,
): Promise<void> {
  const last = known === undefined ? undefined : await lastAnswer(deps.db, known);
  const wait = { 'retry-after': String(last?.refresh_seconds ?? refreshLimits.shortest) };
  const told = last === undefined ? '' : answerWith(deps.toldAddress(request), last, last.refresh_seconds);
  sayJson(response, 429, told, wait);
}

/**
 * Reads a call without an address, as KOReader's plugin, the app for Android and the log of HomePlate send it, as a
 * call of the frame whose key it shows.
 * @param mayAsk true where a token that is not a frame's asks under an address of its own, by which it can be adopted
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
function tell(address: string, response: ServerResponse, picture: ToldPicture, refreshSeconds: number): void {
  sayJson(response, 200, answerWith(address, picture, refreshSeconds));
}

/** The path of a picture below the prefix, and its name. */
interface ToldPicture {
  readonly path: string;
  readonly name: string;
}

/** @param address that of the service, as this caller is given it */
function answerWith(address: string, { path, name: filename }: ToldPicture, refreshSeconds: number): string {
  return displayAnswer({ imageUrl: `${address}${polledPrefix}${path}`, filename, refreshSeconds });
}

/** A call that came too soon after others: of a frame that showed its key, or of anyone while too many call at once. */
interface EarlyCall {
  readonly is: 'early';
  readonly known: string | undefined;
}

/** The outcome of a call: a frame that waits is listed, unless it shows a wrong key of a frame that has one. */
type PolledAdmission =
  | { readonly is: 'in'; readonly serial: string }
  | EarlyCall
  | { readonly is: 'unknown'; readonly asking: Asker | undefined };

/** Lets a frame in by its key. A frame that came from another server is let in by the key it has, once it was adopted. */
async function admitted(
  deps: PolledDeps,
  { serial, token }: TrmnlCall,
  request: IncomingMessage,
): Promise<PolledAdmission> {
  const asking = askerOf(token, deps.addressOf?.(request));
  const frame = await frameRegistry(deps.db).find(serial);
  if (frame === undefined || frame.activation !== 'activated') return { is: 'unknown', asking };
  const stranger: PolledAdmission = { is: 'unknown', asking: isKeyed(frame) ? undefined : asking };
  if (token === undefined) return stranger;
  const login = await deps.admit(frame.serial, token);
  if (login.ok) return { is: 'in', serial: frame.serial };
  if (login.returnCode === 3) {
    // Only a caller that shows the frame's own key is sent the frame's last answer.
    const isIts = login.problem.code === 'kept-out' && asking.token_hash === frame.password_hash;
    return { is: 'early', known: isIts ? frame.serial : undefined };
  }
  const now = deps.clock.now();
  const isTaken = await transact(deps.db, (trx) => acceptKey(trx, frame, token, { asking, now }));
  return isTaken ? { is: 'in', serial: frame.serial } : stranger;
}
