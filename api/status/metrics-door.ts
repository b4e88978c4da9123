/** `GET /metrics`, and who may read it (docs/decisions/0012). */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refusal, refuse } from '../../gateway/runtime/refusals.ts';

/** What the door is made of. */
export interface MetricsDoorEdges {
  readonly text: () => Promise<string>;
  readonly contentType: string;
  /** What readers send as a bearer token; without one the machine itself may read, and nobody else. */
  readonly token: string | undefined;
  /** Whether people reach the service through something else, by its settings: then a proxy on this machine may stand for them. */
  readonly isPublic: boolean;
}

/** Answers `/metrics`; false for every other request. */
export function metricsDoor(edges: MetricsDoorEdges): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    if (request.method !== 'GET' || !/^\/metrics\/?(\?|$)/.test(request.url ?? '')) return false;
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    const refusal = mayRead(request, edges);
    if (refusal !== undefined) {
      answer(response, refusal);
      return true;
    }
    edges.text().then(
      (text) => response.writeHead(200, { 'content-type': edges.contentType }).end(text),
      () => answer(response, refuse('internal-error', { hint: 'the metrics could not be read' })),
    );
    return true;
  };
}

function answer(response: ServerResponse, { code, status, message, hint }: Refusal): void {
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ code, message, hint }));
}

function mayRead(request: IncomingMessage, { token, isPublic }: MetricsDoorEdges): Refusal | undefined {
  if (token === undefined) {
    if (!isPublic && isFromThisMachine(request)) return undefined;
    return refuse('access-denied', { hint: 'set PAPERGATE_METRICS_TOKEN and send it as a bearer token' });
  }
  const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  // T-14: digests have one length, whatever was guessed.
  if (timingSafeEqual(digest(given), digest(token))) return undefined;
  return refuse('not-authenticated', { hint: 'send PAPERGATE_METRICS_TOKEN as Authorization: Bearer' });
}

/** From loopback, not handed on by a proxy, and not by a page whose host name leads here. */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
  const isProxied = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'].some((name) => headers[name] !== undefined);
  return isLoopback && !isProxied && /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(headers.host ?? '');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
