/**
 * One warm browser and a bounded number of visits at once. Every visit is a fresh browser context behind a guard of its
 * own (R-05, T-09, P-25); one is made ahead, because making it costs more than the render. A visit has a hard deadline.
 */
import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import type { BrowserContext, Page } from 'puppeteer';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { describeError, type Logger } from '../../gateway/runtime/logger.ts';
import { type BrowserProcess, launchBrowser } from './browser-process.ts';
import { limitTime, timedOut } from './limit-time.ts';
import type { PageGuard, Passage } from './page-guard.ts';

/** Visits after which a browser is replaced, between visits. */
const visitsPerBrowser = 200;
const leaveTimeoutMs = 2_000;

/** A blank page in a context that nobody used before, and its way through the guard. */
export interface Visit {
  readonly page: Page;
  readonly passage: Passage;
}

/** How the pool is, for a probe. */
export interface PoolStatus {
  readonly browser: 'running' | 'not-running';
  readonly visits: number;
  readonly running: number;
  readonly waiting: number;
}

/** The pool. `visit` gives `timedOut` when the work was not done in time; the page is gone then, whatever it did. */
export interface BrowserPool {
  start(): Promise<void>;
  stop(): Promise<void>;
  visit<T>(timeoutMs: number, work: (visit: Visit) => Promise<T>): Promise<T | typeof timedOut>;
  status(): PoolStatus;
}

/** What the pool is made of. `findExecutable` is asked before each launch. */
export interface PoolEdges {
  readonly findExecutable: () => Promise<string>;
  readonly guard: PageGuard;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly concurrency?: number | undefined;
}

interface OpenVisit extends Visit {
  readonly context: BrowserContext;
}

interface WarmBrowser {
  readonly process: BrowserProcess;
  spare: Promise<OpenVisit> | undefined;
  visits: number;
  running: number;
  retired: boolean;
}

/** nothing a page does may wait for a person, leave a file, or open a second page. */
async function openVisit({ process: { browser } }: WarmBrowser, guard: PageGuard): Promise<OpenVisit> {
  const passage = await guard.open();
  try {
    const context = await browser.createBrowserContext({
      proxyServer: passage.proxyServer,
      proxyBypassList: ['<-loopback>'],
      downloadBehavior: { policy: 'deny' },
    });
    const page = await context.newPage();
    page.on('dialog', (dialog) => {
      dialog.dismiss().catch(() => {});
    });
    page.on('popup', (popup) => {
      popup?.close().catch(() => {});
    });
    const session = await browser.target().createCDPSession();
    // An empty list for every origin: all permissions are refused.
    const denied = session.send('Browser.grantPermissions', {
      permissions: [],
      ...(context.id === undefined ? {} : { browserContextId: context.id }),
    });
    await Promise.all([denied, page.setBypassServiceWorker(true)]);
    await session.detach();
    return { context, page, passage };
  } catch (error) {
    await passage.close();
    throw error;
  }
}

/** Creates the pool; `start` launches the browser, and so does the next visit after one has ended. */
export function createBrowserPool({ findExecutable, guard, clock, logger, concurrency }: PoolEdges): BrowserPool {
  const queue = new PQueue({ concurrency: concurrency ?? Math.min(2, availableParallelism()) });
  const open = new Set<WarmBrowser>();
  const closing = new Set<Promise<void>>();
  let current: Promise<WarmBrowser> | undefined;
  let stopped = false;
  let visits = 0;

  async function launch(): Promise<WarmBrowser> {
    const process = await launchBrowser(await findExecutable(), clock);
    const warm: WarmBrowser = { process, spare: undefined, visits: 0, running: 0, retired: false };
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

  function prepareSpare(warm: WarmBrowser): void {
    if (warm.retired || warm.spare !== undefined) return;
    warm.spare = openVisit(warm, guard);
    warm.spare.catch(() => {
      warm.spare = undefined;
    });
  }

  /** No further visit starts in this browser; it is closed when the last one has left. */
  function retire(warm: WarmBrowser): void {
    if (!warm.retired) {
      warm.retired = true;
      current = undefined;
    }
    if (warm.running > 0 || !open.delete(warm)) return;
    warm.spare?.then((spare) => spare.passage.close()).catch(() => {});
    const closed = warm.process
      .close()
      .catch((error: unknown) => logger.error({ error: describeError(error) }, 'a browser could not be closed'))
      .finally(() => closing.delete(closed));
    closing.add(closed);
  }

  async function isLate(closing: Promise<void>): Promise<boolean> {
    return (await limitTime(clock, leaveTimeoutMs, closing).catch(() => undefined)) === timedOut;
  }

  async function leave(warm: WarmBrowser, visit: OpenVisit | undefined): Promise<void> {
    const left = visit?.context.close();
    const isStuck = left === undefined || (await isLate(left));
    if (isStuck) warm.process.kill(); // a page that cannot be closed takes its browser with it.
    await visit?.passage.close();
    warm.running--;
    if (isStuck || warm.retired || warm.visits >= visitsPerBrowser || stopped) retire(warm);
    else prepareSpare(warm);
  }

  async function visitOnce<T>(timeoutMs: number, work: (visit: Visit) => Promise<T>): Promise<T | typeof timedOut> {
    if (stopped) throw new Error('the browser pool was stopped');
    const warm = await warmBrowser();
    warm.running++;
    warm.visits++;
    visits++;
    let visit: OpenVisit | undefined;
    const run = async (): Promise<T> => {
      const spare = warm.spare;
      warm.spare = undefined;
      visit = await (spare ?? openVisit(warm, guard));
      return work(visit);
    };
    try {
      return await limitTime(clock, timeoutMs, run());
    } finally {
      await leave(warm, visit);
    }
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
      await queue.onIdle();
      await Promise.all(closing);
    },
    visit: (timeoutMs, work) => queue.add(() => visitOnce(timeoutMs, work)),
    status: () => ({
      browser: [...open].some((warm) => !warm.retired) ? 'running' : 'not-running',
      visits,
      running: queue.pending,
      waiting: queue.size,
    }),
  };
}
