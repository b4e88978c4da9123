/** Puts the rendering room together: pages to pictures, pictures to panel files. */

import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { fairShares, type Sharer } from '../../runtime/fair-shares.ts';
import { createBrowserPool, type PoolDeps, type PoolStatus } from '../browser/browser-pool.ts';
import { findBrowser } from '../browser/find-browser.ts';
import { makeHouseTls } from '../browser/house-tls.ts';
import { createPageGuard } from '../browser/page-guard.ts';
import { limitsFor, type PoolLimits } from '../browser/pool-limits.ts';
import type { FileContent } from '../http/uploaded-file.ts';
import { imageProcesses } from '../images/image-process/image-process.ts';
import type { ImageOptions, NormalizedImage } from '../images/normalize-image.ts';
import { createDitherWorkers } from '../inks/dithering/workers.ts';
import { type PictureOptions, type PreparedPicture, preparePicture } from '../inks/prepare-picture.ts';
import type { HomeNetworks } from '../outgoing/home-networks.ts';
import type { AddressRule } from '../outgoing/reach-host.ts';
import { systemNetwork } from '../outgoing/system-network.ts';
import { openWayOut, type WayOut } from '../outgoing/way-out.ts';
import type { PageDocument } from '../pages/document.ts';
import { type RecipeThreads, recipeThreads } from '../recipes/work/recipe-threads.ts';
import { type DrawnPage, pageProcesses } from '../typeset/page-process.ts';
import { findMissing } from './missing-of-page.ts';
import { type PrintedDocument, printDocument } from './print-document.ts';
import { type RenderedPage, type RenderOptions, renderPage } from './render-page.ts';

export interface RenderingDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  /** The operator's browser; left out, one is looked for. */
  readonly browserPath?: string | undefined;
  /** PATH, as the last place to look for a browser. */
  readonly searchPath?: string | undefined;
  /** The rule for the names and addresses that a rendered page may reach. */
  readonly rule: AddressRule;
  /** The home network, for websites; left out, there is none. */
  readonly home?: HomeNetworks | undefined;
  /** Whether this process trusts authorities of the house, which websites of the house may then be signed by. */
  readonly trustsOwn?: boolean | undefined;
  /** The process's way out, for pages; left out, one of rendering's own. */
  readonly wayOut?: WayOut | undefined;
  /** The number of renders at once; left out, one a core and at most two. */
  readonly concurrency?: number | undefined;
  /** The limits of the pool; left out, the usual ones. */
  readonly limits?: Partial<PoolLimits> | undefined;
  /** The bytes of memory for everything; left out, there is enough. */
  readonly memoryBytes?: number | undefined;
  /** Opens the network of a browser. Left out, the browser gets one of its own where the machine allows that. */
  readonly openNetwork?: PoolDeps['openNetwork'];
}

/**
 * Rendering. A browser starts with the first page. `start` launches it before, and refuses when it cannot; `find` only
 * looks whether there is one. `stop` leaves no process and no thread.
 */
export interface Rendering {
  start(): Promise<unknown>;
  find(): Promise<void>;
  stop(): Promise<void>;
  renderPage(options: RenderOptions): Promise<RenderedPage>;
  /**
   * Draws a page of our own, without the browser.
   * @param sharer the sharer that waits for it: an organization, then its paper
   */
  renderDocument(document: PageDocument, sharer: Sharer): Promise<DrawnPage>;
  /**
   * Prints HTML of our own on A4, as a PDF.
   * @param sharer the sharer that waits for it
   */
  printDocument(html: string, sharer: Sharer): Promise<PrintedDocument>;
  /** Normalizes an image from outside, in a process apart. */
  normalizeImage(image: FileContent, options: ImageOptions): Promise<NormalizedImage>;
  preparePicture(image: Uint8Array, options: PictureOptions): Promise<PreparedPicture>;
  /** Works on a recipe, in a thread. */
  readonly workOnRecipe: RecipeThreads['work'];
  probe(): PoolStatus;
}

/** Makes something at its first use. */
function once<Thing>(make: () => Thing): () => Thing {
  let made: Thing | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Puts rendering together; nothing runs before `start` or the first call. */
export function createRendering(deps: RenderingDeps): Rendering {
  const { clock, rule, browserPath, searchPath } = deps;
  const wayOut = deps.wayOut ?? openWayOut({ network: systemNetwork({ clock }), clock });
  const houseTls = deps.trustsOwn ? once(() => makeHouseTls(clock.now())) : undefined;
  const guard = createPageGuard({ rule, wayOut, home: deps.home, houseTls });
  const findExecutable = () => findBrowser({ browserPath, searchPath });
  const limits = limitsFor(deps.memoryBytes ?? Number.POSITIVE_INFINITY);
  const pool = createBrowserPool({
    ...deps,
    limits: { ...limits.pool, ...deps.limits },
    findExecutable,
    guard,
    houseTls,
    userAgent: wayOut.userAgent,
  });
  const workers = createDitherWorkers(clock, limits.threads);
  const recipes = recipeThreads(clock);
  const images = imageProcesses(clock, deps.logger);
  const pages = pageProcesses(clock, deps.logger);
  const decoding = fairShares({ atOnce: limits.images });
  const beginLook = findMissing(clock);
  return {
    start: () => pool.start(),
    find: async () => {
      await findExecutable();
    },
    stop: async () => {
      images.stop();
      pages.stop();
      await Promise.all([pool.stop(), workers.stop(), recipes.stop()]);
    },
    renderPage: (options) => renderPage(options, pool, { clock, beginLook }),
    renderDocument: pages.draw,
    printDocument: (html, sharer) => printDocument(html, sharer, pool),
    normalizeImage: (image, options) =>
      decoding.run(options.sharer, () => images.normalizeImage(image, options), options.signal),
    preparePicture: (image, options) => preparePicture(image, options, workers),
    workOnRecipe: recipes.work,
    probe: () => pool.status(),
  };
}
