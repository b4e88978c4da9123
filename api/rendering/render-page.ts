/** Turns a page of an integration into a picture of the panel's size: load, INIT, readiness, screenshot. */

import type { Page } from 'puppeteer';
import { type Because, type Reason, reasonOf } from '../../reasons/reason.ts';
import { Refusal } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { timedOut } from '../../runtime/limit-time.ts';
import { parseUrl } from '../../runtime/read-address.ts';
import type { BrowserPool } from '../browser/browser-pool.ts';
import { judgeDocuments } from '../browser/judge-documents.ts';
import { NotRendered } from '../browser/not-rendered.ts';
import type { Visit } from '../browser/open-visit.ts';
import type { Failure } from '../browser/page-reach.ts';
import { readPixels } from '../images/configure-sharp.ts';
import { type OptimizeTag, readOptimizeTag } from '../inks/read-optimize-tag.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { remarkOfLetters } from '../pages/missing-letters-remark.ts';
import { answerFiles, type PageFiles } from './answer-files.ts';
import { watchPage } from './await-quiet.ts';
import { defaultMarkerTimeoutMs } from './await-readiness.ts';
import { isBlank } from './blank-picture.ts';
import { photographElement } from './cut-out.ts';
import { loadPage } from './load-page.ts';
import type { BeginLook } from './missing-of-page.ts';
import { watchTraffic } from './page-traffic.ts';
import { onOneLine, setUpPage } from './set-up-page.ts';
import { type PageWishes, settlePage } from './settle-page.ts';
import { storeLogins } from './store-logins.ts';

const renderTimeoutMs = 45_000;
/** The time that is left for the picture when a page that loaded slowly is not ready in time. */
const pictureTakesMs = 10_000;
const failures: Readonly<Record<Failure, string>> = {
  forbidden: 'is not a public address and was not asked',
  'too many': 'was not asked, because the page names too many hosts',
  unreachable: 'could not be reached',
  certificate: 'has a certificate that is not valid',
  outside: 'lies outside of the home network, so no document of it was opened within a page of the house',
};
const maxWarnings = 20;

/** The page to render. `width` and `height` are the picture's pixels as a person sees it. */
export interface RenderOptions extends PageWishes {
  /** The sharer that waits for it: an organization, then its paper or device (T-60). */
  readonly sharer: Sharer;
  /** Cancels the render while it waits for the browser: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly url: string;
  readonly width: number;
  readonly height: number;
  /** IANA name. */
  readonly timeZone?: string | undefined;
  /** The language that the browser asks for and writes dates and numbers in, as `de` or `pt-BR`. */
  readonly language?: string | undefined;
  /** A development origin on loopback that this page may reach, `http://host:port`. */
  readonly allowedOrigin?: string | undefined;
  /** Files that the page finds at their addresses, such as its pushed picture (PAGE-13). */
  readonly files?: PageFiles | undefined;
  /** Logins for a website, each for its own origin alone. */
  readonly logins?: readonly AddressLogin[] | undefined;
}

/**
 * A picture of the page, or a sentence for a person. `warnings` name the origins that something failed to come from;
 * `missing` has the characters that no font has; `remarks` states what people should know about a picture that
 * was taken all the same.
 */
export type RenderedPage =
  | {
      readonly ok: true;
      readonly png: Buffer;
      /** Its pixels, sRGB, three bytes each, of the size that was wished. */
      readonly rgb?: Uint8Array;
      readonly optimize?: OptimizeTag;
      readonly warnings: readonly string[];
      readonly missing?: string;
      readonly remarks?: readonly Reason[];
    }
  | { readonly ok: false; readonly reason: Because };

export interface RenderPageDeps {
  readonly clock: Clock;
  readonly beginLook: BeginLook;
}

