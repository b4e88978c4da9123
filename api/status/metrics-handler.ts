/** Answers `GET /metrics`, to those who may read it (docs/decisions/0012). */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import { statusOf } from '../http/refusal-status.ts';

export interface MetricsHandlerDeps {
  readonly text: () => Promise<string>;
  readonly contentType: string;
  /** The bearer token that readers send; without one only the machine itself may read. */
  readonly token: string | undefined;
  /** By its settings the service is public: a proxy on this machine may then speak for outsiders. */
  readonly isPublic: boolean;
}

/** Returns the handler of `/metrics`; it gives false for every other request. */
export function metricsHandler(
  deps: MetricsHandlerDeps,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    if (request.method !== 'GET' || !/^\/metrics\/?(\?|$)/.test(request.url ?? '')) return false;
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    const refusal = mayRead(request, deps);
    if (refusal !== undefined) {
      answer(response, refusal);
      return true;
    }
    deps.text().then(
      (text) => response.writeHead(200, { 'content-type': deps.contentType }).end(text),
      () => answer(response, refuse('internal-error', { hint: 'the metrics could not be read' })),
    );
    return true;
  };
}

function answer(response: ServerResponse, { code, message, hint }: Refusal): void {
  const status = statusOf(code);
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ code, message, hint }));
}

function mayRead(request: IncomingMessage, { token, isPublic }: MetricsHandlerDeps): Refusal | undefined {
  if (token === undefined) {
    if (!isPublic && isFromThisMachine(request)) return undefined;
    return refuse('access-denied', { hint: 'set PAPERGATE_METRICS_TOKEN and send it as a bearer token' });
  }
  const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (isMetricsToken(given, token)) return undefined;
  return refuse('not-authenticated', { hint: 'send PAPERGATE_METRICS_TOKEN as Authorization: Bearer' });
}

/** Compares a token that was sent. Digests have one length, whatever was guessed (T-14). */
export function isMetricsToken(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

/**
 * Returns whether a request comes from loopback, not passed on by a proxy, and not by a page whose host name leads here.
 */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
  const isProxied = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'].some((name) => headers[name] !== undefined);
  return isLoopback && !isProxied && /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(headers.host ?? '');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
