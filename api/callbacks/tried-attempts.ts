/** The attempts to send a callback, as its row keeps them. Pure. */

import { z } from 'zod';
import { type Because, readReason } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { isoTime } from '../../runtime/clock.ts';
import { spelledAs, spelledReasons } from '../http/spelled-reasons.ts';

/** The most attempts that a row keeps: more than seven days of retries make. */
const maxKept = 250;
const maxWordsLength = 200;

/** One attempt: when it ended, how long it took, the status of the answer, and what was wrong. */
const keptAttempt = z.object({
  at: z.number(),
  ms: z.number(),
  status: z.number().optional(),
  problem: z.custom<Because>((value) => readReason(value) !== undefined).optional(),
});
type KeptAttempt = z.output<typeof keptAttempt>;

/** Writes one more attempt behind those that a row keeps; the oldest give way. */
export function withAttempt(tried: string, { problem, ...attempt }: KeptAttempt): string {
  const kept = typeof problem === 'string' ? problem.slice(0, maxWordsLength) : problem;
  return JSON.stringify([...readTried(tried), { ...attempt, problem: kept }].slice(-maxKept));
}

/** Reads the attempts that a row keeps; what cannot be read counts as none. */
function readTried(tried: string): readonly KeptAttempt[] {
  return z.array(keptAttempt).catch([]).parse(JSON.parse(tried));
}

/** An attempt as people see it. */
export const attemptShown = z.object({
  at: z.string().describe('When it ended'),
  tookMs: z.number(),
  status: z.number().describe('The HTTP status of the answer; absent when none came').optional(),
  problem: z.string().describe('Why it does not count as delivered; absent when it does').optional(),
  problems: spelledReasons.optional(),
});

/** Presents the attempts of a row, oldest first. */
export function showTried(tried: string): z.input<typeof attemptShown>[] {
  return readTried(tried).map(({ at, ms: tookMs, status, problem }) => ({
    at: isoTime(at),
    tookMs,
    ...(status !== undefined && { status }),
    ...(problem !== undefined && { problem: wordsOf(problem), ...spelledAs('problems', [problem]) }),
  }));
}
