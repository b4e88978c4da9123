/** From the parsed document to a page that may be photographed: INIT, markers, signals instead of fixed waits. */

import type { Page } from 'puppeteer';
import { reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import { limitTime, pause, timedOut } from '../../runtime/limit-time.ts';
import { LeftItself, NotRendered } from '../browser/not-rendered.ts';
import { hasMarkers, postInitAndWatch } from '../in-page/page-scripts.ts';

/** The time that the pages' own documentation promises them. */
export const defaultMarkerTimeoutMs = 30_000;
/** Pages wait half a second for INIT before they show their defaults (PAGE-03); a page without markers shows by then. */
const markersKnownAfterMs = 700;
const idleTimeMs = 500;
const idleTimeoutMs = 5_000;
const settleAfterInitMs = 500;
const answerTimeoutMs = 5_000;

/** The data of INIT, and the time that a page with markers may take after it. */
export interface ReadinessOptions {
  readonly origin: string;
  /** The data that is posted; without it nothing is posted. */
  readonly payload: unknown;
  readonly markerTimeoutMs: number;
  /** Waits until a page without markers is done; left out, until it asks for nothing more. */
  readonly untilDone?: () => Promise<unknown>;
}

/** Puppeteer's errors for a browser that is gone; any other failure means that the document is gone. */
const browserGone = new Set(['TargetCloseError', 'ConnectionClosedError']);

/**
 * Explains a failure to ask the page.
 * @throws LeftItself, unless the browser itself is gone
 */
export function leftItself(error: unknown): never {
  if (error instanceof Error && browserGone.has(error.name)) throw error;
  throw new LeftItself();
}

/** Returns the page's answer, or `worthMs` for a page that is busy with itself for ever (T-10). */
export async function answerOf<T>(asking: Promise<T>, clock: Clock, worthMs = 0): Promise<T> {
  const answer = await limitTime(clock, worthMs + answerTimeoutMs, asking).catch(leftItself);
  if (answer === timedOut) throw new NotRendered(reasonOf('page-stopped'));
  return answer;
}

/** Returns whether anything in the page listens for messages. */
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

/**
 * Posts INIT once and waits until the page is ready. A ready page may still report an error (PAGE-06).
 * @returns the seconds after INIT in which the page was not ready, when it is to be taken as it is
 * @throws NotRendered when it is no longer the page that was asked for
 */
export async function awaitReadiness(page: Page, options: ReadinessOptions, clock: Clock): Promise<number | undefined> {
  const { origin, payload = null, markerTimeoutMs, untilDone = () => waitUntilIdle(page) } = options;
  const quickMs = Math.min(markersKnownAfterMs, markerTimeoutMs);
  const post = (onlyMarked: boolean) => {
    const answered = page.evaluate(postInitAndWatch, { origin, payload, onlyMarked });
    answered.catch(() => {});
    return answered;
  };
  let answered = post(payload !== null);
  let readiness = await limitTime(clock, quickMs, answered).catch(leftItself);
  if (readiness === 'unmarked') {
    // A page receives INIT once or never (PAGE-04): a page whose scripts come late gets it when they are there.
    if (!(await answerOf(hasListener(page), clock))) await waitUntilIdle(page);
    answered = post(false);
    readiness = await limitTime(clock, quickMs, answered).catch(leftItself);
  }
  if (readiness === timedOut) {
    if (!(await answerOf(page.evaluate(hasMarkers), clock))) {
      await untilDone();
      if (!(await answerOf(page.evaluate(hasMarkers), clock))) return undefined;
    }
    readiness = await limitTime(clock, markerTimeoutMs - quickMs, answered).catch(leftItself);
  }
  if (readiness === timedOut) return Math.round(markerTimeoutMs / 100) / 10;
  if (readiness === 'elsewhere') throw new NotRendered(reasonOf('page-went', { origin }));
  // A page that called itself loaded before INIT draws again on it (PAGE-05).
  if (readiness === 'loaded-before') await pause(clock, settleAfterInitMs);
  return undefined;
}
