/** The rendering room put together: pages to pictures, pictures to panel files. */

import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Logger } from '../../gateway/runtime/logger.ts';
import type { PageDocument } from '../pages/document.ts';
import { createBrowserPool, type PoolEdges, type PoolStatus } from './browser-pool.ts';
import { createDitherWorkers } from './dithering/workers.ts';
import { findBrowser } from './find-browser.ts';
import { createPageGuard, type GuardEdges } from './page-guard.ts';
import type { PoolLimits } from './pool-limits.ts';
import { type PictureWish, type PreparedPicture, preparePicture } from './prepare-picture.ts';
import { type AddressRule, systemNetwork } from './reach-host.ts';
import { type RenderedDocument, renderDocument } from './render-document.ts';
import { type RenderedPage, type RenderWish, renderPage } from './render-page.ts';

/** What rendering is made of. */
export interface RenderingEdges {
  /** The operator's browser; left out, one is looked for. */
  readonly browserPath?: string | undefined;
  /** PATH, as the last place to look for a browser. */
  readonly searchPath?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Which names and addresses a rendered page may reach. */
  readonly rule: AddressRule;
  /** How names are resolved and addresses dialled for pages; left out, the machine's own way. */
  readonly network?: GuardEdges['network'] | undefined;
  /** Renders at once; left out, one a core and at most two. */
  readonly concurrency?: number | undefined;
  /** Left out, the usual ones. */
  readonly limits?: Partial<PoolLimits> | undefined;
  /** Opens the network of a browser. Left out, it gets one of its own where the machine allows that. */
  readonly openNetwork?: PoolEdges['openNetwork'];
}

/** Rendering. `start` launches the browser and refuses when it cannot; `stop` leaves no process and no thread. */
export interface Rendering {
  start(): Promise<void>;
  stop(): Promise<void>;
  renderPage(wish: RenderWish): Promise<RenderedPage>;
  renderDocument(document: PageDocument): Promise<RenderedDocument>;
  preparePicture(image: Uint8Array, wish: PictureWish): Promise<PreparedPicture>;
  probe(): PoolStatus;
}

/** Puts rendering together; nothing runs before `start` or the first call. */
export function createRendering(edges: RenderingEdges): Rendering {
  const { clock, rule, network = systemNetwork, browserPath, searchPath } = edges;
  const guard = createPageGuard({ rule, network, clock });
  const findExecutable = () => findBrowser({ browserPath, searchPath });
  const pool = createBrowserPool({ ...edges, findExecutable, guard });
  const workers = createDitherWorkers(clock);
  return {
    start: () => pool.start(),
    stop: async () => {
      await Promise.all([pool.stop(), workers.stop()]);
    },
    renderPage: (wish) => renderPage(wish, pool, clock),
    renderDocument: (document) => renderDocument(document, pool),
    preparePicture: (image, wish) => preparePicture(image, wish, workers),
    probe: () => pool.status(),
  };
}
