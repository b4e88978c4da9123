/**
 * A frame with the vendor's offline firmware, written from its source (main.cpp of states A, B and C): it looks for a
 * redirect first and drops the body, asks then up to six times, and paints an error text at every failure.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { problemOfBitmap } from '../../firmware-protocol/offline/bitmap.ts';
import { basicOf, readOfflineSleep } from '../../firmware-protocol/offline/wire.ts';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { resetWaitMs } from '../../gateway/pictures/sent-whole.ts';
import type { GatewayWorld } from './world.ts';

/** How a wake is to go wrong, each time that it is asked. */
export interface OfflineMishap {
  /** The Wi-Fi is away: nothing is asked, and the error text is painted. */
  readonly withoutWifi?: boolean;
  /** It looks for a redirect, and its network goes away then. */
  readonly onlyLooks?: boolean;
  /** The tries whose answer breaks off after some bytes. */
  readonly brokenTries?: number;
  /** The display call fails. */
  readonly notDrawn?: boolean;
}

/** An answer's head as it came, in lower case. */
export interface OfflineHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The outcome of a wake. */
export interface OfflineWake {
  readonly result: 'drawn' | 'unchanged' | 'failed';
  /** The head of the last answer to the second GET. */
  readonly head: OfflineHead | undefined;
  readonly sleepSeconds: number;
}

export interface OfflineFrame {
  readonly serial: string;
  readonly password: string;
  /** The validator in its flash: `etag:…`, a time, or nothing. */
  validator: string;
  /** The glass as people see it. */
  glass: 'nothing' | 'error text' | Buffer;
  wake(mishap?: OfflineMishap): Promise<OfflineWake>;
  /** Sends a GET as the firmware does, and takes of the body what it wants to. */
  get(headers?: Readonly<Record<string, string>>, takes?: Takes, path?: string): Promise<OfflineGot>;
}

/** The part of a body that is taken: its first bytes, or as the head says. */
type Takes = 'all' | 'nothing' | number | ((head: OfflineHead) => 'all' | 'nothing');

/** An answer, and the bytes that were taken of it. */
export interface OfflineGot extends OfflineHead {
  readonly body: Buffer;
}

const tries = 6;
const errorText = 'error text';

/** Hangs a frame that has its password. */
export async function offlineFrame(
  world: GatewayWorld,
  {
    serial = 'offline-kitchen',
    kind = 'offline7',
    state = 'C',
    interval = 3600,
  }: { serial?: string; kind?: string; state?: 'A' | 'B' | 'C'; interval?: number } = {},
): Promise<OfflineFrame> {
  const { password = '' } = await world.provision(serial, { withPassword: true, kind });
  await world.activate(serial);
  const panel = panelOfKind(kind);
  if (panel === undefined) throw new Error(`no panel of ${kind}`);
  const address = new URL(`${world.url}/offline/${serial}`);
  const authorization = basicOf(serial, password);

  async function ask(mishap: OfflineMishap): Promise<OfflineWake> {
    const failed = (head?: OfflineHead): OfflineWake => {
      frame.glass = errorText;
      return { result: 'failed', head, sleepSeconds: state === 'C' ? Math.min(300, Math.max(60, interval)) : interval };
    };
    if (mishap.withoutWifi === true) return failed();
    await frame.get({}, 'nothing');
    if (mishap.onlyLooks === true) return failed();
    let head: OfflineHead | undefined;
    for (let attempt = 1; attempt <= tries; attempt++) {
      const isBroken = attempt <= (mishap.brokenTries ?? 0);
      const got = await frame.get(condition(), isBroken ? 60_000 : wanted(state, frame.validator));
      head = got;
      const told = state === 'C' ? readOfflineSleep(got.headers['x-openpaper-sleep-seconds']) : undefined;
      const sleepSeconds = told ?? interval;
      if (isBroken) continue;
      if (got.status === 304 && state !== 'A') return { result: 'unchanged', head, sleepSeconds };
      const length = Number(got.headers['content-length'] ?? -1);
      if (got.status !== 200 || length < 54) continue;
      const validator = validatorOf(state, got);
      if (validator !== '' && validator === frame.validator) return { result: 'unchanged', head, sleepSeconds };
      if (got.body.length !== length) continue;
      // State A keeps what it was sent before it draws.
      if (state === 'A') frame.validator = validator;
      if (problemOfBitmap(panel as NonNullable<typeof panel>, got.body) !== undefined || mishap.notDrawn === true) {
        return failed(head);
      }
      frame.glass = got.body;
      frame.validator = validator;
      return { result: 'drawn', head, sleepSeconds };
    }
    return failed(head);
  }

  const condition = (): Record<string, string> => {
    if (state === 'A' || frame.validator === '') return {};
    return frame.validator.startsWith('etag:')
      ? { 'If-None-Match': frame.validator.slice(5) }
      : { 'If-Modified-Since': frame.validator };
  };

  const frame: OfflineFrame = {
    serial,
    password,
    validator: '',
    glass: 'nothing',
    async wake(mishap = {}) {
      const outcome = await ask(mishap);
      await settled(world);
      return outcome;
    },
    get: (headers = {}, takes = 'all', path = address.pathname) =>
      getOnce(address, path, { Authorization: authorization, ...headers }, takes),
  };
  return frame;
}

