/** When pictures that have their time begin on a place, or end there. */
import { reasonOf } from '../../reasons/reason.ts';
import { planTimed, type TimedTimes } from '../delivery-state/timed-rows.ts';
import type { Changeover } from './follow.ts';
import type { Span } from './planned-paper.ts';

/** Returns the picture on top at a moment; undefined when the place shows what is there without any. */
export const timedAt = (open: readonly TimedTimes[], at: number): string | undefined => planTimed(open, at).top?.id;

/**
 * Returns the times at which a place goes over to another picture, which are never early (WK-14): somebody has named them.
 * @param open the open pictures of the place, in the order of their beginnings
 */
export function timedChangeovers(
  open: readonly TimedTimes[],
  { after, until, most }: Span,
): readonly Changeover<string | undefined>[] {
  const named = open.flatMap(({ show_from, show_until }) => [show_from, ...(show_until === null ? [] : [show_until])]);
  const moments = [...new Set(named.filter((at) => at > after && at <= until))].sort((one, other) => one - other);
  const changeovers: Changeover<string | undefined>[] = [];
  let shown = nameAt(open, after);
  for (const at of moments) {
    const next = nameAt(open, at);
    if (next === shown) continue;
    shown = next;
    const begins = open.some(({ id, show_from }) => id === next && show_from === at);
    const reason = reasonOf(begins ? 'change-picture-begins' : 'change-picture-ends');
    changeovers.push({ change: { at, reason, mayShowEarly: false }, shown: timedAt(open, at) });
    if (changeovers.length >= most) break;
  }
  return changeovers;
}

/** A picture without an end takes the place of what was there. */
function nameAt(open: readonly TimedTimes[], at: number): string | undefined {
  const { top, lasting } = planTimed(open, at);
  return top?.id ?? lasting?.id;
}
