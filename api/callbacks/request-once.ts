/**
 * One outgoing request to an address chosen by somebody else: every answer of the resolver is checked, a checked
 * address is dialled, nothing is reused and nothing is followed (T-02, T-03, T-04, T-54).
 */

import type { Socket } from 'node:net';
import { isIPv4 } from 'node:net';
import { Client } from 'undici';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { checkHost, isPublicAddress, loopbackAddresses } from './public-address.ts';

/** Where to connect: an address, never a name. `servername` is there for TLS to a named host. */
export interface DialTarget {
  readonly address: string;
  readonly port: number;
  readonly secure: boolean;
  readonly servername?: string;
}

/** The network as an edge. Both give up when the signal says so. */
export interface Network {
  /** All IPv4 and IPv6 addresses of a name, as text. Throws when there is no answer. */
  resolve(name: string, signal: AbortSignal): Promise<readonly string[]>;
  /** A connected socket, after the TLS handshake where one is asked for. */
  dial(target: DialTarget, signal: AbortSignal): Promise<Socket>;
}

/** What is asked. `readLimitBytes` 0 never reads the body; a longer body than the limit is a problem. */
export interface OutgoingRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether an explicit loopback host may be called, over HTTP or HTTPS on any port. */
  readonly allowLoopback: boolean;
  /** Whether plain HTTP and ports of its own will do, as for calendar feeds. Which addresses may be called stays the same. */
  readonly allowPlain?: boolean;
  readonly readLimitBytes: number;
  /** Ends the request from outside, as when the service stops. */
  readonly signal?: AbortSignal;
  /** Asked when the socket is connected, before the first byte of the request is written. */
  readonly mayBegin?: () => Promise<boolean>;
}

/** The status line with the body that was read and where a redirect leads, or why there is none; `problem` holds no secret and no URL. */
export type Outcome =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Buffer; readonly location?: string }
  | { readonly kind: 'problem'; readonly problem: string };

/** Bound over look-up, connection, TLS, headers and the part of the body that is read. */
export const requestTimeoutMs = 15_000;
/** How long one of several addresses may keep the others waiting. */
const dialTimeoutMs = 4_000;
/** A name with more addresses than this is not worth the work (R10). */
const mostAddresses = 32;

/** A reason that may be stored and logged. */
class OutgoingProblem extends Error {}

/** Makes one attempt. Never throws: whatever goes wrong out there is an outcome. */
export async function requestOnce(
  { network, clock }: { network: Network; clock: Clock },
  request: OutgoingRequest,
): Promise<Outcome> {
  const limit = new AbortController();
  const timer = clock.after(requestTimeoutMs, () => limit.abort(new OutgoingProblem('no answer within 15 s')));
  const signal = request.signal ? AbortSignal.any([limit.signal, request.signal]) : limit.signal;
  try {
    const url = new URL(request.url);
    const loopback = request.allowLoopback ? loopbackAddresses(url.hostname) : undefined;
    const addresses = loopback ?? (await checkedAddresses(network, url, request, signal));
    const socket = await dialOne({ network, clock }, url, addresses, signal);
    if (!(await stillMay(request, socket, signal))) throw new OutgoingProblem('no longer to be sent');
    return await send(socket, url, request, signal);
  } catch (error) {
    return { kind: 'problem', problem: describeProblem(signal.aborted ? signal.reason : error) };
  } finally {
    timer.cancel();
  }
}

/** Addresses of a public endpoint, HTTPS on port 443 unless more is allowed; one that is not public spoils all (T-03, R4, R5). */
async function checkedAddresses(
  network: Network,
  url: URL,
  { allowPlain }: OutgoingRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!allowPlain && (url.protocol !== 'https:' || url.port !== '')) throw new OutgoingProblem('not HTTPS on port 443');
  const host = checkHost(url.hostname);
  if (host.kind === 'refused') throw new OutgoingProblem(host.why);
  // F7: a literal never reaches a look-up
  if (host.kind === 'address') return [host.address];
  const answers = await untilAborted(network.resolve(host.name, signal), signal);
  if (answers.length === 0) throw new OutgoingProblem('the host name has no address');
  if (answers.length > mostAddresses) throw new OutgoingProblem('the host name has too many addresses');
  if (!answers.every(isPublicAddress)) throw new OutgoingProblem('the host name has an address that is not public');
  return [...answers.filter((address) => isIPv4(address)), ...answers.filter((address) => !isIPv4(address))];
}

