/** Asks one address of a recipe for its data: only for what has changed, and nothing of a secret beyond its origin. */
import { type Reason, reasonOf } from '../../../reasons/reason.ts';
import type { Sharer } from '../../../runtime/fair-shares.ts';
import type { AddressLogin } from '../../outgoing/address-login.ts';
import { type FollowDeps, followRedirects } from '../../outgoing/follow-redirects.ts';
import { readPlainUrl } from '../../outgoing/plain-url.ts';
import type { Validators } from '../../outgoing/request-once.ts';
import type { PollRequest } from '../work/poll-requests.ts';

/** The most bytes of an answer, unpacked (RC-92 bounds what is kept of it). */
const maxBytes = 4 * 2 ** 20;
const bodyTimeoutMs = 20_000;

/** One request, and who makes it. */
export interface Asking {
  readonly sharer: Sharer;
  readonly request: PollRequest;
  readonly logins: readonly AddressLogin[];
  /** The validators of the last answer, for conditional requests. */
  readonly validators: Validators | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An answer: new bytes, or none because nothing changed. */
export type AskedSource =
  | { readonly kind: 'answer'; readonly bytes: Buffer; readonly contentType: string; readonly validators?: Validators }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'problem'; readonly problem: Reason };

/** Makes the request. What fails out there is an outcome. */
export async function askSource(deps: FollowDeps, asking: Asking): Promise<AskedSource> {
  const { sharer, request, logins, validators = {}, signal } = asking;
  const url = readPlainUrl(request.url);
  if (!(url instanceof URL)) return { kind: 'problem', problem: reasonOf('recipe-address-unusable', { because: url }) };
  const answer = await followRedirects(deps, {
    sharer,
    url,
    logins,
    method: request.method,
    headers: { accept: 'application/json, application/xml;q=0.9, text/*;q=0.8, */*;q=0.5' },
    ownHeaders: { ...conditions(validators), ...request.headers },
    readLimitBytes: maxBytes,
    bodyTimeoutMs,
    ...(request.body !== undefined && { body: request.body }),
    ...(signal !== undefined && { signal }),
  });
  if (answer.kind === 'problem') return answer;
  const { status, body: bytes, contentType = '' } = answer;
  // One who was asked for everything has no answer to compare with.
  if (status === 304 && Object.keys(validators).length > 0) return { kind: 'unchanged' };
  if (status < 200 || status > 299) return { kind: 'problem', problem: statusProblem(status) };
  return { kind: 'answer', bytes, contentType, ...(answer.validators && { validators: answer.validators }) };
}

const conditions = ({ etag, lastModified }: Validators): Readonly<Record<string, string>> => ({
  ...(etag !== undefined && { 'if-none-match': etag }),
  ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
});

const statusProblem = (status: number): Reason =>
  status === 401 || status === 403 ? reasonOf('feed-wants-login', { status }) : reasonOf('answer-status', { status });
