/** What a paper keeps as its `meta`: judged here, by whatever road it comes. */
import { refuse } from '../../gateway/runtime/refusals.ts';
import { metaText } from '../http/field-shapes.ts';
import { timeProblem } from './schedule.ts';

/**
 * The text of a meta that was given, or of what the stored one becomes with what was given. The contract leaves it open:
 * what would be kept and silently mean something else is refused.
 * @throws Refusal `invalid-request` that names the field, `body-too-large`
 */
export function paperMeta(meta: unknown): string {
  const problem = typeof meta === 'object' && meta !== null ? timeProblem({ ...meta }) : undefined;
  if (problem !== undefined) throw refuse('invalid-request', { hint: `meta.${problem}` });
  return metaText(meta);
}
