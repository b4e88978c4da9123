/**
 * Keeps one warm browser while there is work, and bounds the visits at once. Every visit is a fresh browser context behind a guard of its
 * own; one is made ahead, because making it costs more than the render. A visit has a hard deadline, and whatever it
 * does, the next one finds a browser that answers.
 */
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { limitTime, timedOut } from '../../runtime/limit-time.ts';
import { describeError } from '../../runtime/logger.ts';
import { type OpenVisit, openVisit, type PageSize, sized, type Visit } from './open-visit.ts';
import { type OwnNetwork, openOwnNetwork } from './own-network.ts';
import type { PageGuard, PageGuardDeps } from './page-guard.ts';
import { defaultLimits, type PoolLimits } from './pool-limits.ts';
import { type Visitor, visitPlaces } from './visit-places.ts';
import { type WarmBrowser, warmBrowsers } from './warm-browsers.ts';

const openTimeoutMs = 15_000;
const leaveTimeoutMs = 5_000;
/**
 * The time for which a browser rests before it cleans up and makes its spare, unless somebody asks for a page: the last
 * photograph is dithered meanwhile, on the same cores.
 */
const restMs = 150;

/** The state of the pool, for a probe. */
export interface PoolStatus {
  /** `resting` while nothing is drawn: the next page starts it. `not-running` when it failed. */
  readonly browser: 'running' | 'resting' | 'not-running';
  /** The browser's network: its own, without routes, or the service's; `none` without a browser. */
  readonly network: 'own' | 'shared' | 'none';
  /** The version of the browser that runs. */
  readonly version?: string;
  readonly visits: number;
  readonly running: number;
  readonly waiting: number;
}

/** The size of the page that work needs, and the time it may take. */
export interface VisitOptions extends PageSize, Visitor {
  readonly timeoutMs: number;
}

/** The pool. `visit` gives `timedOut` when the work was not done in time; its page is closed then, whatever it did. */
export interface BrowserPool {
  start(): Promise<unknown>;
  stop(): Promise<void>;
  visit<T>(options: VisitOptions, work: (visit: Visit) => Promise<T>): Promise<T | typeof timedOut>;
  status(): PoolStatus;
}

/** The dependencies of the pool. `findExecutable` is asked before each launch. */
export interface PoolDeps extends Pick<CommonDeps, 'clock' | 'logger'>, Pick<PageGuardDeps, 'houseTls'> {
  readonly findExecutable: () => Promise<string>;
  readonly guard: PageGuard;
  readonly concurrency?: number | undefined;
  readonly limits?: Partial<PoolLimits> | undefined;
  /** Opens the network of a browser; undefined where there is none but the service's. */
  readonly openNetwork?: (() => Promise<OwnNetwork | undefined>) | undefined;
  /** The name under which pages ask; left out, the usual one. */
  readonly userAgent?: string | undefined;
}

/** Rejects when the caller leaves, so that nobody waits behind a page that nobody wants. */
function abortOf(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal?.aborted) reject(signal.reason);
  });
}

function statusOf(
  warm: WarmBrowser | undefined,
  hasFailed: boolean,
): Pick<PoolStatus, 'browser' | 'network' | 'version'> {
  if (warm === undefined) return { browser: hasFailed ? 'not-running' : 'resting', network: 'none' };
  return {
    browser: 'running',
    network: warm.process.network === undefined ? 'shared' : 'own',
    version: warm.process.version,
  };
}

/** Creates the pool; `start` launches the browser, and so does a visit when none runs. */
export function createBrowserPool(deps: PoolDeps): BrowserPool {
  const { guard, clock, logger } = deps;
  const limits = { ...defaultLimits, ...deps.limits };
  const places = visitPlaces(clock, deps.concurrency ?? limits.visitsAtOnce, limits.visitsAside);
  const browsers = warmBrowsers({ ...deps, limits, openNetwork: deps.openNetwork ?? (() => openOwnNetwork(clock)) });
  let visits = 0;

  /** Opens a visit. A browser that gives none in time is ended, and another is asked once (FAULT-12). */
  async function enter(size: PageSize, isSecond = false): Promise<{ warm: WarmBrowser; visit: OpenVisit }> {
    const warm = await browsers.take(size);
    const opening = sized(warm.spare ?? openVisit(warm.process, guard, size), size);
    warm.spare = undefined;
    const visit = await limitTime(clock, openTimeoutMs, opening).catch((error: unknown) => describeError(error));
    if (typeof visit === 'object' && 'page' in visit) return { warm, visit };
    opening.then((late) => late.passage.close()).catch(() => {});
    logger.info({ error: visit === timedOut ? 'it does not answer' : visit }, 'a browser that gives no page is ended');
    warm.process.kill();
    warm.running--;
    browsers.retire(warm);
    if (isSecond || browsers.isStopped()) throw new Error('no browser gave a page');
    return enter(size, true);
  }

  async function leave(warm: WarmBrowser, visit: OpenVisit): Promise<void> {
    const left = await limitTime(clock, leaveTimeoutMs, visit.context.close()).catch(() => undefined);
    if (left === timedOut) warm.process.kill(); // a page that cannot be closed takes its browser with it.
    await visit.passage.close();
    warm.running--;
    const isSpent = left === timedOut || warm.retired || warm.visits >= limits.visitsPerBrowser;
    if (isSpent || browsers.isStopped()) browsers.retire(warm);
    else browsers.keep(warm);
  }

  /** Waits until the time is over, or somebody asks for a page. */
  async function rest(): Promise<void> {
    if (places.waiting() > 0 || browsers.isStopped()) return;
    await limitTime(clock, restMs, places.asked());
  }

  /** Makes one visit. Its place is free again when the visit has left; the result is passed on before. */
  function visitOnce<T>(options: VisitOptions, work: (visit: Visit) => Promise<T>): Promise<T | typeof timedOut> {
    return new Promise((resolve, reject) => {
      const visiting = places.take(options, async () => {
        const { warm, visit } = await enter(options);
        visits++;
        const canceled = abortOf(options.signal);
        const worked = limitTime(clock, options.timeoutMs, Promise.race([work(visit), visit.aborted, canceled]));
        worked.then(resolve, reject);
        visit.aborted.catch(() => places.calm(options.sharer));
        const came = await worked.catch(() => timedOut);
        if (came !== timedOut) await rest();
        await leave(warm, visit);
      });
      visiting.catch(reject);
    });
  }

  return {
    start: browsers.start,
    stop: () => browsers.stop(places.idle),
    visit: visitOnce,
    status: () => ({
      ...statusOf(browsers.current(), browsers.hasFailed() || browsers.isStopped()),
      visits,
      running: places.running(),
      waiting: places.waiting(),
    }),
  };
}
