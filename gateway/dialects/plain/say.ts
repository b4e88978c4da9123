/** Answers to frames that poll one address. None of them is for a cache (T-98): the next frame, or the next hour, has another. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { toldNames } from '../../../firmware-protocol/plain/header-names.ts';

const notCached = { 'cache-control': 'private, no-store, no-transform', vary: 'authorization, x-screen-name' };

/**
 * The headers of every answer to a frame that was let in.
 * @param now epoch milliseconds
 */
export function toldHeaders(sleepSeconds: number, now: number): OutgoingHttpHeaders {
  const time = { [toldNames.unixSeconds]: Math.floor(now / 1000) };
  return { ...notCached, ...time, [toldNames.sleepSeconds]: sleepSeconds };
}

/** Answers with JSON. */
export function sayAnswer(response: ServerResponse, status: number, body: object, more: OutgoingHttpHeaders): void {
  const text = `${JSON.stringify(body)}\n`;
  const length = Buffer.byteLength(text);
  response.writeHead(status, { ...notCached, ...more, 'content-type': 'application/json', 'content-length': length });
  response.end(text);
}

/** Answers with a refusal, as a sentence and what to do. */
export function sayProblem(
  response: ServerResponse,
  status: number,
  problem: { readonly error: string; readonly hint: string },
  more: OutgoingHttpHeaders = {},
): void {
  // The rest of a refused body is not read.
  sayAnswer(response, status, problem, { ...more, connection: 'close' });
}
