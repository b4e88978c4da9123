/**
 * Normalizes images outside of the service's own process: the memory that decoding takes is given back when that ends,
 * and an image that ends the decoder ends nothing else.
 */
import { open } from 'node:fs/promises';
import { calmReport } from '../../../runtime/child-process/calm-report.ts';
import { keptProcess, processSet } from '../../../runtime/child-process/kept-process.ts';
import { ProcessGone } from '../../../runtime/child-process/working-process.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { fairShares } from '../../../runtime/fair-shares.ts';
import { limitTime, timedOut } from '../../../runtime/limit-time.ts';
import type { Logger } from '../../../runtime/logger.ts';
import type { FileContent } from '../../http/uploaded-file.ts';
import { brandBytes, heifFormat } from '../heif-format.ts';
import type { ImageOptions, NormalizedImage } from '../normalize-image.ts';
import { type ImageProcess, startImageProcess } from './one-process.ts';

/** The library ends work that takes longer than some seconds; work that takes this long never ends. */
const maxMs = 60_000;
/** The time for which a process is kept for the next image. */
const idleMs = 20_000;

/** Normalizes images from outside in other processes. */
export interface ImageProcesses {
  normalizeImage(image: FileContent, options: ImageOptions): Promise<NormalizedImage>;
  /** Ends what runs; later calls fail. */
  stop(): void;
}

/** Starts a process; `told` is called with the reason if it ends by itself. */
export type StartImageProcess = (told: (reason: string) => void) => ImageProcess;

const broken: NormalizedImage = { ok: false, problem: 'broken' };

/** Makes the processes' front. No process runs before the first image. */
export function imageProcesses(
  clock: Clock,
  logger: Pick<Logger, 'warn'>,
  start: StartImageProcess = (told) => startImageProcess({ told }),
): ImageProcesses {
  const tell = calmReport(clock, logger, 'a process that decodes images ended; another one takes its place');
  const processes = processSet(() => start(tell));
  // The decoder of phones answers nothing else while it works, and takes others' images with it when it fails.
  const [shared, ofPhones] = [keptProcess(clock, processes, idleMs), keptProcess(clock, processes, idleMs)];
  const [alone, onPhones] = [fairShares({ atOnce: 1 }), fairShares({ atOnce: 1 })];

  async function inTime(opened: ImageProcess, image: FileContent, options: ImageOptions): Promise<NormalizedImage> {
    const normalized = await limitTime(clock, maxMs, opened.normalize(image, options));
    if (normalized !== timedOut) return normalized;
    tell(`an image took more than ${maxMs / 1_000} s`);
    processes.close(opened);
    throw new ProcessGone(true);
  }

  /** Returns what to answer for an image whose process ended because of it. */
  function brokenBy(error: unknown): NormalizedImage {
    if (!(error instanceof ProcessGone && error.hadBegun) || processes.isStopped()) throw error;
    return broken;
  }

  async function normalizeAlone(image: FileContent, options: ImageOptions): Promise<NormalizedImage> {
    const own = processes.open();
    try {
      return await inTime(own, image, options).catch(brokenBy);
    } finally {
      processes.close(own);
    }
  }

  /** One at a time: the image under way when the process ends has ended it, and the next image gets another process. */
  async function normalizeOfPhone(image: FileContent, options: ImageOptions): Promise<NormalizedImage> {
    try {
      return await ofPhones.use((one) => inTime(one, image, options));
    } catch (error) {
      if (error instanceof ProcessGone || options.signal?.aborted === true) ofPhones.replace();
      return brokenBy(error);
    }
  }

  return {
    async normalizeImage(image, options) {
      const { sharer, signal } = options;
      if (await isOfPhone(image, options)) {
        return onPhones.run(sharer, () => normalizeOfPhone(image, options), signal);
      }
      try {
        return await shared.use((one) => inTime(one, image, options));
      } catch (error) {
        brokenBy(error);
      }
      // Another image may have ended the process. With a process of its own, each image is judged by itself.
      return alone.run(sharer, () => normalizeAlone(image, options), signal);
    },
    stop() {
      shared.stop();
      ofPhones.stop();
      processes.stop();
    },
  };
}

/** Returns whether an image begins as the pictures of phones do, and such are taken. */
async function isOfPhone(image: FileContent, { formats = [] }: ImageOptions): Promise<boolean> {
  if (Buffer.isBuffer(image)) return formats.some((format) => format === heifFormat(image));
  const file = await open(image.path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(brandBytes), 0, brandBytes, 0);
    return formats.some((format) => format === heifFormat(buffer.subarray(0, bytesRead)));
  } finally {
    await file.close();
  }
}
