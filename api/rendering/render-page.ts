/** A page of an integration becomes a picture of the panel's size: load, INIT, readiness, screenshot. */
import type { HTTPRequest, HTTPResponse, Page } from 'puppeteer';
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { BrowserPool, Visit } from './browser-pool.ts';
import { limitTime, pause, timedOut } from './limit-time.ts';
import { hasMarkers, postInitAndWatch, readLastWord, settlePage } from './page-scripts.ts';
import { type OptimizeTag, readOptimizeTag } from './read-optimize-tag.ts';

const renderTimeoutMs = 45_000;
const loadTimeoutMs = 15_000;
const defaultMarkerTimeoutMs = 20_000;
/** Pages wait half a second for INIT before they show their defaults (P-03); a page without markers shows by then. */
const markersKnownAfterMs = 700;
const idleTimeMs = 500;
const idleTimeoutMs = 5_000;
const settleAfterInitMs = 500;
const settleTimeoutMs = 5_000;
const answerTimeoutMs = 5_000;
const longestError = 200;
const mostWarnings = 20;

/** What is to be rendered. `width` and `height` are the picture's pixels as a person sees it. */
export interface RenderWish {
  readonly url: string;
  /** The data of INIT; left out, nothing is posted (a page that is no integration's). */
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  /** A page that knows nothing of frames: it may lead to another origin, and its own alerts are part of the picture. */
  readonly isWebsite?: boolean | undefined;
  readonly width: number;
  readonly height: number;
  /** IANA name. */
  readonly timeZone?: string | undefined;
  readonly css?: string | undefined;
  /** A development origin on loopback that this page may reach, `http://host:port`. */
  readonly allowedOrigin?: string | undefined;
  /** The pushed picture's address, which the page may load wherever this service is reached (P-13). */
  readonly pictureUrl?: string | undefined;
  /** What has to be there before the picture is taken, a CSS selector; or how long to wait, in milliseconds. */
  readonly waitFor?: string | number | undefined;
  /** How long a page with markers may take after INIT. */
  readonly markerTimeoutMs?: number | undefined;
}

/** A picture of the page, or a sentence for a person. `warnings` name the origins that something failed to come from. */
export type RenderedPage =
  | { readonly ok: true; readonly png: Buffer; readonly optimize?: OptimizeTag; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Ends a render with its reason. */
class NotRendered extends Error {}

function parseUrl(text: string | undefined): URL | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}

/** Text of a page for people: one line, no control characters, shortened. */
function shorten(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length <= longestError ? line : `${line.slice(0, longestError)}…`;
}

/** Renders a page. Expected failures are values; whatever the page does, this ends within 45 s of its start. */
export async function renderPage(wish: RenderWish, pool: BrowserPool, clock: Clock): Promise<RenderedPage> {
  const url = parseUrl(wish.url);
  // judged on the parsed URL.
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return { ok: false, reason: 'The address of the page is not an http: or https: URL.' };
  }
  try {
    const rendered = await pool.visit(renderTimeoutMs, (visit) => renderIn(visit, url, wish, clock));
    if (rendered === timedOut) return { ok: false, reason: `The page was not done in ${renderTimeoutMs / 1000} s.` };
    return rendered;
  } catch (error) {
    if (error instanceof NotRendered) return { ok: false, reason: error.message };
    if (error instanceof Error && error.name === 'Refusal') return { ok: false, reason: `${error.message}.` };
    return { ok: false, reason: 'The browser ended while it rendered the page.' };
  }
}

async function renderIn(visit: Visit, url: URL, wish: RenderWish, clock: Clock): Promise<RenderedPage> {
  const { page, passage } = visit;
  passage.allow({ origin: parseUrl(wish.allowedOrigin), pictureUrl: parseUrl(wish.pictureUrl) });
  const failedOrigins = watchFailures(page);
  const crashed = new Promise<never>((_, reject) => {
    page.once('error', () => reject(new NotRendered('The page used more memory than it may, or broke the browser.')));
  });
  crashed.catch(() => {});
  const rendering = async (): Promise<RenderedPage> => {
    await setUpPage(page, wish);
    const arrived = await loadPage(visit, url, wish);
    await awaitReadiness(page, arrived, wish, clock);
    await awaitWish(page, wish.waitFor, clock);
    const settled = page.evaluate(settlePage, wish.css ?? null).catch(leftItself);
    await limitTime(clock, settleTimeoutMs, settled);
    const { origin, error, optimize } = await answerOf(page.evaluate(readLastWord), clock);
    if (origin !== arrived.origin) throw new NotRendered(`The page went to another origin than ${arrived.origin}.`);
    if (error !== null && !wish.isWebsite) throw new NotRendered(reportedBy(error));
    // the viewport is the picture.
    const png = await page.screenshot({ type: 'png', optimizeForSpeed: true, captureBeyondViewport: false });
    const refused = passage.refusedHosts().map((host) => `${host} is not a public address and was not asked.`);
    const failed = [...failedOrigins].map((from) => `Something from ${from} did not load.`);
    const tag = optimize === null ? undefined : readOptimizeTag(optimize);
    return {
      ok: true,
      png: Buffer.from(png),
      ...(tag === undefined ? {} : { optimize: tag }),
      warnings: [...refused, ...failed].slice(0, mostWarnings),
    };
  };
  return Promise.race([rendering(), crashed]);
}

