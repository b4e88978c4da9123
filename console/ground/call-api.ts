/** Calls the public API with the session's cookie. */

import { signal } from '@preact/signals';
import {
  type AnswerOf,
  type ApiPath,
  type Arguments,
  type CallName,
  type CallRequest,
  requestOf,
} from '../../client/calls.ts';
import type { Schemas } from '../../client/contract.ts';
import { apiBase } from './base.ts';

export { type AnswerOf, type ApiPath, type BodyOf, pathOf, type QueryOf } from '../../client/calls.ts';

/** The sentences that a text of the service is made of. */
export type SpelledReasons = readonly Schemas['Sentence'][];

/** The body of a refusal. */
interface Said {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly hint?: string | undefined;
  readonly reasons?: SpelledReasons | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** A refusal of the service, or that it could not be reached (`status` 0). */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  /** The reasons in the message and the hint, which say more than the code. */
  readonly reasons: SpelledReasons | undefined;
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

/** Counts the sessions that began here: requests that were refused for want of one are repeated. */
export const sessionsBegun = signal(0);

let sessionEnded = (): void => undefined;

/** Registers the function that is called when the service no longer knows the session. */
export function onSessionEnd(run: () => void): void {
  sessionEnded = run;
}

/**
 * Makes a call of the API and returns its answer, whose body is still to be read.
 * @throws Problem for every answer but success
 */
export function fetchApi<Name extends CallName>(name: Name, ...given: Arguments<Name>): Promise<Response> {
  return fetchPath(requestOf(name, ...given));
}

/** The header proves that the console's own page asks: no other origin can send it. */
async function fetchPath({ method, path, content, headers, signal }: CallRequest): Promise<Response> {
  const answer = await fetch(new URL(path.replace(/^\//, ''), apiBase), {
    method,
    headers: {
      'x-papergate-console': '1',
      ...(typeof content === 'string' && { 'content-type': 'application/json' }),
      ...headers,
    },
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
    ...(content !== undefined && { body: content }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Problem(0, {});
  });
  if (answer.ok) return answer;
  const { status, headers: told } = answer;
  throw problemOf({ status, path, retryAfter: told.get('retry-after') }, await answer.json().catch(() => undefined));
}

/** A call that was refused: its status, its path, and the header that says when to try again. */
interface Refused {
  readonly status: number;
  readonly path: string;
  readonly retryAfter: string | null;
}

/** Returns the problem of a refusal. Ends the session here if the service no longer knows it. */
export function problemOf({ status, path, retryAfter }: Refused, said: unknown): Problem {
  const seconds = Number(retryAfter ?? Number.NaN);
  // A guest has no session, and a sign-in has none yet.
  if (status === 401 && !/^\/(?:sessions|guest)\//.test(path)) sessionEnded();
  return new Problem(status, { ...(said as Said), ...(seconds > 0 && { retryAfterSeconds: seconds }) });
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
export async function callApi<Name extends CallName>(name: Name, ...given: Arguments<Name>): Promise<AnswerOf<Name>> {
  const answer = await fetchApi(name, ...given);
  return answer.status === 204 ? undefined : await answer.json();
}

/**
 * Asks for the signed address of a picture; undefined when the API answers without one.
 * @throws Problem
 */
export async function askAddress(
  path: ApiPath,
  {
    method = 'GET',
    ...common
  }: Pick<CallRequest, 'headers' | 'signal'> & { readonly method?: 'GET' | 'POST' | undefined },
): Promise<string | undefined> {
  const { url, signedUrl = url } = await (await fetchPath({ ...common, method, path })).json();
  return signedUrl === undefined ? undefined : reachable(signedUrl);
}
