/**
 * Watches a browser that runs strangers' pages from outside: the memory of its processes, the page that keeps it from
 * its work, and whether it still answers.
 */
import type { Clock, Timer } from '../../runtime/clock.ts';
import type { BrowserProcess } from './browser-process.ts';
import type { PoolLimits } from './pool-limits.ts';
import {
  busiestPage,
  isFlooded,
  keptMb,
  mainProcess,
  overweight,
  pageOfGraphics,
  processesOfGroup,
  type SeenProcess,
} from './see-browser.ts';

/** The pause between looks. A page takes a gigabyte in a second where memory is fast. */
const lookEveryMs = 100;
/** The number of looks over which the busiest page is judged. */
const looksBack = 20;
const askEveryMs = 500;
/** A browser that is silent for this long is busy with one of its pages. */
const silentMs = 1_500;
/** The time over which the growth of the browser's own process is judged. */
const grownWithinMs = 10_000;
/** A file is handed on as a message, and decoded: so often the main process may hold it for a while. */
const copiesOfHanded = 3;
const mebibyte = 1024 * 1024;
/** The time until a browser has recovered after a page of it was ended. */
const recoveryMs = 1_000;

export interface BrowserWatchDeps {
  readonly clock: Clock;
  readonly limits: PoolLimits;
  /** Returns whether strangers' pages are in the browser; it is checked once more after the last has left. */
  readonly isBusy: () => boolean;
  /** Ends its use: it is to get no further visit. */
  readonly retire: () => void;
}

/** A watch. `begin` looks for as long as the browser is busy. */
export interface BrowserWatch {
  begin(): void;
  stop(): void;
}

export function watchBrowser(
  browser: BrowserProcess,
  { clock, limits, isBusy, retire }: BrowserWatchDeps,
): BrowserWatch {
  const look = processesOfGroup(browser.pid);
  const bounds = { page: limits.pageMb, browser: limits.browserMb };
  let looking: Timer | undefined;
  let looks: SeenProcess[][] = [];
  const hasGrown = growthWatch(() => (browser.handed.characters * copiesOfHanded) / mebibyte);
  let askedAt = Number.NEGATIVE_INFINITY;
  let isAsked = false;
  let relievedAt = Number.NEGATIVE_INFINITY;

  function begin(): void {
    looking ??= clock.after(lookEveryMs, () => {
      looking = undefined;
      const seen = look();
      looks = [...looks, seen].slice(-looksBack);
      limitMemory(seen);
      relieve(seen);
      if (isBusy()) begin();
      else looks = [];
    });
  }

  function limitMemory(seen: readonly SeenProcess[]): void {
    const { pids, isHelper, isBrowser } = overweight(seen, bounds);
    for (const pid of pids) end(pid);
    if (isHelper) endFiller(seen);
    if (isBrowser) browser.kill();
    if (isBrowser || isHelper || keptMb(seen) > limits.keptMb) retire();
  }

  /** Ends the process of the busiest page when the browser cannot keep up with it. */
  function relieve(seen: SeenProcess[]): void {
    const now = clock.now();
    const silence = silenceOf(now);
    if (silence > limits.answerMs) {
      browser.kill();
      retire();
    }
    const isBehind = hasGrown(seen, now) || silence > silentMs;
    if (!isBehind || now - relievedAt < recoveryMs) return;
    relievedAt = now;
    const busiest = busiestPage(looks);
    if (busiest !== undefined) end(busiest.pid);
  }

  /** Returns how long it has owed an answer. An answer proves nothing, but a missing one is enough to act. */
  function silenceOf(now: number): number {
    if (isAsked) return now - askedAt;
    if (now - askedAt < askEveryMs) return 0;
    isAsked = true;
    askedAt = now;
    const answered = (): void => {
      isAsked = false;
    };
    browser.session.send('Browser.getVersion').then(answered, answered); // It ended; the pool is notified.
    return 0;
  }

  return { begin, stop: () => looking?.cancel() };
}

/**
 * Returns at each look whether the main process was flooded since it was measured again.
 * @param handedMb what it holds of files that the service itself hands to pages, at most, so far
 */
function growthWatch(handedMb: () => number): (seen: readonly SeenProcess[], now: number) => boolean {
  let measured = { at: Number.NEGATIVE_INFINITY, mb: 0, ticks: 0 };
  return (seen, now) => {
    const { mb, ticks } = mainProcess(seen);
    const main = { mb: mb - handedMb(), ticks };
    const isGrown = isFlooded({ mb: main.mb - measured.mb, ticks: main.ticks - measured.ticks });
    const isNew = now - measured.at > grownWithinMs;
    if (isNew || isGrown) measured = { at: now, ...main };
    else if (main.mb < measured.mb) measured = { ...measured, ...main };
    return isGrown && !isNew;
  };
}

/**
 * Ends the page that filled a process shared by all pages, and that would fill it again. A browser that has lost such a
 * process a few times no longer replaces it, and all its pages hang.
 */
function endFiller(seen: readonly SeenProcess[]): void {
  const filling = pageOfGraphics(seen);
  if (filling !== undefined) end(filling);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