/** Renders a page. Expected failures are values; whatever the page does, this ends within 45 s of its start. */
export async function renderPage(
  options: RenderOptions,
  pool: BrowserPool,
  deps: RenderPageDeps,
): Promise<RenderedPage> {
  const url = options.url === undefined ? undefined : parseUrl(options.url);
  // judged on the parsed URL.
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return { ok: false, reason: reasonOf('page-no-url') };
  }
  try {
    const { sharer, signal, width, height } = options;
    const visiting = { sharer, signal, width, height, timeoutMs: renderTimeoutMs };
    const rendered = await pool.visit(visiting, (visit) => renderIn(visit, url, options, deps));
    if (rendered === timedOut)
      return { ok: false, reason: reasonOf('page-too-slow', { seconds: renderTimeoutMs / 1000 }) };
    return rendered;
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    if (error instanceof NotRendered) return { ok: false, reason: error.reason };
    if (error instanceof Refusal) return { ok: false, reason: error.reason };
    return { ok: false, reason: reasonOf('browser-ended') };
  }
}

async function renderIn(visit: Visit, url: URL, options: RenderOptions, deps: RenderPageDeps): Promise<RenderedPage> {
  const { passage } = visit;
  const website = options.payload === undefined ? url : undefined;
  passage.allow({
    sharer: options.sharer,
    origin: options.allowedOrigin === undefined ? undefined : parseUrl(options.allowedOrigin),
    website,
  });
  try {
    return await photograph(visit, url, options, deps);
  } catch (error) {
    const exceeded = passage.exceeded();
    throw exceeded === undefined ? error : new NotRendered(exceeded);
  }
}

async function photograph(
  visit: Visit,
  url: URL,
  options: RenderOptions,
  { clock, beginLook }: RenderPageDeps,
): Promise<RenderedPage> {
  const { page, passage } = visit;
  const begun = clock.now();
  const traffic = watchTraffic(page, clock);
  await setUpPage(page, options);
  if (options.payload === undefined) await watchPage(page);
  if (options.files !== undefined) await answerFiles(visit, options.files);
  const { logins = [] } = options;
  await storeLogins(page, logins);
  if (passage.judgesDocuments() || logins.length > 0) await judgeDocuments(visit, logins);
  const origin = await loadPage(visit, url, options.payload === undefined);
  const leftMs = (): number => Math.max(0, renderTimeoutMs - pictureTakesMs - (clock.now() - begun));
  const markerTimeoutMs = Math.min(options.markerTimeoutMs ?? defaultMarkerTimeoutMs, leftMs());
  const settled = await settlePage({ page, traffic, clock, leftMs }, origin, { ...options, markerTimeoutMs });
  const { error, optimize } = settled;
  // An alert of a website to its own visitors is part of its picture.
  if (error !== null && options.payload !== undefined) throw new NotRendered(reportedBy(error));
  const look = beginLook(page);
  const png = await takePicture(page, options, clock);
  if (passage.exceeded() !== undefined) throw new NotRendered(reasonOf('page-took-much'));
  const [rgb, missing] = await Promise.all([readPixels(png), look.missing()]);
  if (isBlank(rgb)) throw new NotRendered(reasonOf('page-blank'));
  const hosts = [...passage.failedHosts()].map(([host, why]) => `${host} ${failures[why]}.`);
  const failed = [...traffic.failedOrigins].map((from) => `Something from ${from} did not load.`);
  const remarks = [...settled.remarks];
  if (missing !== '') remarks.push(remarkOfLetters(missing));
  const tag = optimize === null ? undefined : readOptimizeTag(optimize);
  return {
    ok: true,
    png: Buffer.from(png),
    rgb,
    ...(tag === undefined ? {} : { optimize: tag }),
    warnings: [...hosts, ...failed].slice(0, maxWarnings),
    ...(missing !== '' && { missing }),
    ...(remarks.length > 0 && { remarks }),
  };
}

/** the viewport is the picture, unless one element of the page is. */
async function takePicture(page: Page, { cutOut, width, height }: RenderOptions, clock: Clock): Promise<Uint8Array> {
  if (cutOut !== undefined) return photographElement(page, cutOut, { width, height }, clock);
  return page.screenshot({ type: 'png', optimizeForSpeed: true, captureBeyondViewport: false });
}

const reportedBy = (error: string): Reason =>
  reasonOf('page-error', { error: onOneLine(error).replace(/\.$/, '') || 'it gives no text' });
