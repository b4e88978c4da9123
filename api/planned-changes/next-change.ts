/** When the picture of a paper changes next (WK-10). Pure: it is given all that it needs. */
import { maxPlannedChanges, type PlannedChange } from '../../gateway/frames/planned-changes.ts';
import { reasonOf } from '../../reasons/reason.ts';
import type { TimedTimes } from '../delivery-state/timed-rows.ts';
import { boardParts } from '../papers/board-parts.ts';
import { selectedPapers } from '../papers/choose-slide.ts';
import { earliest, followChangeovers } from './follow.ts';
import { changesByAsking, changesByDay, changesByEvents, changesBySchedule, changesOfAlbum } from './paced-changes.ts';
import type { PlannedPaper, Span } from './planned-paper.ts';
import { playlistChangeovers } from './playlist-changeovers.ts';
import { timedAt, timedChangeovers } from './timed-changeovers.ts';

const hourMs = 3_600_000;
/** Sleeps are a day long at most; a list that reaches further need not be written again at once. */
export const aheadMs = 26 * hourMs;
/** How far it is looked ahead, a little first: most papers change within a day, and few less than once a year. */
const horizonsMs = [26, 8 * 24, 63 * 24, 400 * 24].map((hours) => hours * hourMs);
/** Papers that are made of others are shown in none; rows that say otherwise are not followed without end. */
const maxDepth = 3;

/**
 * Returns the next change of a paper's picture after a moment, epoch milliseconds; undefined where nothing is known of any
 * within a year.
 */
export function nextChangeOf(paper: PlannedPaper, after: number): PlannedChange | undefined {
  return firstWithin((span) => plannedChangesOf(paper, span), after);
}

/**
 * Returns the changes of the day after a moment, or the first one after it where there is none; at most one more than a frame
 * keeps.
 */
export const comingChanges = (paper: PlannedPaper, after: number): readonly PlannedChange[] =>
  withinDay((span) => plannedChangesOf(paper, span), after);

/** The changes of a day, or else the first one after it. */
export function withinDay(changes: (span: Span) => readonly PlannedChange[], after: number): readonly PlannedChange[] {
  const list = changes({ after, until: after + aheadMs, most: maxPlannedChanges + 1 });
  const next = list.length === 0 ? firstWithin(changes, after) : undefined;
  return next === undefined ? list : [next];
}

/** The first change that is found, looked for further and further away; undefined where there is none within a year. */
function firstWithin(changes: (span: Span) => readonly PlannedChange[], after: number): PlannedChange | undefined {
  for (const horizon of horizonsMs) {
    const [first] = changes({ after, until: after + horizon, most: 1 });
    if (first !== undefined) return first;
  }
  return undefined;
}

/** Returns the earliest changes of a paper's picture within a span, each once, in their order. */
export function plannedChangesOf(
  paper: PlannedPaper,
  span: Span,
  within: ReadonlySet<string> = new Set(),
): readonly PlannedChange[] {
  if (within.has(paper.id) || within.size >= maxDepth || span.until <= span.after) return [];
  const inner = new Set([...within, paper.id]);
  const found = [
    ...timedChangeovers(paper.timed, span).map(({ change }) => change),
    ...[changesByDay, changesByEvents, changesBySchedule, changesByAsking].flatMap((changes) => changes(paper, span)),
    // In a part, an album shows one picture alone.
    ...(within.size === 0 ? changesOfAlbum(paper, span) : []),
    ...changesOfParts(paper, span, inner),
  ];
  return earliest(found, span.most);
}

/**
 * Returns the earliest changes of a device's picture: those of its paper, except while a picture of the device's own is shown
 * before it.
 * @param own the open pictures that have a time on the device itself, in the order of their beginnings
 */
export function changesOfDevice(
  paper: PlannedPaper | undefined,
  own: readonly TimedTimes[],
  span: Span,
): readonly PlannedChange[] {
  return followChangeovers(timedAt(own, span.after), timedChangeovers(own, span), span, (shown, part) =>
    shown === undefined && paper !== undefined ? plannedChangesOf(paper, part) : [],
  );
}

function changesOfParts(paper: PlannedPaper, span: Span, within: ReadonlySet<string>): readonly PlannedChange[] {
  const { kind, meta, parts } = paper;
  const changesIn = (id: string | undefined, part: Span): readonly PlannedChange[] => {
    const shown = id === undefined ? undefined : parts.get(id);
    return shown === undefined ? [] : plannedChangesOf(shown, part, within);
  };
  if (kind === 'playlist') {
    const { first, changeovers } = playlistChangeovers(meta, (id) => parts.has(id), span);
    const named = changeovers.map(({ at, from, to }) => ({ change: changeoverOf({ at, from, to }, paper), shown: to }));
    return followChangeovers(first, named, span, changesIn);
  }
  // Which slide a wake brings is not known: each of them may be the one.
  const shown = kind === 'slides' ? selectedPapers(meta) : kind === 'board' ? partsOfBoard(meta) : [];
  return shown.flatMap((id) => changesIn(id, span));
}

const partsOfBoard = (meta: PlannedPaper['meta']): readonly string[] => [
  ...new Set(boardParts(meta).flatMap(({ paperId }) => (paperId === undefined ? [] : [paperId]))),
];

function changeoverOf(
  { at, from, to }: { readonly at: number; readonly from: string | undefined; readonly to: string | undefined },
  { parts }: PlannedPaper,
): PlannedChange {
  const titleOf = (id: string | undefined): string => (id === undefined ? '' : (parts.get(id)?.title ?? ''));
  const reason =
    from === undefined
      ? reasonOf('change-entry-first', { to: titleOf(to) })
      : reasonOf('change-entry', { from: titleOf(from), to: titleOf(to) });
  return { at, reason, mayShowEarly: true };
}