/** Resolves when what its calls left is recorded; the time in which a reset could still come passes at once. */
export async function settled(world: GatewayWorld): Promise<void> {
  let isOpen = true;
  const done = world.downloadsSettled().finally(() => {
    isOpen = false;
  });
  while (isOpen) {
    if (world.clock.isArmed(resetWaitMs)) world.clock.elapses(resetWaitMs);
    await pause(3);
  }
  await done;
}

/** The validator that the firmware keeps of an answer: at most 128 characters of it. */
function validatorOf(state: 'A' | 'B' | 'C', { headers }: OfflineHead): string {
  const { etag } = headers;
  if (state !== 'A' && etag !== undefined && etag.length <= 123) return `etag:${etag}`;
  return headers['last-modified'] ?? '';
}

/** It reads no body whose validator it holds already. */
function wanted(state: 'A' | 'B' | 'C', held: string): (head: OfflineHead) => 'all' | 'nothing' {
  return (head) => (held !== '' && validatorOf(state, head) === held ? 'nothing' : 'all');
}

function getOnce(
  { hostname, port }: URL,
  path: string,
  headers: Readonly<Record<string, string>>,
  takes: Takes,
): Promise<OfflineGot> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(port), hostname);
    const lines = Object.entries({ Host: `${hostname}:${port}`, Connection: 'close', ...headers });
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    let bytes = Buffer.alloc(0);
    let head: OfflineHead | undefined;
    const done = (cut: boolean): void => {
      const start = bytes.indexOf('\r\n\r\n') + 4;
      const body = bytes.subarray(start);
      if (cut) socket.resetAndDestroy();
      resolve({ ...(head as OfflineHead), body });
    };
    socket.on('error', reject);
    socket.on('data', (part) => {
      bytes = Buffer.concat([bytes, part]);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      head ??= readHead(bytes.subarray(0, end).toString('latin1'));
      const wants = typeof takes === 'function' ? takes(head) : takes;
      const taken = bytes.length - end - 4;
      const length = Number(head.headers['content-length'] ?? 0);
      if (head.status !== 304 && wants === 'nothing' && length > 0) done(true);
      else if (typeof wants === 'number' && taken >= wants) done(true);
      else if (taken >= length || head.status === 304) {
        socket.end();
        done(false);
      }
    });
    socket.on('close', () => {
      if (head === undefined) reject(new Error('no answer'));
      else done(false);
    });
  });
}

function readHead(text: string): OfflineHead {
  const [first = '', ...lines] = text.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(first.split(' ')[1]), headers };
}
