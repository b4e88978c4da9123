/**
 * Waits until a website is done: nothing that can be seen changes, nothing is on its way, none of its timers is due
 * soon, and it does not show that it is loading. A page that never becomes quiet is taken as it is.
 */
import type { Page } from 'puppeteer';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import { pause } from '../../runtime/limit-time.ts';
import { readChanges, watchedName, watchMutations, watchTimers } from '../in-page/page-changes.ts';
import { findUnfinished, type Unfinished } from '../in-page/unfinished.ts';
import { answerOf } from './await-readiness.ts';
import { evaluateBeside } from './beside-page.ts';
import { loadingClasses, loadingWords } from './loading-words.ts';
import type { PageTraffic } from './page-traffic.ts';

/** The time without any change after which a page is quiet. */
const quietMs = 500;
const lookEveryMs = 100;
/** The longest wait for a page that only moves: a ticker, a carousel. */
const movingMs = 8_000;
/** The longest wait for a page that is loading. */
const loadingMs = 15_000;
/** How long after the page was parsed its own timers are waited for; of a page that shows nothing yet, longer. */
const timers = { usual: { timersMs: 5_000, repeatedMs: 2_000 }, bare: { timersMs: loadingMs, repeatedMs: 5_000 } };
/**
 * The longest waits for what others have in the page, and for an answer that may be held open where the page shows no sign
 * of loading.
 */
const othersMs = 5_000;
const heldMs = 8_000;
const scan = { words: loadingWords, classes: loadingClasses, maxElements: 5_000, ms: 50 };

/** A page that is awaited, its requests under way, and the milliseconds that it has left. */
export interface Awaited {
  readonly page: Page;
  readonly traffic: PageTraffic;
  readonly clock: Clock;
  readonly leftMs: () => number;
}

/** Watches a page that is to be opened. */
export async function watchPage(page: Page): Promise<void> {
  await Promise.all([watchMutations, watchTimers].map((watch) => page.evaluateOnNewDocument(watch, watchedName)));
}

/** The activity of a page; undefined for one that is quiet. */
type Doing = 'moving' | 'waiting' | 'loading' | undefined;

/**
 * Waits until a page is quiet.
 * @param mostMs the most milliseconds to wait; less than a page may take by itself where something else is awaited as
 * well
 * @returns a remark on a page that did not become quiet, undefined for one that did
 * @throws NotRendered for a page that is gone or stopped
 */
export async function awaitQuiet(awaited: Awaited, mostMs = loadingMs): Promise<Reason | undefined> {
  const { page, clock, leftMs } = awaited;
  const begun = clock.now();
  const end = begun + Math.min(mostMs, leftMs());
  const isMoving = { until: Math.min(end, begun + movingMs) };
  for (let seen: Unfinished = 'no'; ; ) {
    const { doing, unfinished } = await lookAt(awaited, begun, seen);
    seen = unfinished;
    const now = clock.now();
    if (doing === undefined) return undefined;
    if (doing === 'moving' && now >= isMoving.until) return reasonOf('page-still-moving');
    if (now >= end)
      return doing === 'waiting'
        ? undefined
        : reasonOf(doing === 'loading' ? 'page-still-loading' : 'page-still-moving');
    await pause(clock, doing === 'loading' ? 3 * lookEveryMs : lookEveryMs);
    if (page.isClosed()) return undefined;
  }
}

async function lookAt(
  { page, traffic, clock }: Awaited,
  begun: number,
  before: Unfinished,
): Promise<{ doing: Doing; unfinished: Unfinished }> {
  const look = async () => (await answerOf(evaluateBeside(page, findUnfinished, scan), clock)) ?? 'no';
  const asked = { name: watchedName, ...timers[before === 'no' ? 'usual' : 'bare'] };
  const { unchangedMs, timerMs, isAlive } = await answerOf(page.evaluate(readChanges, asked), clock);
  const now = clock.now();
  const waited = now - begun;
  const open = traffic.underWay();
  const isWaited = open.filter(({ isOwn, isAsked, since }) => {
    if (!isOwn) return waited < othersMs;
    return before !== 'no' || !isAsked || now - since < heldMs;
  });
  if (isWaited.length > 0)
    return { doing: isWaited.some(({ isOwn }) => isOwn) ? 'loading' : 'waiting', unfinished: before };
  if (unchangedMs < quietMs) {
    // A spinner also moves for as long as something loads: a page that shows that it is loading gets its time.
    const says = before === 'no' && waited > movingMs - quietMs ? await look() : before;
    return { doing: says === 'loading' ? 'loading' : 'moving', unfinished: says };
  }
  if (now - traffic.movedAt() < quietMs) return { doing: 'waiting', unfinished: before };
  const unfinished = await look();
  if (timerMs > 0) return { doing: unfinished === 'no' ? 'waiting' : 'loading', unfinished };
  // Where nothing is left that could change it, "Loading" is a word of the page.
  const canChange = isAlive || open.length > 0 || traffic.isConnected();
  if (unfinished === 'loading' && canChange) return { doing: 'loading', unfinished };
  // Timers are looked at once more: of a page that shows nothing, later ones count.
  if (unfinished === 'bare' && before === 'no') return { doing: 'waiting', unfinished };
  return { doing: undefined, unfinished };
}
