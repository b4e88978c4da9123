/** A page of an integration becomes a picture of the panel's size: load, INIT, readiness, screenshot. */
import type { HTTPRequest, Page } from 'puppeteer';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { answerOf, awaitReadiness, awaitWish } from './await-readiness.ts';
import { isBlank } from './blank-picture.ts';
import type { BrowserPool } from './browser-pool.ts';
import { readPixels } from './configure-sharp.ts';
import { timedOut } from './limit-time.ts';
import { loadPage } from './load-page.ts';
import { LeftItself, NotRendered } from './not-rendered.ts';
import type { Visit } from './open-visit.ts';
import type { Passage } from './page-guard.ts';
import { type LastWord, settleAndRead } from './page-scripts.ts';
import { pressConsent } from './press-consent.ts';
import { type OptimizeTag, readOptimizeTag } from './read-optimize-tag.ts';

const renderTimeoutMs = 45_000;
const settleTimeoutMs = 5_000;
/** Websites may go on by script, as from a start page to the one in a person's language. */
const mostMoves = 3;
const longestError = 200;
const mostWarnings = 20;

/** What is to be rendered. `width` and `height` are the picture's pixels as a person sees it. */
export interface RenderWish {
  readonly url: string;
  /** The data of INIT. Left out, the page is no integration's: nothing is posted, and it may redirect anywhere public. */
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  readonly width: number;
  readonly height: number;
  /** IANA name. */
  readonly timeZone?: string | undefined;
  /** Language that the browser asks for and writes dates and numbers in, as `de` or `pt-BR`. */
  readonly language?: string | undefined;
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
  | {
      readonly ok: true;
      readonly png: Buffer;
      /** Its pixels, sRGB, three bytes each, of the size that was wished. */
      readonly rgb?: Uint8Array;
      readonly optimize?: OptimizeTag;
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

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
    const { width, height } = wish;
    const visiting = { width, height, timeoutMs: renderTimeoutMs };
    const rendered = await pool.visit(visiting, (visit) => renderIn(visit, url, wish, clock));
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
  const crashed = new Promise<never>((_, reject) => {
    page.once('error', () => reject(new NotRendered('The page used more memory than it may, or broke the browser.')));
  });
  crashed.catch(() => {});
  try {
    return await Promise.race([photograph(visit, url, wish, clock), crashed]);
  } catch (error) {
    const exceeded = passage.exceeded();
    throw exceeded === undefined ? error : new NotRendered(`The page ${exceeded}.`);
  }
}

async function photograph(visit: Visit, url: URL, wish: RenderWish, clock: Clock): Promise<RenderedPage> {
  const { page, passage } = visit;
  const failedOrigins = watchRequests(page, passage);
  await setUpPage(page, wish);
  const origin = await loadPage(visit, url, wish.payload === undefined);
  const { error, optimize } = await settle(page, origin, wish, clock);
  // What a website alerts its own visitors to is part of its picture.
  if (error !== null && wish.payload !== undefined) throw new NotRendered(reportedBy(error));
  // the viewport is the picture.
  const png = await page.screenshot({ type: 'png', optimizeForSpeed: true, captureBeyondViewport: false });
  if (passage.exceeded() !== undefined) throw new NotRendered('The page took too much.');
  const rgb = await readPixels(png);
  if (isBlank(rgb)) throw new NotRendered('The page stayed blank.');
  const hosts = [...passage.failedHosts()].map(([host, why]) =>
    why === 'forbidden' ? `${host} is not a public address and was not asked.` : `${host} could not be reached.`,
  );
  const failed = [...failedOrigins].map((from) => `Something from ${from} did not load.`);
  const tag = optimize === null ? undefined : readOptimizeTag(optimize);
  return {
    ok: true,
    png: Buffer.from(png),
    rgb,
    ...(tag === undefined ? {} : { optimize: tag }),
    warnings: [...hosts, ...failed].slice(0, mostWarnings),
  };
}

/** Waits until the page may be photographed. @returns its last word before that */
async function settle(page: Page, firstOrigin: string, wish: RenderWish, clock: Clock): Promise<LastWord> {
  const isWebsite = wish.payload === undefined;
  for (let moves = 0, origin = firstOrigin; ; moves++) {
    try {
      const { payload, markerTimeoutMs } = wish;
      await awaitReadiness(page, { origin, payload, markerTimeoutMs }, clock);
      if (isWebsite) await pressConsent(page, clock);
      await awaitWish(page, wish.waitFor, clock);
      const last = page.evaluate(settleAndRead, { css: wish.css ?? null, limitMs: settleTimeoutMs });
      const word = await answerOf(last, clock, settleTimeoutMs);
      if (word.origin !== origin) throw new NotRendered(`The page went to another origin than ${origin}.`);
      return word;
    } catch (error) {
      if (!isWebsite || !(error instanceof LeftItself) || moves === mostMoves) throw error;
      await page.waitForNetworkIdle({ idleTime: 200, timeout: settleTimeoutMs }).catch(() => {});
      origin = new URL(page.url()).origin;
    }
  }
}

const reportedBy = (error: string): string =>
  `The page reports an error: ${shorten(error).replace(/\.$/, '') || 'it gives no text'}.`;

/** ready is not right. Collects the origins of requests that failed; paths and queries may hold secrets. */
function watchRequests(page: Page, passage: Passage): Set<string> {
  const origins = new Set<string>();
  const note = (request: HTTPRequest): void => {
    const url = parseUrl(request.url());
    if (url !== undefined && url.origin !== 'null') origins.add(url.origin);
  };
  page.on('request', (request) => {
    if (request.url().startsWith('http')) passage.countRequest();
  });
  page.on('requestfailed', note);
  page.on('response', (response) => {
    if (response.status() >= 400) note(response.request());
  });
  return origins;
}

async function setUpPage(page: Page, { timeZone, language }: RenderWish): Promise<void> {
  const zoned =
    timeZone === undefined
      ? undefined
      : page.emulateTimezone(timeZone).catch(() => {
          throw new NotRendered(`"${shorten(timeZone)}" is no time zone.`);
        });
  const spoken = language === undefined ? undefined : speak(page, language);
  await Promise.all([zoned, spoken]);
}

/** Sets the language that the browser asks for and formats in; one that it does not know is left out. */
async function speak(page: Page, language: string): Promise<void> {
  const [locale] = canonicalLocales(language);
  if (locale === undefined) return;
  const session = await page.createCDPSession();
  const userAgent = await page.browser().userAgent();
  await session.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: locale });
  await session.send('Emulation.setLocaleOverride', { locale }).catch(() => {});
}

function canonicalLocales(language: string): string[] {
  try {
    return Intl.getCanonicalLocales(language);
  } catch {
    return [];
  }
}
