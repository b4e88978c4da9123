/** Tells in answers what is to be known of a picture that was taken although something about its file was doubtful. */
import { z } from 'zod';
import type { Sentence } from '../../runtime/said-sentence.ts';
import { type SaidSentences, saidSentences, sentencesOf } from '../http/said-sentences.ts';

/** The fields of an answer that tells it; of most pictures there is nothing to tell, and they are absent. */
export const remarkFields = {
  remark: z.string().optional().describe('what is to be known of the file, where something about it was doubtful'),
  remarks: saidSentences.optional(),
};

/** What an answer tells. */
export interface RemarkShown {
  readonly remark?: string;
  readonly remarks?: SaidSentences;
}

/** Returns the fields for a remark, and none where there is none. */
export function tellRemark(remark: Sentence | undefined): RemarkShown {
  return remark === undefined ? {} : { remark, ...sentencesOf('remarks', remark) };
}
