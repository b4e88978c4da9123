/** Presents a change that is known beforehand, as answers have it. */
import { z } from 'zod';
import type { PlannedChange } from '../../gateway/frames/planned-changes.ts';
import { wordsOf } from '../../reasons/words.ts';
import { isoTime } from '../../runtime/clock.ts';
import { spelledAs, spelledReasons } from '../http/spelled-reasons.ts';

export const plannedChangeShown = z
  .object({
    at: z.string(),
    reason: z.string().optional().describe('why the picture changes then'),
    reasons: spelledReasons.optional(),
    mayShowEarly: z
      .boolean()
      .describe('a frame that wakes within the minute before may be given the coming picture already'),
  })
  .meta({ id: 'PlannedChange' });

/**
 * Presents a change.
 * @param mayRead whether the caller may see the papers of the organization, whose titles stand in reasons
 */
export function showPlanned(
  { at, reason, mayShowEarly }: PlannedChange,
  mayRead: boolean,
): z.input<typeof plannedChangeShown> {
  return {
    at: isoTime(at),
    ...(reason !== undefined && mayRead && { reason: wordsOf(reason), ...spelledAs('reasons', [reason]) }),
    mayShowEarly: mayShowEarly === true,
  };
}
