/**
 * One warm browser and a bounded number of visits at once. Every visit is a fresh browser context behind a guard of its
 * own (R-05, T-09, P-25); one is made ahead, because making it costs more than the render. A visit has a hard deadline,
 * and whatever it does, the next one finds a browser that answers.
 */
import { availableParallelism } from 'node:os';
import type { Clock, Timer } from '../../gateway/runtime/clock.ts';
import { describeError, type Logger } from '../../gateway/runtime/logger.ts';
import { type BrowserProcess, launchBrowser } from './browser-process.ts';
import { limitMemory } from './limit-memory.ts';
import { limitTime, timedOut } from './limit-time.ts';
import { type OpenVisit, openVisit, type PageSize, sized, type Visit } from './open-visit.ts';
import { type OwnNetwork, openOwnNetwork } from './own-network.ts';
import type { PageGuard } from './page-guard.ts';
import { type PoolLimits, usualLimits } from './pool-limits.ts';
import { visitPlaces } from './visit-places.ts';

const openTimeoutMs = 15_000;
const leaveTimeoutMs = 5_000;
const memoryCheckMs = 250;
/**
 * How long a browser rests before it clears up and makes its spare, unless somebody asks for a page: what was just
 * photographed is dithered meanwhile, on the same cores.
 */
const restMs = 150;

/** How the pool is, for a probe. */
export interface PoolStatus {
  readonly browser: 'running' | 'not-running';
  /** Whether the browser has a network of its own, without routes, or the service's; `none` without a browser. */
  readonly network: 'own' | 'shared' | 'none';
  readonly visits: number;
  readonly running: number;
  readonly waiting: number;
}

/** The page that work wants, and for how long. */
export interface VisitWish extends PageSize {
  readonly timeoutMs: number;
  /** The page is a document of our own. */
  readonly isOwn?: boolean;
}

/** The pool. `visit` gives `timedOut` when the work was not done in time; its page is closed then, whatever it did. */
export interface BrowserPool {
  start(): Promise<void>;
  stop(): Promise<void>;
  visit<T>(wish: VisitWish, work: (visit: Visit) => Promise<T>): Promise<T | typeof timedOut>;
  status(): PoolStatus;
}

/** What the pool is made of. `findExecutable` is asked before each launch. */
export interface PoolEdges {
  readonly findExecutable: () => Promise<string>;
  readonly guard: PageGuard;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly concurrency?: number | undefined;
  readonly limits?: Partial<PoolLimits> | undefined;
  /** Opens the network of a browser; undefined where there is none but the service's. */
  readonly openNetwork?: (() => Promise<OwnNetwork | undefined>) | undefined;
}

interface WarmBrowser {
  readonly process: BrowserProcess;
  spare: Promise<OpenVisit> | undefined;
  memoryCheck: Timer | undefined;
  visits: number;
  running: number;
  retired: boolean;
}

function statusOf(warm: WarmBrowser | undefined): Pick<PoolStatus, 'browser' | 'network'> {
  if (warm === undefined) return { browser: 'not-running', network: 'none' };
  return { browser: 'running', network: warm.process.network === undefined ? 'shared' : 'own' };
}

