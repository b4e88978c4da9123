/** Calls the public API with the session's cookie. */

import { signal } from '@preact/signals';
import { apiBase } from './base.ts';
import type { Calls, Schemas } from './contract.ts';

/** The sentences that a text of the service is made of. */
export type SaidSentences = readonly Schemas['Sentence'][];

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

/** A call of the API by its method and path. */
export type CallName = keyof Calls;
/** What a call answers. */
export type AnswerOf<Name extends CallName> = Calls[Name]['answer'];
/** What a call is sent as JSON. */
export type BodyOf<Name extends CallName> = NonNullable<Calls[Name]['body']>;
/** The query of a call. */
export type QueryOf<Name extends CallName> = Calls[Name]['query'];

/** A part of a call: not there where the call has none, and optional where none of it is required. */
type Part<Key extends string, Fields> = [Fields] extends [undefined]
  ? { readonly [Name in Key]?: undefined }
  : Partial<Fields> extends Fields
    ? { readonly [Name in Key]?: Fields }
    : undefined extends Fields
      ? { readonly [Name in Key]?: Fields }
      : { readonly [Name in Key]: Fields };

/** What a call carries besides its name: the parameters of its path, its query, a body as JSON, or the fields of a form. */
export type Given<Name extends CallName> = Part<'path', Calls[Name]['path']> &
  Part<'query', Calls[Name]['query']> &
  Part<'body', Calls[Name]['body']> &
  Part<'form', Calls[Name]['form']> &
  Common;

interface Common {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `Given`, which may be left out where a call needs nothing. */
type Arguments<Name extends CallName> =
  Partial<Given<Name>> extends Given<Name> ? [given?: Given<Name>] : [given: Given<Name>];

type Value = string | number | boolean | undefined;
type FormValue = string | Blob | readonly Blob[] | undefined;

/** `Given` as it is sent: what the compiler has checked by the call's name. */
interface Sent extends Common {
  readonly path?: Readonly<Record<string, Value>>;
  readonly query?: Readonly<Record<string, Value>>;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, FormValue>> | undefined;
}

declare const isFilled: unique symbol;
/** A path of the API whose parameters are filled in. */
export type ApiPath = string & { readonly [isFilled]: true };

/** Returns the path of a call, with its query. */
export function pathOf<Name extends CallName>(
  name: Name,
  parameters: Calls[Name]['path'],
  query?: Calls[Name]['query'],
): ApiPath {
  return `${fillPath(name, parameters as Sent['path'])}${searchOf(query as Sent['query'])}` as ApiPath;
}

function fillPath(name: CallName, parameters: Sent['path'] = {}): string {
  const path = name.slice(name.indexOf(' ') + 1);
  return path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(parameters[key])));
}

/** Returns `?` and the fields that have a value. */
function searchOf(fields: Sent['query'] = {}): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}

function formOf(fields: NonNullable<Sent['form']>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) if (one !== undefined) form.append(name, one);
  }
  return form;
}

/** Counts the sessions that began here: what was refused for want of one is asked for again. */
export const sessionsBegun = signal(0);

let sessionEnded = (): void => undefined;

/** Says what is done when the service no longer knows the session. */
export function onSessionEnd(run: () => void): void {
  sessionEnded = run;
}

/**
 * Makes a call of the API and returns its answer, whose body is still to be read.
 * @throws Problem for every answer but success
 */
export function fetchApi<Name extends CallName>(name: Name, ...[given]: Arguments<Name>): Promise<Response> {
  const { path, query, body, form, ...common } = (given ?? {}) as Sent;
  const method = name.slice(0, name.indexOf(' '));
  const json = body === undefined ? undefined : JSON.stringify(body);
  const content = form === undefined ? json : formOf(form);
  return fetchPath(`${fillPath(name, path)}${searchOf(query)}`, { ...common, method, content });
}

interface Fetched extends Common {
  readonly method?: string;
  /** A text is JSON. */
  readonly content?: string | FormData | undefined;
}

/** The header proves that the console's own page asks: no other origin can send it. */
async function fetchPath(path: string, { method = 'GET', content, headers, signal }: Fetched): Promise<Response> {
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
export async function callApi<Name extends CallName>(name: Name, ...given: Arguments<Name>): Promise<AnswerOf<Name>> {
  const answer = await fetchApi(name, ...given);
  return answer.status === 204 ? undefined : await answer.json();
}

/**
 * Asks for the signed address of a picture.
 * @throws Problem
 */
export async function askAddress(path: ApiPath, common: Common): Promise<string | undefined> {
  const { url, signedUrl = url } = await (await fetchPath(path, common)).json();
  return signedUrl === undefined ? undefined : reachable(signedUrl);
}
