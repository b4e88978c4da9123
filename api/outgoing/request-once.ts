/**
 * Makes one outgoing request to an address chosen by somebody else: every answer of the resolver is checked, a checked
 * address is dialled, nothing is reused and nothing is followed.
 */

import type { Socket } from 'node:net';
import type { Client } from 'undici';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import type { Timer } from '../../runtime/clock.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { describeNetworkError } from './network-error.ts';
import { loopbackAddresses } from './public-address.ts';
import { type AddressRule, destinationOf, loopbackHosts, publicHosts, untilAborted } from './reach-host.ts';
import { joined, unpackedPieces } from './unpack-body.ts';
import type { WayOut } from './way-out.ts';

/**
 * The request that is made. `readLimitBytes` 0 never reads the body; a body longer than the limit is a problem, also
 * when it is unpacked.
 */
export interface OutgoingRequest {
  /** The sharer whose request it is. */
  readonly sharer: Sharer;
  readonly url: string;
  /** The method, such as GET, POST or PROPFIND. */
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whether the answer has all headers, for a program that reads them itself. */
  readonly wantsHeaders?: boolean;
  /** Whether an explicit loopback host may be called, over HTTP or HTTPS on any port. */
  readonly allowLoopback: boolean;
  /**
   * Whether plain HTTP and other ports will do, as for calendar feeds. The addresses that may be called stay the
   * same.
   */
  readonly allowPlain?: boolean;
  /** Whether HTTPS may be at another port than 443. */
  readonly anyPort?: boolean;
  /** The rule for which hosts may be called; left out, public ones. */
  readonly rule?: AddressRule;
  /** The time limit; left out, `requestTimeoutMs`. */
  readonly timeoutMs?: number;
  readonly readLimitBytes: number;
  /**
   * Takes the body, unpacked, piece by piece as it comes, in place of the answer's `body`, which is empty then. What was
   * taken counts only with an answer.
   */
  readonly take?: (piece: Buffer) => void;
  /** The time limit once the answer has begun; left out, the first one goes on. */
  readonly bodyTimeoutMs?: number;
  /** The signal that ends the request from outside, as when the service stops. */
  readonly signal?: AbortSignal;
  /**
   * Returns whether the request may begin. It is asked when the socket is connected, before the first byte is written.
   */
  readonly mayBegin?: () => Promise<boolean>;
}

/**
 * The status line with the body that was read, unpacked, and the place that a redirect leads to, or why there is none;
 * `problem` holds no secret and no URL.
 */
export type RequestOutcome =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: Buffer;
      readonly location?: string;
      readonly contentType?: string;
      /** All headers, where they are wanted: name and value, in their order. */
      readonly headers?: readonly (readonly [name: string, value: string])[];
      /** The headers that set cookies. */
      readonly cookies?: readonly string[];
      /** The names by which the answer may be asked for again, if it has changed (RFC 9110, 13.1). */
      readonly validators?: Validators;
      /** The header of an answer with status 401 that states how to sign in. */
      readonly challenge?: string;
    }
  | { readonly kind: 'problem'; readonly problem: Reason };

/** Names of one version of an answer, as its server gave them. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** The time limit over the turn, look-up, connection, TLS, headers and the part of the body that is read. */
export const requestTimeoutMs = 15_000;

/** A reason that may be stored and logged. */
class OutgoingProblem extends ReasonedError {}

/** Makes one attempt. Never throws: every failure out there is an outcome. */
export async function requestOnce(wayOut: WayOut, request: OutgoingRequest): Promise<RequestOutcome> {
  const limit = new AbortController();
  const endAfter = (ms: number): Timer =>
    wayOut.clock.after(ms, () => limit.abort(new OutgoingProblem(reasonOf('answer-late', { seconds: ms / 1000 }))));
  let timer = endAfter(request.timeoutMs ?? requestTimeoutMs);
  const begun = (): void => {
    if (request.bodyTimeoutMs === undefined || limit.signal.aborted) return;
    timer.cancel();
    timer = endAfter(request.bodyTimeoutMs);
  };
  const signal = request.signal ? AbortSignal.any([limit.signal, request.signal]) : limit.signal;
  try {
    // Loaded with the first request: a service that asks nobody needs none of its hundred files.
    const { Client } = await import('undici');
    const { userAgent } = wayOut;
    const url = new URL(request.url);
    const socket = await wayOut.reach({
      sharer: request.sharer,
      destination: destinationOf(url),
      rule: ruleOf(request, url),
      signal,
    });
    if (!(await stillMay(request, socket, signal))) throw new OutgoingProblem(reasonOf('not-to-be-sent'));
    try {
      return await send(new Client(url.origin, throughSocket(socket)), { url, userAgent, begun }, request, signal);
    } finally {
      socket.destroy();
    }
  } catch (error) {
    return { kind: 'problem', problem: describeProblem(signal.aborted ? signal.reason : error) };
  } finally {
    timer.cancel();
  }
}

