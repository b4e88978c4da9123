/** Sentences of the service as answers give them to programs, beside the texts that people read. */
import { z } from 'zod';
import { readSentence, sentenceCodes } from '../../runtime/said-sentence.ts';

/** The sentences that a text is made of. */
export const saidSentences = z
  .array(
    z
      .object({
        code: z
          .enum(sentenceCodes)
          .optional()
          .describe("absent for words that are not the service's own, such as a frame's"),
        parameters: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
        sentence: z.string().describe('in English'),
      })
      .meta({ id: 'Sentence' }),
  )
  .describe('the same for programs, sentence by sentence; one within another stands behind it');

export type SaidSentences = z.input<typeof saidSentences>;

/** Returns the field with the sentences of a text, and no field for no text or one of somebody else's words alone. */
export function sentencesOf<Field extends string>(
  field: Field,
  text: string | null | undefined,
): { [Name in Field]?: SaidSentences } {
  const fields: { [Name in Field]?: SaidSentences } = {};
  if (text === null || text === undefined) return fields;
  const read = [...readSentence(text)];
  if (read.some(({ code }) => code !== undefined)) fields[field] = read;
  return fields;
}
