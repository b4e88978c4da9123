/** The warm browsers of a pool: one in use, and those that end as soon as their last visit has left. */
import type { Clock } from '../../runtime/clock.ts';
import { describeError, type Logger } from '../../runtime/logger.ts';
import { type BrowserProcess, launchBrowser } from './browser-process.ts';
import { type OpenVisit, openVisit, type PageSize } from './open-visit.ts';
import type { OwnNetwork } from './own-network.ts';
import type { PageGuard } from './page-guard.ts';
import type { PoolLimits } from './pool-limits.ts';
import { type BrowserWatch, watchBrowser } from './watch-browser.ts';

/** The dependencies of the browsers. `findExecutable` is asked before each launch. */
interface WarmBrowserDeps {
  readonly findExecutable: () => Promise<string>;
  readonly guard: PageGuard;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: PoolLimits;
  readonly openNetwork: () => Promise<OwnNetwork | undefined>;
}

/** A browser that runs. A retired one starts no further visit. */
export interface WarmBrowser {
  readonly process: BrowserProcess;
  spare: Promise<OpenVisit> | undefined;
  readonly watch: BrowserWatch;
  visits: number;
  running: number;
  retired: boolean;
}

/** Makes the set of browsers; none runs before `start` or `take`. */
export function warmBrowsers(deps: WarmBrowserDeps) {
  const { logger } = deps;
  const open = new Set<WarmBrowser>();
  const closing = new Set<Promise<void>>();
  const current = launchedOnce(launch);
  let stopped = false;
  /** The size of the last visit: frames of one service are mostly of one kind, and resizing a page costs time. */
  let defaultSize: PageSize = { width: 800, height: 480 };

  async function launch(): Promise<WarmBrowser> {
    const warm = await startBrowser(deps, retire);
    open.add(warm);
    warm.process.browser.once('disconnected', () => {
      if (!warm.retired) logger.info({ visits: warm.visits }, 'the browser ended; the next render starts another');
      retire(warm);
    });
    prepareSpare(warm);
    return warm;
  }

  function prepareSpare(warm: WarmBrowser): void {
    if (!warm.retired && warm.spare === undefined) openSpare(warm, deps.guard, defaultSize);
  }

  /** Starts no further visit in this browser; it is closed when the last one has left. */
  function retire(warm: WarmBrowser): void {
    if (!warm.retired) {
      warm.retired = true;
      current.forget();
    }
    if (warm.running > 0 || !open.delete(warm)) return;
    const closed = closeBrowser(warm, logger).finally(() => closing.delete(closed));
    closing.add(closed);
  }

  return {
    start: async (): Promise<void> => {
      await current.get();
    },
    /** Takes a browser for a visit. It may have been retired between being asked for and being counted. */
    async take(): Promise<WarmBrowser> {
      for (;;) {
        if (stopped) throw new Error('the browser pool was stopped');
        const warm = await current.get();
        if (warm.retired) continue;
        return beginVisit(warm);
      }
    },
    retire,
    prepareSpare,
    /** Makes the next spare in the size of this visit. */
    expect(size: PageSize): void {
      defaultSize = size;
    },
    current: (): WarmBrowser | undefined => [...open].find((warm) => !warm.retired),
    isStopped: (): boolean => stopped,
    /** Ends every browser. `idle` resolves when no visit is left. */
    async stop(idle: () => Promise<void>): Promise<void> {
      stopped = true; // Visits that still wait fail by this.
      await current.launching()?.catch(() => undefined);
      for (const warm of open) {
        retire(warm);
        if (warm.running > 0) warm.process.kill(); // Its visits fail, and the last one to leave closes it.
      }
      await idle();
      await Promise.all(closing);
    },
  };
}

/** Launches one browser for all who ask, until it is forgotten or its launch fails. */
function launchedOnce(launch: () => Promise<WarmBrowser>) {
  let current: Promise<WarmBrowser> | undefined;
  return {
    get(): Promise<WarmBrowser> {
      if (current === undefined) {
        const launching = launch();
        current = launching;
        launching.catch(() => {
          if (current === launching) current = undefined;
        });
      }
      return current;
    },
    forget(): void {
      current = undefined;
    },
    launching: (): Promise<WarmBrowser> | undefined => current,
  };
}

function beginVisit(warm: WarmBrowser): WarmBrowser {
  warm.running++;
  warm.visits++;
  warm.watch.begin();
  return warm;
}

async function startBrowser(deps: WarmBrowserDeps, retire: (warm: WarmBrowser) => void): Promise<WarmBrowser> {
  const { clock, limits } = deps;
  const executable = await deps.findExecutable();
  const process = await launchBrowser(executable, clock, await deps.openNetwork());
  const isBusy = () => warm.running > 0;
  const watch = watchBrowser(process, { clock, limits, isBusy, retire: () => retire(warm) });
  const warm: WarmBrowser = { process, watch, spare: undefined, visits: 0, running: 0, retired: false };
  return warm;
}

function openSpare(warm: WarmBrowser, guard: PageGuard, size: PageSize): void {
  const spare = openVisit(warm.process, guard, size);
  warm.spare = spare;
  const forget = (): void => {
    if (warm.spare === spare) warm.spare = undefined;
  };
  // A spare whose process ended must not wait for the next visit to find out.
  spare.then(({ page, passage }) => page.once('error', () => passage.close().then(forget, forget))).catch(forget);
}

function closeBrowser(warm: WarmBrowser, logger: Logger): Promise<void> {
  warm.watch.stop();
  warm.spare?.then((spare) => spare.passage.close()).catch(() => {});
  return warm.process
    .close()
    .catch((error: unknown) => logger.error({ error: describeError(error) }, 'a browser could not be closed'));
}
