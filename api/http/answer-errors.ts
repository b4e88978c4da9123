/** Turns refusals and bugs into HTTP answers, here alone: refusals get their status, and bugs are hidden. */
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import { type Dependents, Refusal, refuse } from '../../reasons/refusals.ts';
import { type SpelledReason, spellOut } from '../../reasons/words.ts';
import { asTypedHere } from '../../runtime/command-here.ts';
import { refusedTrouble } from '../../runtime/database-trouble.ts';
import { refusedFullDisk } from '../../runtime/disk/spare-room.ts';
import type { Logger } from '../../runtime/logger.ts';
import { CallerLeft } from './caller-left.ts';
import { statusOf } from './refusal-status.ts';

/**
 * The error body of the base URL. `requestId` is present when the log has more, `dependents` when they are the
 * reason.
 */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly reasons?: readonly SpelledReason[];
  readonly dependents?: Dependents;
  readonly requestId?: string;
}

const defaultWaitSeconds = 5;
/** The status under which logs and metrics of many servers record a caller who left. */
const callerLeftStatus = 499;

export interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorBody;
  /** The device that exists already, as the caller may see it. */
  readonly device?: object | undefined;
}

/** Gives errors the shape that the clients of some paths read; undefined leaves them in the usual shape. */
export type PresentError = (
  path: string,
  answer: ErrorAnswer,
) => { readonly status: number; readonly body: object } | undefined;

export interface ErrorDeps {
  readonly logger: Logger;
  readonly presentError?: PresentError | undefined;
}

function answer(ctx: Context, error: ErrorAnswer, { presentError }: Pick<ErrorDeps, 'presentError'>): void {
  const { status, body } = presentError?.(ctx.path, error) ?? error;
  ctx.status = status;
  ctx.body = body;
}

/** Answers whatever was thrown. A bug is logged under the request's id, and the answer reveals nothing of it. */
export function answerError(ctx: Context, error: unknown, requestId: string, deps: ErrorDeps): void {
  if (error instanceof CallerLeft) {
    ctx.status = callerLeftStatus;
    return;
  }
  const refusal =
    error instanceof Refusal ? error : (refusedTrouble(error) ?? refusedFullDisk(error) ?? refuse('internal-error'));
  const status = statusOf(refusal.code);
  if (status >= 500 && !(error instanceof Refusal)) deps.logger.error({ requestId, error }, 'a request failed');
  if (status === 429 || status === 503) {
    ctx.set('Retry-After', String(Math.max(1, Math.ceil(refusal.retryAfterSeconds ?? defaultWaitSeconds))));
  }
  const body = errorBody(refusal, refusal.code === 'internal-error' ? requestId : undefined);
  answer(ctx, { status, body, device: refusal.device }, deps);
}

function errorBody(refusal: Refusal, requestId: string | undefined): ErrorBody {
  return {
    code: refusal.code,
    message: refusal.message,
    ...(refusal.hint === undefined ? {} : { hint: asTypedHere(refusal.hint) }),
    ...(refusal.reasons.length === 0 ? {} : { reasons: spellOut(refusal.reasons) }),
    ...(refusal.dependents === undefined ? {} : { dependents: refusal.dependents }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Answers a request whose path is known and whose method is not. */
export function answerWrongMethod(
  ctx: Context,
  methods: readonly string[],
  deps: Pick<ErrorDeps, 'presentError'>,
): void {
  const allowed = [...new Set(methods)].sort().join(', ');
  ctx.set('Allow', allowed);
  const body: ErrorBody = { code: 'method-not-allowed', message: 'Method not allowed', hint: `use ${allowed}` };
  answer(ctx, { status: 405, body }, deps);
}

const parserAnswers: Readonly<Record<string, readonly [status: string, code: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'headers-too-large', 'The headers are too large'],
  NO_HOST: ['400 Bad Request', 'invalid-request', 'The Host header is missing'],
  TWO_HOSTS: ['400 Bad Request', 'invalid-request', 'There is more than one Host header'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request-timeout', 'The request did not arrive in time'],
};

/** A request of HTTP/1.1 without `Host`. */
export const noHost = Object.assign(new Error('no Host header'), { code: 'NO_HOST' });

/** A request with several `Host` headers: a proxy before this service may have routed by another of them. */
export const twoHosts = Object.assign(new Error('several Host headers'), { code: 'TWO_HOSTS' });

/** Answers a text that never became a request on its socket, in the same shape, and not to be stored (INV-69). */
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
