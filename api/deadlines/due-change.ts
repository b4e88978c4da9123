/** The planned change of a paper whose picture is due at the time of a deadline. */
import { earlyChangeMs, type PlannedChange } from '../../gateway/frames/planned-changes.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { SelectedPaper } from '../delivery-state/papers-of-devices.ts';
import { changingKinds } from '../papers/kinds.ts';
import { lastChangeBefore } from '../planned-changes/last-change.ts';
import { loadPapers } from '../planned-changes/load-papers.ts';
import { fetchedWithinMs, isFetched } from '../planned-changes/paced-changes.ts';
import type { OpenOccurrence } from './deadline-rows.ts';

/** Finds the change whose picture is due; undefined where a paper changes by no plan. */
export type DueChangeOf = (occurrence: OpenOccurrence) => PlannedChange | undefined;

/**
 * Reads the papers of some occurrences, each once, and returns what finds the change of each.
 * @param papers the papers that their devices show
 */
export async function dueChanges(
  db: Database,
  occurrences: readonly OpenOccurrence[],
  papers: Iterable<SelectedPaper>,
): Promise<DueChangeOf> {
  const changing = new Set<string>();
  for (const { paper_id, kind } of papers) if (changingKinds.includes(kind)) changing.add(paper_id);
  const named = new Set(occurrences.flatMap(({ deadline: { paper_id } }) => paper_id ?? []));
  const ids = [...named].filter((id) => changing.has(id));
  const loaded = ids.length === 0 ? new Map() : await loadPapers(db, ids);
  const found = new Map<string, PlannedChange | undefined>();
  return ({ by_at: by, deadline: { paper_id } }) => {
    const paper = loaded.get(paper_id ?? '');
    const key = `${paper_id} ${by}`;
    if (paper !== undefined && !found.has(key)) found.set(key, lastChangeBefore(paper, by));
    return found.get(key);
  };
}

/** Returns from when on a frame may be given the picture of a change. */
export function givenFrom(change: PlannedChange): number {
  if (change.mayShowEarly === true) return change.at - earlyChangeMs;
  return change.at - (isFetched(change) ? fetchedWithinMs : 0);
}

/** Whether the picture of a paper that was made last is that of a change, or of a moment after it. */
export function isMadeFor(change: PlannedChange, { made_for, made_at }: SelectedPaper): boolean {
  if (made_for === null || made_at === null) return false;
  return change.mayShowEarly === true ? made_for >= change.at : made_at >= givenFrom(change);
}
