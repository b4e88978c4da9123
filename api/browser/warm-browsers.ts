/** The warm browsers of a pool: one in use, and those that end as soon as their last visit has left. */

import { Refusal } from '../../reasons/refusals.ts';
import type { Clock, Timer } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { describeError, type Logger } from '../../runtime/logger.ts';
import { type BrowserProcess, launchBrowser } from './browser-process.ts';
import type { HouseTls } from './house-tls.ts';
import { type OpenVisit, openVisit, type PageSize } from './open-visit.ts';
import type { OwnNetwork } from './own-network.ts';
import type { PageGuard } from './page-guard.ts';
import type { PoolLimits } from './pool-limits.ts';
import { type BrowserWatch, watchBrowser } from './watch-browser.ts';

/** The dependencies of the browsers. `findExecutable` is asked before each launch. */
interface WarmBrowserDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  readonly findExecutable: () => Promise<string>;
  readonly guard: PageGuard;
  readonly limits: PoolLimits;
  readonly openNetwork: () => Promise<OwnNetwork | undefined>;
  /** The key under which the guard hands on hosts of the house; left out, there is none. */
  readonly houseTls?: (() => Promise<HouseTls>) | undefined;
  /** The name under which pages ask; left out, the usual one. */
  readonly userAgent?: string | undefined;
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
  const { clock, limits, logger } = deps;
  const open = new Set<WarmBrowser>();
  const closing = new Set<Promise<void>>();
  const current = launchedOnce(launch, logger);
  const idle = idleTimer(clock, limits.idleMs);
  let stopped = false;
  /** The size of the last visit: frames of one service are mostly of one kind, and resizing a page costs time. */
  let defaultSize: PageSize = { width: 800, height: 480 };

  async function launch(): Promise<WarmBrowser> {
    const warm = await startBrowser(deps, retire);
    open.add(warm);
    warm.process.browser.once('disconnected', () => {
      if (!warm.retired) current.lose(warm);
      retire(warm);
    });
    keep(warm);
    return warm;
  }

  /** Keeps a browser for the next visit, until there was none for long. */
  function keep(warm: WarmBrowser): void {
    if (!warm.retired && warm.spare === undefined) openSpare(warm, deps.guard, defaultSize);
    if (!warm.retired && warm.running === 0) idle.begin(() => retire(warm));
  }

  /** Starts no further visit in this browser; it is closed when the last one has left. */
  function retire(warm: WarmBrowser): void {
    if (!warm.retired) {
      warm.retired = true;
      idle.end();
      current.forget();
    }
    if (warm.running > 0 || !open.delete(warm)) return;
    const closed = closeBrowser(warm, logger).finally(() => closing.delete(closed));
    closing.add(closed);
  }

  return {
    start: (): Promise<unknown> => current.get(),
    /** Takes a browser for a visit. It may have been retired between being asked for and being counted. */
    async take(size: PageSize): Promise<WarmBrowser> {
      defaultSize = size;
      for (;;) {
        if (stopped) throw new Error('the browser pool was stopped');
        const warm = await current.get();
        if (warm.retired) continue;
        idle.end();
        return beginVisit(warm);
      }
    },
    retire,
    keep,
    hasFailed: current.hasFailed,
    current: (): WarmBrowser | undefined => [...open].find((warm) => !warm.retired),
    isStopped: (): boolean => stopped,
    /** Ends every browser. `left` resolves when no visit is left. */
    async stop(left: () => Promise<void>): Promise<void> {
      stopped = true; // Visits that still wait fail by this.
      await current.launching()?.catch(() => undefined);
      for (const warm of open) {
        retire(warm);
        if (warm.running > 0) warm.process.kill(); // Its visits fail, and the last one to leave closes it.
      }
      await left();
      await Promise.all(closing);
    },
  };
}

/** Times how long nobody asks for a page: a browser holds more memory than everything else here. */
function idleTimer(clock: Clock, idleMs: number) {
  let timer: Timer | undefined;
  return {
    begin(over: () => void): void {
      timer?.cancel();
      if (idleMs !== Number.POSITIVE_INFINITY) timer = clock.after(idleMs, over);
    },
    end: (): void => timer?.cancel(),
  };
}

/** Launches one browser for all who ask, until it is forgotten or its launch fails. */
function launchedOnce(launch: () => Promise<WarmBrowser>, logger: Logger) {
  let current: Promise<WarmBrowser> | undefined;
  let failed = false;

  /** Warns the operator once that no browser starts, until one does. */
  function tell(error: unknown): void {
    const hint = error instanceof Refusal ? error.hint : undefined;
    if (!failed) logger.warn({ hint }, `no browser starts: ${describeError(error)}`);
    failed = true;
  }

  function begin(): Promise<WarmBrowser> {
    const launching = launch();
    const launched = (): void => {
      failed = false;
    };
    launching.then(launched, (error: unknown) => {
      tell(error);
      if (current === launching) current = undefined;
    });
    return launching;
  }

  return {
    get(): Promise<WarmBrowser> {
      current ??= begin();
      return current;
    },
    /** Notes that the browser ended by itself. */
    lose({ visits }: WarmBrowser): void {
      failed = true;
      logger.info({ visits }, 'the browser ended; the next render starts another');
    },
    /** Whether the last browser ended by itself, or did not start. */
    hasFailed: (): boolean => failed,
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
  const under = { userAgent: deps.userAgent, house: await deps.houseTls?.() };
  const process = await launchBrowser(executable, clock, await deps.openNetwork(), under);
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
