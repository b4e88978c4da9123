/** The life of one frame before a deadline, made by chance on a grid of ten seconds, and what could still become of it. */
import type { DeadlineFacts, FrameOutlook } from '../../api/deadlines/deadline-state.ts';

/** The grid: all times are multiples of it. */
export const gridMs = 10_000;

/** The facts that were known from a moment on. */
export interface Known {
  readonly at: number;
  readonly facts: DeadlineFacts;
}

/** A life: what was known when, and when the wanted picture was really proven. */
export interface FrameLife {
  readonly by: number;
  readonly known: readonly Known[];
  readonly provenAt: number | null;
  readonly endsAt: number;
}

/** Numbers by chance, the same for the same seed. */
export function chances(seed: number) {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    chance: (part: number): boolean => next() < part,
    /** A multiple of the grid. */
    between: (least: number, most: number): number =>
      gridMs * (Math.floor(least / gridMs) + Math.floor(next() * (Math.floor((most - least) / gridMs) + 1))),
  };
}

const minuteMs = 60_000;

/** Lives the life of a seed: sleeps as told or longer, buttons, downloads that break off, pictures that change late. */
export function liveBefore(seed: number): FrameLife {
  const { chance, between } = chances(seed);
  const by = between(20 * minuteMs, 70 * minuteMs);
  const drawMs = between(gridMs, 4 * gridMs);
  const provesLater = chance(0.4);
  const shortestSleepMs = chance(0.8) ? 60_000 : between(5 * minuteMs, 20 * minuteMs);
  const from = chance(0.2) ? between(0, by) : null;
  const latenessMs = chance(0.3) ? between(0, 2 * minuteMs) : 0;
  const bestGrade = chance(0.05) ? 'processed' : 'named';
  const isDead = chance(0.1) ? between(0, by) : Infinity;
  const endsAt = by + 40 * minuteMs;
  const changesAt = chance(0.3) ? between(0, by) : null;
  const known: Known[] = [];
  let [wakesAt, wokeReally]: [number, number] = [between(0, 40 * minuteMs), 0];
  wokeReally = wakesAt + (chance(0.5) ? between(0, 6 * minuteMs) : 0);
  let picture: DeadlineFacts['picture'] = chance(0.8) ? 'ready' : 'making';
  let [fetchedAt, provenAt, wantedSince]: [number | null, number | null, number] = [null, null, -gridMs];
  let [lastContactAt, takesUntil, fetchesAt, reportsAt]: [number | null, number | null, number | null, number | null] =
    [-gridMs, null, null, null];
  let trouble: FrameOutlook['trouble'] = null;

  const note = (at: number): void => {
    const frame = { wakesAt, lastContactAt, takesUntil, latenessMs, drawMs, provesLater, shortestSleepMs };
    const facts = {
      by,
      asked: 'reported',
      proofAt: provenAt,
      fetchedAt,
      picture,
      wantedSince,
      from,
      settlesAt: 0,
    } as const;
    const entry = { at, facts: { ...facts, frame: { ...frame, bestGrade, trouble } } as const };
    if (known.at(-1)?.at === at) known.pop();
    known.push(entry);
  };

  /** The frame is there: it proves what it has, and is given what it lacks, with the sleep that it is told. */
  const wake = (at: number): void => {
    [lastContactAt, takesUntil, fetchesAt, reportsAt] = [at, null, null, null];
    const isProvenNow = fetchedAt !== null && provenAt === null && at >= fetchedAt + drawMs && chance(0.9);
    if (isProvenNow && bestGrade === 'named') provenAt = at;
    const toldMs = chance(0.3) ? shortestSleepMs : between(shortestSleepMs, 60 * minuteMs);
    let awakeMs = gridMs;
    if (fetchedAt === null && picture === 'ready' && (from === null || at >= from)) {
      awakeMs = 3 * gridMs + drawMs;
      takesUntil = at + awakeMs;
      if (chance(0.85)) fetchesAt = at + between(0, 2 * gridMs);
      if (!provesLater && fetchesAt !== null && chance(0.9)) reportsAt = fetchesAt + drawMs;
    }
    wakesAt = at + awakeMs + toldMs;
    wokeReally = chance(0.1)
      ? at + awakeMs + between(gridMs, toldMs)
      : wakesAt + (chance(0.4) ? between(0, 8 * minuteMs) : 0);
    if (chance(0.03)) trouble = chance(0.4) ? 'flat' : 'battery';
  };

  note(0);
  for (let at = gridMs; at <= endsAt; at += gridMs) {
    let isNews = true;
    if (at === changesAt && provenAt === null)
      [fetchedAt, wantedSince, fetchesAt, reportsAt, takesUntil] = [null, at, null, null, null];
    else if (at === fetchesAt) fetchedAt = at;
    else if (at === reportsAt && provenAt === null && bestGrade === 'named') provenAt = at;
    else if (at >= wokeReally && at < isDead && trouble !== 'flat') wake(at);
    else if (picture === 'making' && chance(0.01)) picture = 'ready';
    else isNews = false;
    if (isNews) note(at);
  }
  return { by, known, provenAt, endsAt };
}

/** Whether the best that may still happen ends with a proof: steps through the time that is left, and asks what the frame could do. */
export function canStillBeProven({ by, fetchedAt, from, asked, frame }: DeadlineFacts, now: number): boolean {
  if (frame === null || frame.trouble === 'flat' || (frame.bestGrade === 'processed' && asked !== 'processed'))
    return false;
  const { drawMs, provesLater, shortestSleepMs } = frame;
  let asleepUntil = frame.wakesAt !== null && frame.wakesAt > now ? frame.wakesAt : null;
  let isOpen = frame.takesUntil !== null && now <= frame.takesUntil;
  let taken = fetchedAt;
  for (let at = now; at <= by; at += gridMs) {
    const wakes = at === asleepUntil;
    if (taken === null && (wakes || asleepUntil === null || (isOpen && at === now))) {
      if (from !== null && at < from && !isOpen) {
        // Sent back to bed until the picture may be shown; one that is up may wait.
        if (wakes) asleepUntil = Math.max(from, at + shortestSleepMs);
        continue;
      }
      taken = at;
      if (!provesLater) [isOpen, asleepUntil] = [true, null];
      else if (isOpen && asleepUntil !== null) asleepUntil = Math.max(asleepUntil, at + drawMs);
      else asleepUntil = at + drawMs + shortestSleepMs;
      continue;
    }
    if (taken === null) continue;
    if (provesLater) {
      if (asleepUntil === null ? at >= taken + drawMs + shortestSleepMs : at >= asleepUntil) return true;
    } else if (wakes || ((isOpen || asleepUntil === null) && at >= taken + drawMs)) return true;
  }
  return false;
}
