/** Adds to answers the remark on a picture that was accepted although something about its file was doubtful. */

import { z } from 'zod';
import type { Reasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { type SpelledReasons, spelledAs, spelledReasons } from '../http/spelled-reasons.ts';

/** The fields of an answer with a remark; most pictures have none, and the fields are absent. */
export const remarkFields = {
  remark: z.string().optional().describe('what is to be known of the file, where something about it was doubtful'),
  remarks: spelledReasons.optional(),
};

/** The words of an answer. */
export interface RemarkShown {
  readonly remark?: string;
  readonly remarks?: SpelledReasons;
}

/** Returns the fields for remarks, and none where there are none. */
export function tellRemarks(remarks: Reasons): RemarkShown {
  return remarks.length === 0 ? {} : { remark: wordsOf(remarks), ...spelledAs('remarks', remarks) };
}
