/** Calls the public API with the session's cookie. */

import { signal } from '@preact/signals';
import type { SaidSentences } from '../../api/http/said-sentences.ts';
import { apiBase } from './base.ts';

/** What the body of a refusal says. */
interface Said {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly hint?: string | undefined;
  readonly reasons?: SaidSentences | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** A refusal of the service, or that it could not be reached (`status` 0). */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  /** What the message and the hint say beyond the code. */
  readonly reasons: SaidSentences | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, said: Said) {
    super(said.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = said.code ?? (status === 0 ? 'unreachable' : 'unknown');
    this.hint = said.hint;
    this.reasons = said.reasons;
    this.retryAfterSeconds = said.retryAfterSeconds;
  }
}

/** What a call may carry besides its path. */
export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON; a form or a blob is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Counts the sessions that began here: what was refused for want of one is asked for again. */
export const sessionsBegun = signal(0);

let sessionEnded = (): void => undefined;

/** Says what is done when the service no longer knows the session. */
export function onSessionEnd(run: () => void): void {
  sessionEnded = run;
}

/**
 * Fetches a path of the API. The header proves that the console's own page asks: no other origin can send it.
 * @throws Problem for every answer but success
 */
export async function fetchApi(
  path: string,
  { method = 'GET', body, headers, signal }: CallOptions = {},
): Promise<Response> {
  const isRaw = body instanceof FormData || body instanceof Blob;
  const answer = await fetch(new URL(path.replace(/^\//, ''), apiBase), {
    method,
    headers: {
      'x-papergate-console': '1',
      ...(body !== undefined && !isRaw && { 'content-type': 'application/json' }),
      ...headers,
    },
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Problem(0, {});
  });
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
  // A guest has no session, and a sign-in has none yet.
  if (answer.status === 401 && !/^\/(?:sessions|guest)\//.test(path)) sessionEnded();
  throw new Problem(answer.status, { ...said, ...(retryAfter > 0 && { retryAfterSeconds: retryAfter }) });
}

/**
 * Returns a signed address of the service as this browser reaches it: the operator's public address may be another one.
 */
export function reachable(signed: string): string {
  const { pathname, search } = new URL(signed);
  return new URL(`${pathname.replace(/^.*?\/(?=signed\/)/, '')}${search}`, apiBase).href;
}

/**
 * Calls the API and reads its JSON; undefined for an answer without a body.
 * @throws Problem for every answer but success
 */
export async function callApi<Answer>(path: string, options: CallOptions = {}): Promise<Answer> {
  const answer = await fetchApi(path, options);
  return (answer.status === 204 ? undefined : await answer.json()) as Answer;
}