const reportedBy = (error: string): string => `The page reports an error: ${shorten(error) || 'it gives no text'}.`;

async function awaitWish(page: Page, waitFor: RenderWish['waitFor'], clock: Clock): Promise<void> {
  if (typeof waitFor === 'number') await pause(clock, waitFor);
  if (typeof waitFor !== 'string') return;
  await page.waitForSelector(waitFor, { timeout: loadTimeoutMs }).catch((error: unknown) => {
    if (error instanceof Error && browserGone.has(error.name)) throw error;
    throw new NotRendered(`"${shorten(waitFor)}" did not appear on the page.`);
  });
}

/** Puppeteer's errors for a browser that is gone; any other failure to ask means that the document is. */
const browserGone = new Set(['TargetCloseError', 'ConnectionClosedError']);

function leftItself(error: unknown): never {
  if (error instanceof Error && browserGone.has(error.name)) throw error;
  throw new NotRendered('The page left itself while it was rendered.');
}

/** What a page answers at once, unless it is busy with itself for ever (T-10). */
async function answerOf<T>(asking: Promise<T>, clock: Clock): Promise<T> {
  const answer = await limitTime(clock, answerTimeoutMs, asking).catch(leftItself);
  if (answer === timedOut) throw new NotRendered('The page stopped answering.');
  return answer;
}

/** ready is not right. Collects the origins of requests that failed; paths and queries may hold secrets. */
function watchFailures(page: Page): Set<string> {
  const origins = new Set<string>();
  const note = (request: HTTPRequest): void => {
    const url = parseUrl(request.url());
    if (url !== undefined && url.origin !== 'null') origins.add(url.origin);
  };
  page.on('requestfailed', note);
  page.on('response', (response) => {
    if (response.status() >= 400) note(response.request());
  });
  return origins;
}

async function setUpPage(page: Page, { width, height, timeZone }: RenderWish): Promise<void> {
  await page.setViewport({ width, height, deviceScaleFactor: 1 });
  if (timeZone === undefined) return;
  await page.emulateTimezone(timeZone).catch(() => {
    throw new NotRendered(`"${shorten(timeZone)}" is no time zone.`);
  });
}

/** Loads the page. Gives the address it must stay at from now on. */
async function loadPage({ page, passage }: Visit, url: URL, { isWebsite }: RenderWish): Promise<URL> {
  let response: HTTPResponse | null;
  try {
    response = await page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: loadTimeoutMs });
  } catch (error) {
    if (!page.browser().connected) throw error;
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw new NotRendered(
      isLate ? `The page did not load in ${loadTimeoutMs / 1000} s.` : whyUnreachable(passage.refusedHosts(), url),
    );
  }
  if (passage.refusedHosts().includes(url.host)) throw new NotRendered(whyUnreachable([url.host], url));
  // P-26: another origin than the configured one is no configured renderer.
  const arrived = parseUrl(page.url());
  if (arrived === undefined || (arrived.origin !== url.origin && !isWebsite)) {
    throw new NotRendered(`The page redirects to another origin than ${url.origin}.`);
  }
  if (response !== null && response.status() >= 400) {
    throw new NotRendered(`The page answered with status ${response.status()}.`);
  }
  return arrived;
}

function whyUnreachable(refusedHosts: readonly string[], url: URL): string {
  const refused = refusedHosts[0];
  return refused === undefined
    ? `${url.origin} could not be reached.`
    : `${refused} is not a public address, so the page was not loaded.`;
}

async function awaitReadiness(page: Page, url: URL, wish: RenderWish, clock: Clock): Promise<void> {
  const markerTimeoutMs = wish.markerTimeoutMs ?? defaultMarkerTimeoutMs;
  const answered = page.evaluate(postInitAndWatch, { origin: url.origin, payload: wish.payload ?? null });
  answered.catch(() => {});
  const isQuick = await limitTime(clock, Math.min(markersKnownAfterMs, markerTimeoutMs), answered).catch(leftItself);
  let readiness = isQuick;
  if (readiness === timedOut) {
    if (!(await answerOf(page.evaluate(hasMarkers), clock))) {
      await page.waitForNetworkIdle({ idleTime: idleTimeMs, timeout: idleTimeoutMs }).catch(() => {});
      if (!(await answerOf(page.evaluate(hasMarkers), clock))) return;
    }
    readiness = await limitTime(clock, markerTimeoutMs - markersKnownAfterMs, answered).catch(leftItself);
  }
  if (readiness === timedOut) throw new NotRendered(`The page was not ready ${markerTimeoutMs / 1000} s after INIT.`);
  if (readiness === 'elsewhere') throw new NotRendered(`The page went to another origin than ${url.origin}.`);
  // P-05: a page that called itself loaded before INIT draws again on it.
  if (readiness === 'loaded-before') await pause(clock, settleAfterInitMs);
}
