/** The operator's HTTP client: one base URL, one credential, answers as JSON, refusals as refusals. */
import { refuse } from '../../runtime/refusals.ts';
import { WrongUsage } from './usage.ts';

/** The credential that a call sends. */
export interface ClientCredentials {
  readonly url: string;
  readonly apiKey?: string;
  readonly bearer?: string;
}

/** No Papergate service answered. */
export class Unreachable extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

const elsewhereHint =
  'start it with papergate serve, or set PAPERGATE_URL to the address of the service, for example http://127.0.0.1:3000';

/** A refusal that came over HTTP, in the service's own words. */
export class Refused extends Error {
  readonly status: number;
  readonly hint: string | undefined;

  constructor(status: number, message: string, hint: string | undefined) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/**
 * Calls the API and returns the decoded answer; undefined for an answer without a body.
 * @throws Refused for every status that is no success, Unreachable when no service answered
 */
export async function callApi<Answer>(
  credentials: ClientCredentials,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Answer> {
  const headers: Record<string, string> = {};
  if (credentials.apiKey !== undefined) headers['x-api-key'] = credentials.apiKey;
  if (credentials.bearer !== undefined) headers.authorization = `Bearer ${credentials.bearer}`;
  const isForm = body instanceof FormData;
  if (body !== undefined && !isForm) headers['content-type'] = 'application/json';
  const payload = body === undefined ? null : isForm ? body : JSON.stringify(body);
  // A redirect is not followed: fetch would send the key to whatever host it names.
  const { response, text } = await send(credentials.url, path, { method, headers, body: payload, redirect: 'manual' });
  if (!response.ok) throw refusedBy(response, text);
  const answer = text === '' ? { value: undefined } : readJson(text);
  if (answer === undefined)
    throw new Unreachable(`${credentials.url} is no Papergate service: it answers without JSON`, elsewhereHint);
  return answer.value as Answer;
}

/**
 * Reads the service's address from the environment. A wrong one is explained without quoting it.
 * @throws WrongUsage
 */
export function urlFromEnvironment(): string {
  const url = (process.env.PAPERGATE_URL || 'http://127.0.0.1:3000').replace(/(?<!\/)\/+$/, '');
  if (!/^https?:\/\/[^@?#\s]+$/.test(url) || !URL.canParse(url)) {
    throw new WrongUsage('PAPERGATE_URL is not the address of a service', 'for example http://127.0.0.1:3000');
  }
  // Below `/v1` the same routes answer in other shapes.
  if (url.endsWith('/v1')) throw new WrongUsage('PAPERGATE_URL is the base of the service', 'leave out /v1');
  return url;
}

/**
 * Reads the service's address and the key from the environment. A wrong one is explained without quoting it.
 * @throws WrongUsage
 */
export function credentialsFromEnvironment(): ClientCredentials {
  const url = urlFromEnvironment();
  const apiKey = (process.env.PAPERGATE_API_KEY ?? '').trim();
  if (apiKey === '') {
    throw new WrongUsage(
      'PAPERGATE_API_KEY is not set',
      'papergate setup prints a key; PAPERGATE_URL defaults to http://127.0.0.1:3000',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new WrongUsage('PAPERGATE_API_KEY is no API key', 'papergate keys create');
  return { url, apiKey };
}

/**
 * Encodes a person's text as one segment of a path. A segment such as `..` would lead to another route (T-37).
 * @throws Refusal `invalid-request`
 */
export function pathSegment(text: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text)) return text;
  throw refuse('invalid-request', {
    message: `"${text.slice(0, 80)}" is neither an id nor a serial`,
    hint: 'letters, digits, - and _ only, at most 64',
  });
}

async function send(url: string, path: string, init: RequestInit): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(url + path, init);
    return { response, text: await response.text() };
  } catch (error) {
    throw new Unreachable(`${url} does not answer (${causeOf(error)})`, elsewhereHint);
  }
}

function refusedBy(response: Response, text: string): Refused {
  const decoded: unknown = readJson(text)?.value;
  const words: Record<string, unknown> = typeof decoded === 'object' && decoded !== null ? { ...decoded } : {};
  const word = (name: string) => (typeof words[name] === 'string' ? words[name] : undefined);
  const requestId = word('requestId');
  const message = `${response.status} ${word('message') ?? response.statusText}`;
  return new Refused(
    response.status,
    requestId === undefined ? message : `${message} (request ${requestId})`,
    word('hint') ?? (response.status >= 300 && response.status < 400 ? 'PAPERGATE_URL leads elsewhere' : undefined),
  );
}

function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Returns the code of an error, never its text: that may quote what was sent (T-12). */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'no connection';
}
