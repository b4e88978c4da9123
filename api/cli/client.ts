/** The operator's HTTP client: one base URL, one credential, answers as JSON, refusals as refusals. */
import { Refusal } from '../../gateway/runtime/refusals.ts';

/** How a call proves who makes it. */
export interface ClientCredentials {
  readonly url: string;
  readonly apiKey?: string;
  readonly bearer?: string;
}

/** The service did not answer at all. */
export class Unreachable extends Error {}

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

/** Calls the API and returns the decoded answer; undefined for an answer without a body. */
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
  const response = await fetch(credentials.url + path, { method, headers, body: payload }).catch((error: unknown) => {
    throw new Unreachable(`${credentials.url} does not answer (${causeOf(error)})`);
  });
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Answer;
  const said = readRefusal(text);
  throw new Refused(response.status, `${response.status} ${said.message ?? response.statusText}`, said.hint);
}

/** The service's address and the key, from the environment. */
export function credentialsFromEnvironment(): ClientCredentials {
  const { PAPERGATE_URL, PAPERGATE_API_KEY } = process.env;
  if (PAPERGATE_API_KEY === undefined || PAPERGATE_API_KEY === '') {
    throw new Refusal('bad-configuration', {
      message: 'PAPERGATE_API_KEY is not set',
      hint: 'papergate setup prints a key; PAPERGATE_URL defaults to http://127.0.0.1:3000',
    });
  }
  return { url: (PAPERGATE_URL || 'http://127.0.0.1:3000').replace(/\/+$/, ''), apiKey: PAPERGATE_API_KEY };
}

function readRefusal(text: string): { message?: string; hint?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
}
