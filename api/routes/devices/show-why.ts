/** Presents the code that says why the newest picture is not proven on a glass. */

import { z } from 'zod';
import { isoTime } from '../../../runtime/clock.ts';
import { type Why, whyMeanings } from '../../explanations/why-code.ts';
import { saidSentences, sentencesOf } from '../../http/said-sentences.ts';

const words = Object.entries(whyMeanings).map(([code, means]) => `\`${code}\`: ${means}`);

export const whyShown = z
  .object({
    code: z.enum(Object.keys(whyMeanings) as [keyof typeof whyMeanings]).describe(words.join('; ')),
    reason: z.string().optional(),
    reasons: saidSentences.optional(),
    expectedAt: z.string().optional(),
    paperKind: z.string().optional(),
    chosenPaper: z.string().optional(),
  })
  .nullable()
  .describe('the first thing that is missing until the newest picture is proven on the glass; null when nothing is');

export function showWhy({ expectedAt, ...why }: Why): NonNullable<z.input<typeof whyShown>> {
  return {
    ...why,
    ...sentencesOf('reasons', why.reason),
    ...(expectedAt !== undefined && { expectedAt: isoTime(expectedAt) }),
  };
}
