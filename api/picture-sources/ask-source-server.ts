/** Asks servers of sources for JSON and for pictures, and reads their refusals as faults. */
import type { z } from 'zod';
import { reasonOf } from '../../reasons/reason.ts';
import { type FollowedAnswer, type FollowedRequest, followRedirects } from '../outgoing/follow-redirects.ts';
import { type FaultKind, type SourceDeps, SourceFault } from './source.ts';

/** A question to a server. */
export interface ServerQuestion extends Pick<FollowedRequest, 'method' | 'readAddress'> {
  readonly url: URL;
  /** The headers with secrets, for the origin of `url` alone. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The value that is sent as JSON. */
  readonly json?: unknown;
  readonly accept?: string;
  /** The most bytes of the answer, unpacked; left out, those of a page of a listing. */
  readonly limitBytes?: number;
}

/** An answer with status 2xx, or one that its caller wants to read itself. */
export interface SourceAnswer extends FollowedAnswer {
  header(name: string): string | undefined;
}

/** A page of a listing has a megabyte or two. */
const pageLimitBytes = 16 * 1024 * 1024;
/** The time up to the first byte of an answer, and for all of it: many houses send a megabyte in ten seconds. */
const times = { firstByteMs: 20_000, bodyMs: 60_000 } as const;
/** A server that asks to wait for longer is asked again the next day at the latest. */
const maxWaitSeconds = 86_400;

/**
 * Asks a server.
 * @throws SourceFault where there is no answer at all; a refusal is an answer
 */
export async function askSourceServer(deps: SourceDeps, question: ServerQuestion): Promise<SourceAnswer> {
  const { url, method = 'GET', secrets = {}, json, accept = 'application/json', readAddress } = question;
  const answer = await followRedirects(deps.follow, {
    sharer: deps.sharer,
    signal: deps.signal,
    url,
    method,
    headers: { accept, ...(json !== undefined && { 'content-type': 'application/json' }) },
    ownHeaders: secrets,
    wantsHeaders: true,
    readLimitBytes: question.limitBytes ?? pageLimitBytes,
    timeoutMs: times.firstByteMs,
    bodyTimeoutMs: times.bodyMs,
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(readAddress !== undefined && { readAddress }),
  });
  if (answer.kind === 'problem') {
    const { problem } = answer;
    const isLasting = problem.code === 'answer-too-long' || problem.code === 'answer-not-unpacked';
    throw new SourceFault(isLasting ? 'unusable' : 'away', reasonOf('album-source-away', { because: problem }));
  }
  const header = (name: string): string | undefined => answer.headers?.find(([one]) => one.toLowerCase() === name)?.[1];
  return { ...answer, header };
}

/** Returns whether an answer has what was asked for. */
export const isGiven = ({ status }: Pick<SourceAnswer, 'status'>): boolean => status >= 200 && status < 300;

/** Returns the fault that an answer other than 2xx stands for. */
export function faultOfRefusal(answer: SourceAnswer): SourceFault {
  const { status } = answer;
  if (status === 401 || status === 403) return new SourceFault('denied', reasonOf('album-source-denied', { status }));
  if (status === 404 || status === 410) return new SourceFault('gone', reasonOf('album-source-gone', { status }));
  if (status === 429 || status === 503) {
    return new SourceFault('away', reasonOf('album-source-busy'), waitSecondsOf(answer.header('retry-after')));
  }
  const kind: FaultKind = status >= 500 || status === 408 || status === 425 ? 'away' : 'unusable';
  return new SourceFault(kind, reasonOf('album-source-status', { status }));
}

/** Returns the seconds to wait; a date, which few servers write, counts as none. */
function waitSecondsOf(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,9}$/.test(header)) return undefined;
  return Math.min(Number(header), maxWaitSeconds);
}

/** Makes the fault of an answer that is not what an adapter reads. */
export const unreadableAnswer = (): SourceFault => new SourceFault('unusable', reasonOf('album-source-unreadable'));

/** Reads a body as JSON of a shape; undefined where it is not. */
export function jsonOf<Shape extends z.ZodType>(body: Buffer, shape: Shape): z.output<Shape> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
  return shape.safeParse(value).data;
}

/** Reads the body of an answer. */
export function readSourceAnswer<Shape extends z.ZodType>(answer: SourceAnswer, shape: Shape): z.output<Shape> {
  if (!isGiven(answer)) throw faultOfRefusal(answer);
  const read = jsonOf(answer.body, shape);
  if (read === undefined) throw unreadableAnswer();
  return read;
}