/** Connects to the first checked address that can be reached (R12). */
async function dialOne(
  { network, clock }: { network: Network; clock: Clock },
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  const secure = url.protocol === 'https:';
  const named = checkHost(url.hostname).kind === 'name' || url.hostname === 'localhost';
  let problem: unknown;
  for (const address of addresses) {
    const patience = new AbortController();
    const timer = clock.after(dialTimeoutMs, () => patience.abort(new OutgoingProblem('the host does not answer')));
    try {
      const port = Number(url.port || (secure ? 443 : 80));
      const target = { address, port, secure, ...(secure && named && { servername: url.hostname }) };
      const socket = await network.dial(target, AbortSignal.any([signal, patience.signal]));
      if (isSameAddress(socket.remoteAddress, address)) return socket;
      // Checked before any header is written: what was dialled is what was checked.
      socket.destroy();
      throw new OutgoingProblem('connected to another address than the checked one');
    } catch (error) {
      if (signal.aborted) throw error;
      problem = error;
    } finally {
      timer.cancel();
    }
  }
  throw problem;
}

async function stillMay({ mayBegin }: OutgoingRequest, socket: Socket, signal: AbortSignal): Promise<boolean> {
  if (mayBegin === undefined) return true;
  // A socket that breaks while nobody reads from it must not end the process.
  const heard = (): void => {};
  socket.on('error', heard);
  try {
    const may = await untilAborted(mayBegin(), signal);
    if (!may) socket.destroy();
    return may;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    if (!socket.destroyed) socket.off('error', heard);
  }
}

async function send(socket: Socket, url: URL, request: OutgoingRequest, signal: AbortSignal): Promise<Outcome> {
  let unused = true;
  const client = new Client(url.origin, {
    // F7: this one socket and never another. The client expects to wait for it.
    connect: (_options, callback) => {
      const given = unused;
      unused = false;
      queueMicrotask(() => {
        if (given) callback(null, socket);
        else callback(new OutgoingProblem('the connection was closed'), null);
      });
    },
    // The clock that was handed in bounds the whole attempt instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const { method, headers, body = null, readLimitBytes } = request;
    const answer = await client.request({
      path: url.pathname + url.search,
      method,
      headers: { ...headers },
      body,
      signal,
    });
    answer.body.on('error', () => {}); // the rest of the body is cut off on purpose
    const read = readLimitBytes === 0 ? Buffer.alloc(0) : await readAtMost(answer.body, readLimitBytes);
    const { location } = answer.headers;
    return { kind: 'answer', status: answer.statusCode, body: read, ...(typeof location === 'string' && { location }) };
  } finally {
    await client.destroy();
    socket.destroy();
  }
}

async function readAtMost(body: AsyncIterable<unknown>, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) throw new Error('undici gives bodies as buffers');
    bytes += chunk.length;
    if (bytes > limitBytes) throw new OutgoingProblem('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isSameAddress(remote: string | undefined, dialled: string): boolean {
  if (remote === undefined) return false;
  return canonical(remote) === canonical(dialled);
}

function canonical(address: string): string {
  return isIPv4(address) ? address : new URL(`http://[${address}]`).hostname;
}

/** Rejects as soon as the signal says so, whether or not the work listens to it. */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function describeProblem(error: unknown): string {
  if (error instanceof OutgoingProblem) return error.message;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return `network: ${error.code}`;
  return error instanceof Error ? `network: ${error.name}` : 'network';
}