/** Creates the pool; `start` launches the browser, and so does the next visit after one has ended. */
export function createBrowserPool({ findExecutable, guard, clock, logger, ...edges }: PoolEdges): BrowserPool {
  const limits = { ...usualLimits, ...edges.limits };
  const openNetwork = edges.openNetwork ?? (() => openOwnNetwork(clock));
  const places = visitPlaces(clock, edges.concurrency ?? Math.min(2, availableParallelism()));
  const open = new Set<WarmBrowser>();
  const closing = new Set<Promise<void>>();
  let current: Promise<WarmBrowser> | undefined;
  let stopped = false;
  let visits = 0;
  /** What the last visit wanted: frames of one house are mostly of one kind, and a page that is resized costs time. */
  let usualSize: PageSize = { width: 800, height: 480 };

  async function launch(): Promise<WarmBrowser> {
    const executable = await findExecutable();
    const process = await launchBrowser(executable, clock, await openNetwork());
    const warm: WarmBrowser = {
      ...{ process, spare: undefined, memoryCheck: undefined },
      ...{ visits: 0, running: 0, retired: false },
    };
    open.add(warm);
    process.browser.once('disconnected', () => {
      if (!warm.retired) logger.warn({ visits: warm.visits }, 'the browser ended; the next render starts another');
      retire(warm);
    });
    prepareSpare(warm);
    return warm;
  }

  function warmBrowser(): Promise<WarmBrowser> {
    if (current === undefined) {
      const launching = launch();
      current = launching;
      launching.catch(() => {
        if (current === launching) current = undefined;
      });
    }
    return current;
  }

  /** A browser that is in use from now on: between being asked for and being counted it may have been retired. */
  async function takeBrowser(): Promise<WarmBrowser> {
    for (;;) {
      if (stopped) throw new Error('the browser pool was stopped');
      const warm = await warmBrowser();
      if (warm.retired) continue;
      warm.running++;
      warm.visits++;
      watchMemory(warm);
      return warm;
    }
  }

  function prepareSpare(warm: WarmBrowser): void {
    if (warm.retired || warm.spare !== undefined) return;
    const spare = openVisit(warm.process, guard, usualSize);
    warm.spare = spare;
    const forget = (): void => {
      if (warm.spare === spare) warm.spare = undefined;
    };
    // A spare whose process ended must not wait for the next visit to find out.
    spare.then(({ page, passage }) => page.once('error', () => void passage.close().then(forget))).catch(forget);
  }

  /** Looks at the memory now and then while there are visits, and once after the last; so a hang is noticed too (FI-12). */
  function watchMemory(warm: WarmBrowser): void {
    if (warm.memoryCheck !== undefined || warm.retired) return;
    warm.memoryCheck = clock.after(memoryCheckMs, async () => {
      const bounds = { page: limits.pageMb, browser: limits.browserMb };
      const asking = limitMemory(warm.process, bounds);
      const keptMb = await limitTime(clock, limits.answerMs, asking).catch(() => 0); // It just ended.
      if (keptMb === timedOut) warm.process.kill();
      if (keptMb === timedOut || keptMb > limits.keptMb) retire(warm);
      warm.memoryCheck = undefined;
      if (warm.running > 0) watchMemory(warm);
    });
  }

  /** No further visit starts in this browser; it is closed when the last one has left. */
  function retire(warm: WarmBrowser): void {
    if (!warm.retired) {
      warm.retired = true;
      current = undefined;
    }
    if (warm.running > 0 || !open.delete(warm)) return;
    warm.memoryCheck?.cancel();
    warm.spare?.then((spare) => spare.passage.close()).catch(() => {});
    const closed = warm.process
      .close()
      .catch((error: unknown) => logger.error({ error: describeError(error) }, 'a browser could not be closed'))
      .finally(() => closing.delete(closed));
    closing.add(closed);
  }

  async function leave(warm: WarmBrowser, visit: OpenVisit): Promise<void> {
    const left = await limitTime(clock, leaveTimeoutMs, visit.context.close()).catch(() => undefined);
    if (left === timedOut) warm.process.kill(); // a page that cannot be closed takes its browser with it.
    await visit.passage.close();
    warm.running--;
    if (left === timedOut || warm.retired || warm.visits >= limits.visitsPerBrowser || stopped) retire(warm);
    else prepareSpare(warm);
  }

  /** Until the time is over, or somebody comes. */
  async function rest(): Promise<void> {
    if (places.waiting() > 0 || stopped) return;
    await limitTime(clock, restMs, places.asked());
  }

  /** Opens a visit. A browser that gives none in time is ended, and another is asked once (FI-12). */
  async function enter(size: PageSize, isSecond = false): Promise<{ warm: WarmBrowser; visit: OpenVisit }> {
    const warm = await takeBrowser();
    const opening = sized(warm.spare ?? openVisit(warm.process, guard, size), size);
    warm.spare = undefined;
    const visit = await limitTime(clock, openTimeoutMs, opening).catch((error: unknown) => describeError(error));
    if (typeof visit === 'object' && 'page' in visit) return { warm, visit };
    opening.then((late) => late.passage.close()).catch(() => {});
    logger.warn({ error: visit === timedOut ? 'it does not answer' : visit }, 'a browser that gives no page is ended');
    warm.process.kill();
    warm.running--;
    retire(warm);
    if (isSecond || stopped) throw new Error('no browser gave a page');
    return enter(size, true);
  }

  /** Its place is free again when the visit has left; what came of it is told before. */
  function visitOnce<T>(wish: VisitWish, work: (visit: Visit) => Promise<T>): Promise<T | typeof timedOut> {
    return new Promise((resolve, reject) => {
      const visiting = places.take(async () => {
        const { warm, visit } = await enter(wish);
        visits++;
        usualSize = wish;
        const worked = limitTime(clock, wish.timeoutMs, work(visit));
        worked.then(resolve, reject);
        const came = await worked.catch(() => timedOut);
        if (came !== timedOut) await rest();
        await leave(warm, visit);
      }, wish.isOwn === true);
      visiting.catch(reject);
    });
  }

  return {
    start: async () => {
      await warmBrowser();
    },
    async stop() {
      stopped = true; // Visits that still wait fail by this.
      await current?.catch(() => undefined);
      for (const warm of open) {
        retire(warm);
        if (warm.running > 0) warm.process.kill(); // Its visits fail, and the last one to leave closes it.
      }
      await places.idle();
      await Promise.all(closing);
    },
    visit: visitOnce,
    status: () => ({
      ...statusOf([...open].find((warm) => !warm.retired)),
      visits,
      running: places.running(),
      waiting: places.waiting(),
    }),
  };
}
