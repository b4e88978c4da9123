/** The last change of a paper's picture before a time: from then on the picture hangs that is due at that time. Pure. */
import type { PlannedChange } from '../../gateway/frames/planned-changes.ts';
import { hoursOfAlbum } from '../papers/album-pace.ts';
import { plannedChangesOf } from './next-change.ts';
import type { PlannedPaper } from './planned-paper.ts';

const hourMs = 3_600_000;
/** How far it is looked back, a little first, and how many changes are followed there. */
const looksBackMs = [26, 8 * 24, 63 * 24].map((hours) => hours * hourMs);
const maxFollowed = 20_000;
/** Of several changes within so long before the time the first counts: a frame cannot follow each of them. */
export const settlingMs = 5 * 60_000;

/**
 * Returns the change whose picture, or a later one, is due at a time, epoch milliseconds: the last one up to it, or the first
 * of those that come within five minutes before it. Undefined where none is known within nine weeks.
 */
export function lastChangeBefore(paper: PlannedPaper, by: number): PlannedChange | undefined {
  let until = by;
  for (const backMs of looksBackMs) {
    const after = by - backMs;
    const changes = plannedChangesOf(atPace(paper, after), { after, until, most: maxFollowed });
    const first = changes.find(({ at }) => at > by - settlingMs);
    if (changes.length > 0) return first ?? changes.at(-1);
    until = after;
  }
  return undefined;
}

/** The paper as it was planned at a moment: what comes at a pace came at that pace before, too. */
function atPace(paper: PlannedPaper, moment: number): PlannedPaper {
  const { asked, album, meta, parts } = paper;
  const hours = hoursOfAlbum(meta);
  return {
    ...paper,
    parts: new Map([...parts].map(([id, part]) => [id, atPace(part, moment)])),
    ...(asked && { asked: { ...asked, dueAt: backBy(asked.dueAt, asked.everyMs, moment) } }),
    ...(album && hours !== undefined && { album: { ...album, since: backBy(album.since, hours * hourMs, moment) } }),
  };
}

/** Moves a time back by whole paces, so that it is not after a moment. */
const backBy = (time: number, everyMs: number, moment: number): number =>
  time <= moment ? time : time - Math.ceil((time - moment) / everyMs) * everyMs;
