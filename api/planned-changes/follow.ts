/** Follows what is shown through a span: the moments at which something else is shown, and the changes in between. */
import type { PlannedChange } from '../../gateway/frames/planned-changes.ts';
import type { Span } from './planned-paper.ts';

/** A changeover: from its time on something else is shown. */
export interface Changeover<Shown> {
  readonly change: PlannedChange;
  readonly shown: Shown;
}

/**
 * Returns the earliest changes, in their order. Those of one moment are one change, which may be shown early where all of them
 * may.
 */
export function earliest(changes: readonly PlannedChange[], most: number): readonly PlannedChange[] {
  const merged: PlannedChange[] = [];
  for (const change of changes.toSorted((one, other) => one.at - other.at)) {
    const last = merged.at(-1);
    if (last?.at !== change.at) merged.push(change);
    else if (last.mayShowEarly === true && change.mayShowEarly !== true)
      merged[merged.length - 1] = { ...last, mayShowEarly: false };
  }
  return merged.slice(0, most);
}

/**
 * Returns the changeovers, and within each the changes of what it shows.
 * @param first what is shown before the first changeover
 * @param changeovers all changeovers of the span, or its earliest `most`
 */
export function followChangeovers<Shown>(
  first: Shown,
  changeovers: readonly Changeover<Shown>[],
  span: Span,
  changesOfShown: (shown: Shown, within: Span) => readonly PlannedChange[],
): readonly PlannedChange[] {
  const found: PlannedChange[] = [];
  let [shown, from] = [first, span.after];
  for (const changeover of changeovers) {
    found.push(...changesOfShown(shown, { ...span, after: from, until: changeover.change.at - 1 }), changeover.change);
    if (found.length >= span.most) return earliest(found, span.most);
    [shown, from] = [changeover.shown, changeover.change.at];
  }
  return earliest([...found, ...changesOfShown(shown, { ...span, after: from })], span.most);
}
