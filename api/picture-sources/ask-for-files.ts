/** Asks servers of folders and of lists of pictures, whose answers are taken while they come, and says what their statuses mean. */
import { reasonOf } from '../../reasons/reason.ts';
import { type FollowedAnswer, type FollowedRequest, followRedirects } from '../outgoing/follow-redirects.ts';
import { type SourceDeps, SourceFault } from './source.ts';

/** A question to a server of a source. */
export type SourceQuestion = Pick<
  FollowedRequest,
  'url' | 'method' | 'body' | 'ownHeaders' | 'readLimitBytes' | 'timeoutMs' | 'bodyTimeoutMs' | 'beginTaking'
> & { readonly headers?: Readonly<Record<string, string>> };

/**
 * Makes a request, and returns the answer whatever its status.
 * @throws SourceFault where there is none
 */
export async function askForFiles(
  { follow, sharer, signal }: SourceDeps,
  { headers = {}, ...question }: SourceQuestion,
): Promise<FollowedAnswer> {
  const answer = await followRedirects(follow, { ...question, headers, sharer, signal, wantsHeaders: true });
  if (answer.kind === 'answer') return answer;
  const { problem } = answer;
  // What is too long now is too long in five minutes, too.
  const kind = problem.code === 'answer-too-long' ? 'unusable' : 'away';
  throw new SourceFault(kind, reasonOf('album-source-away', { because: problem }));
}

/** Returns the fault that a status means, of a request for what is there. */
export function faultOfStatus(answer: FollowedAnswer, now: number): SourceFault {
  const { status } = answer;
  if (status === 401 || status === 403) return new SourceFault('denied', reasonOf('album-source-denied', { status }));
  if (status === 404 || status === 410) return new SourceFault('gone', reasonOf('album-source-gone', { status }));
  const waitSeconds = secondsToWait(answer, now);
  if (status === 429) return new SourceFault('away', reasonOf('album-source-busy'), waitSeconds);
  const isPassing = status >= 500 || status === 408 || status === 423 || status === 425;
  const reason = reasonOf('album-source-status', { status });
  return isPassing ? new SourceFault('away', reason, waitSeconds) : new SourceFault('unusable', reason);
}

/** Returns the value of a header; undefined where there is none. */
export const headerOf = ({ headers = [] }: FollowedAnswer, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

const maxWaitSeconds = 86_400;

/** Reads `Retry-After`, which holds seconds or a date (RFC 9110, 10.2.3). */
function secondsToWait(answer: FollowedAnswer, now: number): number | undefined {
  const written = headerOf(answer, 'retry-after')?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(written) ? Number(written) : Math.ceil((Date.parse(written) - now) / 1_000);
  return seconds > 0 ? Math.min(seconds, maxWaitSeconds) : undefined;
}