/** Returns the rule for the hosts that a request may reach: by HTTPS on port 443 alone, unless more is allowed. */
function ruleOf({ allowLoopback, allowPlain, anyPort, rule = publicHosts }: OutgoingRequest, url: URL): AddressRule {
  if (allowLoopback && loopbackAddresses(url.hostname) !== undefined) return loopbackHosts;
  if (url.protocol !== 'https:' && !allowPlain) throw new OutgoingProblem(reasonOf('not-https'));
  if (url.port !== '' && !allowPlain && !anyPort) throw new OutgoingProblem(reasonOf('not-port-443'));
  return rule;
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

/** FACT-07: a client uses this one socket and never another. It expects to wait for it. */
function throughSocket(socket: Socket): Client.Options {
  let unused = true;
  return {
    connect: (_options, callback) => {
      const given = unused;
      unused = false;
      queueMicrotask(() => {
        if (given) callback(null, socket);
        else callback(new OutgoingProblem(reasonOf('connection-closed')), null);
      });
    },
    // The clock that was handed in bounds the whole attempt instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/** The settings of a request that it does not state itself. */
interface Sending {
  readonly url: URL;
  readonly userAgent: string;
  /** Hears that the answer has begun. */
  readonly begun: () => void;
}

async function send(
  client: Client,
  { url, userAgent, begun }: Sending,
  request: OutgoingRequest,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  try {
    const { method, headers, body = null, readLimitBytes, take } = request;
    const answer = await client.request({
      path: url.pathname + url.search,
      method,
      headers: { 'user-agent': userAgent, ...headers },
      body,
      signal,
    });
    begun();
    answer.body.on('error', () => {}); // the rest of the body is cut off on purpose
    const { location, 'content-type': type, 'content-encoding': encoding } = answer.headers;
    const {
      'set-cookie': cookies,
      'www-authenticate': challenge,
      etag,
      'last-modified': lastModified,
    } = answer.headers;
    const coding = [encoding ?? ''].flat().join();
    const read =
      readLimitBytes === 0
        ? Buffer.alloc(0)
        : await readBody(unpackedPieces(answer.body, coding, readLimitBytes), take);
    return {
      kind: 'answer',
      status: answer.statusCode,
      body: read,
      ...(typeof location === 'string' && { location }),
      ...(type !== undefined && { contentType: [type].flat().join() }),
      ...(cookies !== undefined && { cookies: [cookies].flat() }),
      ...((etag !== undefined || lastModified !== undefined) && {
        validators: {
          ...(typeof etag === 'string' && { etag }),
          ...(typeof lastModified === 'string' && { lastModified }),
        },
      }),
      ...(request.wantsHeaders === true && { headers: listed(answer.headers) }),
      ...(answer.statusCode === 401 && { challenge: [challenge ?? ''].flat().join(', ') }),
    };
  } finally {
    await client.destroy();
  }
}

/** Returns headers one by one. */
const listed = (headers: Readonly<Record<string, string | string[] | undefined>>) =>
  Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): readonly [string, string] => [name, value]),
  );

/** Reads a body, or hands it on. */
async function readBody(pieces: AsyncIterable<Buffer>, take: OutgoingRequest['take']): Promise<Buffer> {
  if (take === undefined) return joined(pieces);
  for await (const piece of pieces) take(piece);
  return Buffer.alloc(0);
}

function describeProblem(error: unknown): Reason {
  return error instanceof ReasonedError ? error.reason : describeNetworkError(error);
}
