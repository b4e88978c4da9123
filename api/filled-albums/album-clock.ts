/** The clock of a filled album: playlists and boards show it among others, and keep no places of their own in its queue. */
import type { Transaction } from '../../runtime/database/database.ts';
import { storedObject } from '../http/field-shapes.ts';
import { isTimeForNext } from '../papers/album-pace.ts';
import type { AlbumPlan } from './album-plan.ts';
import { placesOfFrames, queuedAt } from './queue.ts';

/** Those that show many papers wake often: each picture stays for this long at least. */
const leastStayMs = 3_600_000;
/** A look that comes a little early does not leave a picture for another hour. */
const earlyMs = 5 * 60_000;

/** Where a clock stands, and since when; both are 0 while nothing shows the album among others. */
interface ClockOfAlbum {
  readonly clock_place: number;
  readonly clock_since: number;
}

/**
 * Moves the clock on when it is time for the next picture, and stops it when nothing shows the album among others.
 * @param trx which has locked the album
 * @returns the plan with the place of its clock
 */
export async function moveClock(trx: Transaction, plan: AlbumPlan, now: number): Promise<AlbumPlan> {
  const { paper, state } = plan;
  const next = clockAfter(plan, now);
  if (next.clock_place === state.clock_place && next.clock_since === state.clock_since) return plan;
  await trx('filled_albums').where({ paper_id: paper.id }).update(next);
  return { ...plan, state: { ...state, ...next }, places: await placesOfFrames(trx, paper.id) };
}

function clockAfter({ paper, glass, queue, places, state }: AlbumPlan, now: number): ClockOfAlbum {
  if (!glass.isAmongOthers) return { clock_place: 0, clock_since: 0 };
  const { clock_place, clock_since } = state;
  if (clock_place === 0) {
    const begin = Math.max(queue[0]?.place ?? 0, ...places);
    return begin === 0 ? { clock_place, clock_since } : { clock_place: begin, clock_since: now };
  }
  const isTime =
    now - clock_since >= leastStayMs - earlyMs && isTimeForNext(storedObject(paper.meta), clock_since, now);
  const shown = isTime ? queuedAt(queue, clock_place) : undefined;
  if (shown === undefined) return { clock_place, clock_since };
  return { clock_place: clock_place + shown.passed + 1, clock_since: now };
}
