/** The `meta` of a paper: judged here, however it arrives. */
import { refuse } from '../../runtime/refusals.ts';
import { playlistProblem } from '../calendar/choose-entry.ts';
import { metaText } from '../http/field-shapes.ts';
import { timeProblem } from './schedule.ts';

/**
 * Returns the text of a given meta, or of the stored one merged with the given one. The contract leaves its content
 * open, but a value that would be kept and silently mean something else is refused.
 * @param given the caller's own part; the rest of the meta was stored before, and is not the caller's mistake
 * @throws Refusal `invalid-request` that names the field, `body-too-large`
 */
export function paperMeta(meta: unknown, given: unknown = meta): string {
  const fields = typeof given === 'object' && given !== null ? { ...given } : {};
  const problem = timeProblem(fields) ?? playlistProblem(fields);
  if (problem !== undefined) throw refuse('invalid-request', { hint: `meta.${problem}` });
  return metaText(meta);
}
