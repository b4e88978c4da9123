/** One look for changes that were not published yet. */
import type { Database } from '../../runtime/database/database.ts';
import { earliestId } from '../../runtime/random.ts';
import type { News } from './listener.ts';
import { deedsSince } from './read-areas.ts';
import { deliveriesOfIds, eventsOfIds, idsSince } from './read-changes.ts';
import { recordsSince } from './read-records.ts';

/** A change may be committed after a younger one was read, by this time. */
export const overlapMs = 10_000;
/** The time that a reader may reach back: reading costs as much as happened since, on all frames of the service. */
export const maxLookBackMs = 10 * 60_000;

/** The ids of changes that were read, with the time of the look. */
export type Seen = Map<string, number>;

/** The most ids that one look reads, and the most of their rows; the others are left for the next look. */
const maxIds = 20_000;
const maxRows = 2_000;
const maxRecords = 500;
const maxDeeds = 2_000;

/** The findings of one look. */
export interface Found extends Omit<News, 'cursor'> {
  /** Rows were left for the next look. */
  readonly isLeft: boolean;
}

/** Finds the changes since a moment that are not among the seen ones, and notes them there. */
export async function lookForNews(db: Database, seen: Seen, since: number, now: number): Promise<Found> {
  forgetOld(seen, now);
  const isNew = (id: string): boolean => !seen.has(id);
  const { events, moves, records, deeds } = await namesSince(db, since, isNew);
  const [newEvents, newMoves] = [events.filter(isNew), moves.filter(isNew)];
  const newRecords = records.filter(({ change }) => isNew(change.id));
  const [readEvents, readMoves] = [newEvents.slice(0, maxRows), newMoves.slice(0, maxRows)];
  const changes = [...(await eventsOfIds(db, readEvents)), ...(await deliveriesOfIds(db, readMoves))];
  const recordIds = newRecords.map(({ change }) => change.id);
  for (const id of [...readEvents, ...readMoves, ...recordIds, ...deeds.ids]) seen.set(id, now);
  changes.sort((a, b) => (a.change.at < b.change.at ? -1 : a.change.at > b.change.at ? 1 : 0));
  return {
    changes,
    records: newRecords,
    areas: deeds.areas,
    linked: deeds.linked,
    overflows:
      [events, moves].some(({ length }) => length === maxIds) ||
      newRecords.length >= maxRecords ||
      deeds.ids.length >= maxDeeds,
    isLeft: newEvents.length > readEvents.length || newMoves.length > readMoves.length,
  };
}

/** Notes the present state, for a first reader who is notified only of later changes. */
export async function noteSeen(db: Database, seen: Seen, since: number, now: number): Promise<void> {
  const { events, moves, records, deeds } = await namesSince(db, since, () => true);
  for (const id of [...events, ...moves, ...records.map(({ change }) => change.id), ...deeds.ids]) seen.set(id, now);
}

async function namesSince(db: Database, since: number, isNew: (id: string) => boolean) {
  const after = earliestId(since);
  return {
    events: await idsSince(db, 'frame_events', after, maxIds),
    moves: await idsSince(db, 'callback_events', after, maxIds),
    records: await recordsSince(db, since, maxRecords),
    deeds: await deedsSince(db, since, { limit: maxDeeds, isNew }),
  };
}

/** The oldest stand first. */
function forgetOld(seen: Seen, now: number): void {
  for (const [id, at] of seen) {
    if (now - at < 2 * overlapMs) return;
    seen.delete(id);
  }
}

/** The id with which a reader resumes after a moment; what was committed late is sent again. */
export function cursorAt(now: number): string {
  return earliestId(now - overlapMs);
}
