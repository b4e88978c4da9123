/** What is shown by turns, followed through a span: the turns themselves, and the changes of what each of them shows. */
import type { PlannedChange } from '../../gateway/frames/planned-changes.ts';
import type { Span } from './planned-paper.ts';

/** A turn: from its time on something else is shown. */
export interface Turn<Shown> {
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
 * Returns the turns, and within each the changes of what it shows.
 * @param first what is shown before the first turn
 * @param turns all turns of the span, or its earliest `most`
 */
export function followTurns<Shown>(
  first: Shown,
  turns: readonly Turn<Shown>[],
  span: Span,
  changesOfShown: (shown: Shown, within: Span) => readonly PlannedChange[],
): readonly PlannedChange[] {
  const found: PlannedChange[] = [];
  let [shown, from] = [first, span.after];
  for (const turn of turns) {
    found.push(...changesOfShown(shown, { ...span, after: from, until: turn.change.at - 1 }), turn.change);
    if (found.length >= span.most) return earliest(found, span.most);
    [shown, from] = [turn.shown, turn.change.at];
  }
  return earliest([...found, ...changesOfShown(shown, { ...span, after: from })], span.most);
}
