/** One process that normalizes images, seen from the service. */
import type { Endable } from '../../../runtime/child-process/kept-process.ts';
import { startWorkingProcess } from '../../../runtime/child-process/working-process.ts';
import type { FileContent } from '../../http/uploaded-file.ts';
import type { ImageOptions, NormalizedImage } from '../normalize-image.ts';
import type { ImageOrder } from './normalizer.ts';
import { outcomeBounds, readOutcome } from './read-outcome.ts';

/** A process. */
export interface ImageProcess extends Endable {
  /**
   * Normalizes an image.
   * @throws ProcessGone; the signal's reason
   */
  normalize(image: FileContent, options: ImageOptions): Promise<NormalizedImage>;
}

const normalizer = new URL('./normalizer.ts', import.meta.url);

/** How a process is started. */
export interface ImageProcessOptions {
  /** Hears why the process ended, unless `end` was called. */
  readonly told?: (reason: string) => void;
  readonly program?: URL;
}

/** Starts a process. It keeps this one alive only while it has work. */
export function startImageProcess({ told = () => {}, program = normalizer }: ImageProcessOptions = {}): ImageProcess {
  const one = startWorkingProcess<ImageOrder, NormalizedImage>({ program, bounds: outcomeBounds, readOutcome, told });
  return {
    normalize(image, { sharer, formats, keepsDetail, maxSide, signal }) {
      const options = { sharer, formats, keepsDetail, maxSide } as ImageOrder['options'];
      // Of a file only its path is sent.
      const [order, bytes] = Buffer.isBuffer(image) ? [{ options }, image] : [{ options, path: image.path }];
      return one.ask(order, bytes, signal);
    },
    isGone: one.isGone,
    end: one.end,
  };
}
