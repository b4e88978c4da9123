/** The attempts to send a callback, as its row keeps them. Pure. */

import { z } from 'zod';
import { isoTime } from '../../runtime/clock.ts';
import { saidSentences, sentencesOf } from '../http/said-sentences.ts';

/** The most attempts that a row keeps: more than seven days of retries make. */
const maxKept = 250;
const maxProblemLength = 200;

/** One attempt: when it ended, how long it took, the status of the answer, and what was wrong. */
const keptAttempt = z.object({
  at: z.number(),
  ms: z.number(),
  status: z.number().optional(),
  problem: z.string().optional(),
});
type KeptAttempt = z.output<typeof keptAttempt>;

/** Writes one more attempt behind those that a row keeps; the oldest give way. */
export function withAttempt(tried: string, { problem, ...attempt }: KeptAttempt): string {
  const shown = problem === undefined ? attempt : { ...attempt, problem: problem.slice(0, maxProblemLength) };
  return JSON.stringify([...readTried(tried), shown].slice(-maxKept));
}

/** Reads the attempts that a row keeps; what cannot be read counts as none. */
function readTried(tried: string): readonly KeptAttempt[] {
  return z.array(keptAttempt).catch([]).parse(JSON.parse(tried));
}

/** An attempt as people are told of it. */
export const attemptShown = z.object({
  at: z.string().describe('When it ended'),
  tookMs: z.number(),
  status: z.number().describe('The HTTP status of the answer; absent when none came').optional(),
  problem: z.string().describe('Why it does not count as delivered; absent when it does').optional(),
  problems: saidSentences.optional(),
});

/** Presents the attempts of a row, oldest first. */
export function showTried(tried: string): z.input<typeof attemptShown>[] {
  return readTried(tried).map(({ at, ms: tookMs, ...more }) => ({
    at: isoTime(at),
    tookMs,
    ...more,
    ...sentencesOf('problems', more.problem),
  }));
}
