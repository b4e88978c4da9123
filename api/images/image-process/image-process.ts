/**
 * Normalizes images outside of the service's own process: the memory that decoding takes is given back when that ends,
 * and an image that ends the decoder ends nothing else.
 */
import type { Clock, Timer } from '../../../runtime/clock.ts';
import { fairShares } from '../../../runtime/fair-shares.ts';
import { limitTime, timedOut } from '../../../runtime/limit-time.ts';
import type { Logger } from '../../../runtime/logger.ts';
import type { FileContent } from '../../http/uploaded-file.ts';
import type { ImageOptions, NormalizedImage } from '../normalize-image.ts';
import { type ImageProcess, ProcessGone, startImageProcess } from './one-process.ts';

/** The time for which a process is kept for the next image. */
const idleMs = 20_000;
/** The library ends work that takes longer than some seconds; work that takes this long never ends. */
const maxMs = 60_000;

/** Normalizes images from outside in other processes. */
export interface ImageProcesses {
  normalizeImage(image: FileContent, options: ImageOptions): Promise<NormalizedImage>;
  /** Ends what runs; later calls fail. */
  stop(): void;
}

/** The time between two lines of the log about processes that ended: hostile images may come by the thousand. */
const quietMs = 60_000;

/** Starts a process; `told` hears why it ended by itself. */
export type StartImageProcess = (told: (reason: string) => void) => ImageProcess;

/** Makes the processes' front. No process runs before the first image. */
export function imageProcesses(
  clock: Clock,
  logger: Pick<Logger, 'warn'>,
  start: StartImageProcess = (told) => startImageProcess({ told }),
): ImageProcesses {
  const tell = tellCalmly(clock, logger);
  const processes = processSet(() => start(tell));
  const alone = fairShares({ atOnce: 1 });
  let shared: ImageProcess | undefined;
  let users = 0;
  let idle: Timer | undefined;

  async function inTime(opened: ImageProcess, image: FileContent, options: ImageOptions): Promise<NormalizedImage> {
    const normalized = await limitTime(clock, maxMs, opened.normalize(image, options));
    if (normalized !== timedOut) return normalized;
    processes.close(opened);
    throw new ProcessGone(true);
  }

  async function together(image: FileContent, options: ImageOptions): Promise<NormalizedImage> {
    if (shared?.isGone() !== false) {
      processes.close(shared);
      shared = processes.open();
    }
    idle?.cancel();
    users++;
    try {
      return await inTime(shared, image, options);
    } finally {
      users--;
      if (users === 0) {
        idle = clock.after(idleMs, () => {
          processes.close(shared);
          shared = undefined;
        });
      }
    }
  }

  return {
    async normalizeImage(image, options) {
      try {
        return await together(image, options);
      } catch (error) {
        if (!(error instanceof ProcessGone && error.hadBegun) || processes.isStopped()) throw error;
      }
      // Another image may have ended the process. With a process of its own, each image is judged by itself.
      return alone.run(
        options.sharer,
        async () => {
          const own = processes.open();
          try {
            return await inTime(own, image, options);
          } catch (error) {
            if (!(error instanceof ProcessGone && error.hadBegun) || processes.isStopped()) throw error;
            return { ok: false, problem: 'broken' };
          } finally {
            processes.close(own);
          }
        },
        options.signal,
      );
    },
    stop() {
      idle?.cancel();
      processes.stop();
    },
  };
}

/** Returns what writes a line of the log, at most once a minute, with the number of those that were left out. */
function tellCalmly(clock: Clock, logger: Pick<Logger, 'warn'>): (reason: string) => void {
  let [toldAt, leftOut] = [Number.NEGATIVE_INFINITY, 0];
  return (reason) => {
    if (clock.now() - toldAt < quietMs) {
      leftOut++;
      return;
    }
    logger.warn({ reason, leftOut }, 'a process that decodes images ended; another one takes its place');
    [toldAt, leftOut] = [clock.now(), 0];
  };
}

/** The processes that run. After `stop` none is opened. */
function processSet(start: () => ImageProcess) {
  const running = new Set<ImageProcess>();
  let isStopped = false;

  function open(): ImageProcess {
    if (isStopped) throw new Error('decoding was stopped');
    const opened = start();
    running.add(opened);
    return opened;
  }

  function close(opened: ImageProcess | undefined): void {
    if (opened === undefined) return;
    running.delete(opened);
    opened.end();
  }

  return {
    open,
    close,
    isStopped: (): boolean => isStopped,
    stop(): void {
      isStopped = true;
      for (const one of running) close(one);
    },
  };
}
