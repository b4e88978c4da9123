/** The operator's client of the API: its settings come from the environment, and its errors are worded for a terminal. */
import type { AnsweredName, AnswerOf, Arguments } from '../../client/calls.ts';
import { PapergateError, papergate } from '../../client/papergate.ts';
import { refuse } from '../../reasons/refusals.ts';
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
 * Makes a call of the API, and returns its answer; undefined for an answer without a body.
 * @throws Refused for every status that is not a success, Unreachable when no service answered
 */
export async function callApi<Name extends AnsweredName>(
  { url, apiKey, bearer }: ClientCredentials,
  name: Name,
  ...given: Arguments<Name>
): Promise<AnswerOf<Name>> {
  const { call } = papergate({ url, apiKey, token: bearer, retries: 0 });
  return await call(name, ...given).catch((error: unknown) => {
    throw wordedError(error);
  });
}

/** Words what the client throws for somebody at a terminal. */
export function wordedError(error: unknown): unknown {
  if (!(error instanceof PapergateError)) return error;
  const { status, code, message, hint, requestId } = error;
  if (code === 'unreachable' || code === 'not-papergate') return new Unreachable(message, elsewhereHint);
  const words = requestId === undefined ? `${status} ${message}` : `${status} ${message} (request ${requestId})`;
  return new Refused(status, words, code === 'redirected' ? 'PAPERGATE_URL leads elsewhere' : hint);
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
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new WrongUsage('PAPERGATE_API_KEY is not an API key', 'papergate keys create');
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
