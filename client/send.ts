/** Sends a call to a service and returns what came of it: an answer of success, or an error in the service's own words. */
import type { CallRequest } from './calls.ts';
import type { Schemas } from './contract.ts';

/** Where the service is, and who calls it. */
export interface ServiceAddress {
  /** The base of the service, such as `https://paper.example.org`, without `/v1`. */
  readonly url: string;
  /** A person's key, which is sent as `x-api-key`. */
  readonly apiKey?: string | undefined;
  /** The token of a connection or of an identity provider, which is sent as a bearer token. */
  readonly token?: string | undefined;
  /**
   * How often a call is sent again that the service turned away for now (429 and 503 with `Retry-After`, of at most a
   * minute): GET, PUT and DELETE alone. 2 unless given.
   */
  readonly retries?: number | undefined;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The facts about a failed call. */
interface Failure {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly reasons?: readonly Schemas['Sentence'][] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly requestId?: string | undefined;
}

/**
 * A call that went wrong. Programs decide by `code`: one of the service's own (`not-found`, `too-many-requests`, …), or
 * `unreachable` (nobody answers), `timeout` (a sandbox that leaps for too long), `redirected` and `not-papergate` (somebody else does), `overtaken`, `no-frame`,
 * `waits-for-time` and `not-synced` (of `waitUntilSynced`).
 */
export class PapergateError extends Error {
  override readonly name = 'PapergateError';
  /** Of the answer; 0 where there was none. */
  readonly status: number;
  readonly code: string;
  /** The next step. */
  readonly hint: string | undefined;
  /** The sentences of the message and the hint, for programs that word them themselves. */
  readonly reasons: readonly Schemas['Sentence'][] | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The name of the request in the log of the service. */
  readonly requestId: string | undefined;

  constructor({ status = 0, code = 'unknown', message, ...more }: Failure) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = more.hint;
    this.reasons = more.reasons;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.requestId = more.requestId;
  }
}

const maxRetryAfterSeconds = 60;

/**
 * Checks an address. The error does not quote it: it may hold a secret.
 * @throws TypeError
 */
export function checkAddress({ url, apiKey, token, ...more }: ServiceAddress): ServiceAddress {
  const base = url.replace(/(?<!\/)\/+$/, '');
  if (!/^https?:\/\/[^@?#\s]+$/.test(base) || !URL.canParse(base)) {
    throw new TypeError('url is not the address of a service, such as http://127.0.0.1:3000');
  }
  // Below `/v1` the same routes answer in other shapes.
  if (base.endsWith('/v1')) throw new TypeError('url is the base of the service: leave out /v1');
  for (const [name, secret] of Object.entries({ apiKey, token })) {
    if (secret !== undefined && !/^[\x21-\x7e]+$/.test(secret)) throw new TypeError(`${name} is none`);
  }
  return { ...more, url: base, apiKey, token };
}

/**
 * Sends a request, and returns the answer of success, whose body is still to be read.
 * @throws PapergateError; the signal's reason once it is aborted
 */
export async function send(address: ServiceAddress, request: CallRequest): Promise<Response> {
  for (let left = address.retries ?? 2; ; left--) {
    const answer = await sendOnce(address, request);
    if (answer.ok) return answer;
    const error = await errorOf(answer, address.url);
    const { retryAfterSeconds: seconds = Number.POSITIVE_INFINITY } = error;
    const isTurnedAway = [429, 503].includes(answer.status) && /^(?:GET|PUT|DELETE)$/.test(request.method);
    if (left <= 0 || !isTurnedAway || seconds > maxRetryAfterSeconds) throw error;
    await pauseFor(seconds * 1000, request.signal);
  }
}

/**
 * Sends a request and reads the JSON of its answer, or the file that it is; undefined for one without a body.
 * @throws PapergateError; the signal's reason once it is aborted
 */
export async function askService(address: ServiceAddress, request: CallRequest): Promise<unknown> {
  const answer = await send(address, request);
  const isCut = (error: unknown): never => {
    request.signal?.throwIfAborted();
    throw unreachable(address.url, error);
  };
  if (answer.headers.get('content-disposition')?.startsWith('attachment')) return answer.blob().catch(isCut);
  const text = await answer.text().catch(isCut);
  if (text === '') return undefined;
  const read = readJson(text);
  if (read !== undefined) return read.value;
  const message = `${address.url} is not a Papergate service: it answers without JSON`;
  throw new PapergateError({ status: answer.status, code: 'not-papergate', message });
}

/** Asks if a call may go well later: nobody answered, or the service asks for patience. */
export function mayPass({ code, status }: PapergateError): boolean {
  return code === 'unreachable' || status === 429 || status >= 500;
}

/** Waits; rejects with the signal's reason once it is aborted. */
export function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

async function sendOnce(address: ServiceAddress, request: CallRequest): Promise<Response> {
  const { url, apiKey, token, fetch = globalThis.fetch } = address;
  const { method, path, content, headers, signal } = request;
  const init = {
    method,
    headers: {
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(typeof content === 'string' && { 'content-type': 'application/json' }),
      ...headers,
    },
    credentials: 'omit' as const,
    cache: 'no-store' as const,
    // A redirect is not followed: the key would be sent to whatever host it names.
    redirect: 'manual' as const,
    ...(content !== undefined && { body: content }),
    ...(signal && { signal }),
  };
  try {
    return await fetch(`${url}${path}`, init);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw unreachable(url, error);
  }
}

async function errorOf(answer: Response, url: string): Promise<PapergateError> {
  const { status, statusText, type, headers } = answer;
  const decoded = readJson(await answer.text().catch(() => ''))?.value;
  const said: Partial<Schemas['Error']> = typeof decoded === 'object' && decoded !== null ? { ...decoded } : {};
  const word = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400);
  return new PapergateError({
    status,
    code: word(said.code) ?? (isRedirect ? 'redirected' : 'unknown'),
    message: word(said.message) ?? (statusText || `HTTP ${status}`),
    hint: word(said.hint) ?? (isRedirect ? `${url} leads elsewhere` : undefined),
    reasons: Array.isArray(said.reasons) ? said.reasons : undefined,
    retryAfterSeconds: retryAfter > 0 ? retryAfter : undefined,
    requestId: word(said.requestId),
  });
}

function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Names the code of an error, never its text: that may quote what was sent (T-12). */
function unreachable(url: string, error: unknown): PapergateError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return new PapergateError({
    code: 'unreachable',
    message: `${url} does not answer (${code ?? 'no connection'})`,
  });
}
