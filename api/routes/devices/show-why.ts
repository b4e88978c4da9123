/** Presents the code of the reason why the newest picture is not proven on a glass. */

import { z } from 'zod';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { type Why, whyMeanings } from '../../explanations/why-code.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';

const words = Object.entries(whyMeanings).map(([code, means]) => `\`${code}\`: ${means}`);

export const whyShown = z
  .object({
    code: z.enum(Object.keys(whyMeanings) as [keyof typeof whyMeanings]).describe(words.join('; ')),
    reason: z.string().optional(),
    reasons: spelledReasons.optional(),
    expectedAt: z.string().optional(),
    paperKind: z.string().optional(),
    chosenPaper: z.string().optional(),
  })
  .nullable()
  .describe('the first thing that is missing until the newest picture is proven on the glass; null when nothing is');

export function showWhy({ expectedAt, reasons = [], ...why }: Why): NonNullable<z.input<typeof whyShown>> {
  return {
    ...why,
    ...(reasons.length > 0 && { reason: wordsOf(reasons), ...spelledAs('reasons', reasons) }),
    ...(expectedAt !== undefined && { expectedAt: isoTime(expectedAt) }),
  };
}
