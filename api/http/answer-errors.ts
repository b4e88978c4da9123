/** Refusals and bugs as HTTP answers: the one place that turns the first into statuses and hides the second. */
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import type { Logger } from '../../gateway/runtime/logger.ts';
import { type Dependents, Refusal, refuse } from '../../gateway/runtime/refusals.ts';
import { isFieldPath } from '../field-compatible/present-routes.ts';

/** The error body of the base URL. `requestId` is there when the log has more to tell, `dependents` when they are why. */
interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly dependents?: Dependents;
  readonly requestId?: string;
}

const usualWaitSeconds = 5;

/** Answers whatever was thrown. A bug is logged under the request's id, and nothing of it is told. */
export function answerError(ctx: Context, error: unknown, requestId: string, logger: Logger): void {
  const refusal = error instanceof Refusal ? error : refuse('internal-error');
  if (refusal.status >= 500 && !(error instanceof Refusal)) logger.error({ requestId, error }, 'a request failed');
  ctx.status = refusal.status;
  if (refusal.status === 429 || refusal.status === 503) {
    ctx.set('Retry-After', String(Math.max(1, Math.ceil(refusal.retryAfterSeconds ?? usualWaitSeconds))));
  }
  const body = errorBody(refusal, refusal.code === 'internal-error' ? requestId : undefined);
  if (isFieldPath(ctx.path)) answerField(ctx, body, refusal.device);
  else ctx.body = body;
}

/** Clients in the field retry most of what is not 400, 401, 403 or 404, and print all of the body (C-31, C-33). */
function answerField(ctx: Context, { message, hint, dependents, requestId }: ErrorBody, device?: object): void {
  if ([405, 411, 413, 415, 422].includes(ctx.status)) ctx.status = 400;
  const details = dependents === undefined ? hint : `remove or move ${inWords(dependents)}, then try again`;
  ctx.body = { code: ctx.status, message, raw: requestId ?? details ?? null, ...(device && { device }) };
}

/** `devices 6b02…, 6b03…; papers 6b04…`: the shape of the field has no place but for a text. */
function inWords(dependents: Dependents): string {
  return Object.entries(dependents)
    .map(([kind, ids]) => `${kind} ${ids.join(', ')}`)
    .join('; ');
}

function errorBody(refusal: Refusal, requestId: string | undefined): ErrorBody {
  return {
    code: refusal.code,
    message: refusal.message,
    ...(refusal.hint === undefined ? {} : { hint: refusal.hint }),
    ...(refusal.dependents === undefined ? {} : { dependents: refusal.dependents }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** The path is known, the method is not. */
export function answerWrongMethod(ctx: Context, methods: readonly string[]): void {
  const allowed = [...new Set(methods)].sort().join(', ');
  ctx.status = 405;
  ctx.set('Allow', allowed);
  const body: ErrorBody = { code: 'method-not-allowed', message: 'Method not allowed', hint: `use ${allowed}` };
  if (isFieldPath(ctx.path)) answerField(ctx, body);
  else ctx.body = body;
}

const parserAnswers: Readonly<Record<string, readonly [status: string, code: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'headers-too-large', 'The headers are too large'],
  NO_HOST: ['400 Bad Request', 'invalid-request', 'The Host header is missing'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request-timeout', 'The request did not arrive in time'],
};

/** A request of HTTP/1.1 without `Host`. */
export const noHost = Object.assign(new Error('no Host header'), { code: 'NO_HOST' });

/** What never became a request is answered on its socket, in the same shape, and not to be stored (INV-69). */
export function answerUnparsed(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const known = parserAnswers[error.code ?? ''];
  const [status, code, message] = known ?? ['400 Bad Request', 'invalid-request', 'This is not HTTP'];
  const body = JSON.stringify({ code, message } satisfies ErrorBody);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
}
