/** From the parsed document to a page that may be photographed: INIT, markers, signals instead of fixed waits. */
import type { Page } from 'puppeteer';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { limitTime, pause, timedOut } from './limit-time.ts';
import { LeftItself, NotRendered } from './not-rendered.ts';
import { hasMarkers, postInitAndWatch } from './page-scripts.ts';

const defaultMarkerTimeoutMs = 20_000;
/** Pages wait half a second for INIT before they show their defaults (P-03); a page without markers shows by then. */
const markersKnownAfterMs = 700;
const idleTimeMs = 500;
const idleTimeoutMs = 5_000;
const settleAfterInitMs = 500;
const answerTimeoutMs = 5_000;
const wishTimeoutMs = 20_000;

/** Whom INIT is for, and how long a page with markers may take after it. */
export interface ReadinessWish {
  readonly origin: string;
  /** Left out, nothing is posted. */
  readonly payload: unknown;
  readonly markerTimeoutMs: number | undefined;
}

/** Puppeteer's errors for a browser that is gone; any other failure to ask means that the document is. */
const browserGone = new Set(['TargetCloseError', 'ConnectionClosedError']);

/** @throws LeftItself, unless the browser itself is gone */
function leftItself(error: unknown): never {
  if (error instanceof Error && browserGone.has(error.name)) throw error;
  throw new LeftItself();
}

/** What a page answers at once or after `worthMs`, unless it is busy with itself for ever (T-10). */
export async function answerOf<T>(asking: Promise<T>, clock: Clock, worthMs = 0): Promise<T> {
  const answer = await limitTime(clock, worthMs + answerTimeoutMs, asking).catch(leftItself);
  if (answer === timedOut) throw new NotRendered('The page stopped answering.');
  return answer;
}

/** Whether anything in the page waits for a message. */
async function hasListener(page: Page): Promise<boolean> {
  const session = await page.createCDPSession();
  const { result } = await session.send('Runtime.evaluate', { expression: 'window' });
  const { listeners } = await session.send('DOMDebugger.getEventListeners', { objectId: result.objectId ?? '' });
  await session.detach();
  return listeners.some(({ type }) => type === 'message');
}

async function waitUntilIdle(page: Page): Promise<void> {
  await page.waitForNetworkIdle({ idleTime: idleTimeMs, timeout: idleTimeoutMs }).catch(() => {});
}

/** Waits for what the caller wants to see, a CSS selector, or for milliseconds. */
export async function awaitWish(page: Page, waitFor: string | number | undefined, clock: Clock): Promise<void> {
  if (typeof waitFor === 'number') await pause(clock, waitFor);
  if (typeof waitFor !== 'string') return;
  await page.waitForSelector(waitFor, { timeout: wishTimeoutMs }).catch((error: unknown) => {
    if (error instanceof Error && browserGone.has(error.name)) throw error;
    throw new NotRendered(`${JSON.stringify(waitFor.slice(0, 80))} did not appear on the page.`);
  });
}

/**
 * Posts INIT once and waits until the page is ready.
 * @throws NotRendered when it never is; that it is ready does not mean that it is well (P-06)
 */
export async function awaitReadiness(page: Page, wish: ReadinessWish, clock: Clock): Promise<void> {
  const { origin, payload = null, markerTimeoutMs = defaultMarkerTimeoutMs } = wish;
  const quickMs = Math.min(markersKnownAfterMs, markerTimeoutMs);
  const post = (onlyMarked: boolean) => {
    const answered = page.evaluate(postInitAndWatch, { origin, payload, onlyMarked });
    answered.catch(() => {});
    return answered;
  };
  let answered = post(payload !== null);
  let readiness = await limitTime(clock, quickMs, answered).catch(leftItself);
  if (readiness === 'unmarked') {
    // INIT is heard once or never (P-04): a page whose scripts come late gets it when they are there.
    if (!(await answerOf(hasListener(page), clock))) await waitUntilIdle(page);
    answered = post(false);
    readiness = await limitTime(clock, quickMs, answered).catch(leftItself);
  }
  if (readiness === timedOut) {
    if (!(await answerOf(page.evaluate(hasMarkers), clock))) {
      await waitUntilIdle(page);
      if (!(await answerOf(page.evaluate(hasMarkers), clock))) return;
    }
    readiness = await limitTime(clock, markerTimeoutMs - quickMs, answered).catch(leftItself);
  }
  if (readiness === timedOut) throw new NotRendered(`The page was not ready ${markerTimeoutMs / 1000} s after INIT.`);
  if (readiness === 'elsewhere') throw new NotRendered(`The page went to another origin than ${origin}.`);
  // P-05: a page that called itself loaded before INIT draws again on it.
  if (readiness === 'loaded-before') await pause(clock, settleAfterInitMs);
}
