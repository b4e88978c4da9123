/** Sentences of the service as answers give them to programs, next to the texts that people read. */
import { z } from 'zod';
import { type Reasons, reasonCodes } from '../../reasons/reason.ts';
import { spellOut } from '../../reasons/words.ts';

/** The sentences that a text is made of. */
export const spelledReasons = z
  .array(
    z
      .object({
        code: z
          .enum(reasonCodes)
          .optional()
          .describe("absent for words that are not the service's own, such as a frame's"),
        parameters: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
        sentence: z.string().describe('in English'),
      })
      .meta({ id: 'Sentence' }),
  )
  .describe('the same for programs, sentence by sentence; one within another stands behind it');

export type SpelledReasons = z.input<typeof spelledReasons>;

/** Returns the field with reasons spelled out, and no field for none or words of somebody else alone. */
export function spelledAs<Field extends string>(field: Field, reasons: Reasons): { [Name in Field]?: SpelledReasons } {
  const fields: { [Name in Field]?: SpelledReasons } = {};
  if (reasons.some((one) => typeof one !== 'string')) fields[field] = [...spellOut(reasons)];
  return fields;
}
