/**
 * Draws pictures in a worker, so that a hand which moves a crop does not wait. The page imports this file for its
 * own address; in a worker it answers what the page posts.
 */
import { bitmapOf, type Drawn, drawCrop, encodingOf } from './draw-crop.ts';

/** A picture that is asked for. */
export interface DrawRequest extends Omit<Drawn, 'picture'> {
  readonly id: number;
  /** Names the file: what was decoded for it is used again. */
  readonly key: string;
  readonly file: Blob;
  readonly isLossless: boolean;
  /** The picture is decoded with at most so many pixels a side. */
  readonly maxSide: number;
}

/** The outcome of a drawing; without a picture where it could not be drawn. */
export interface DrawAnswer {
  readonly id: number;
  readonly picture?: Blob;
}

/** The address of the worker's code. */
export const drawWorkerUrl = import.meta.url;

/** A phone's memory holds few decoded pictures. */
const maxDecoded = 2;
const decoded = new Map<string, Promise<ImageBitmap>>();

/** Decodes a picture once for all that is drawn of it. */
function decode({ key, file, maxSide }: DrawRequest): Promise<ImageBitmap> {
  const name = `${key} ${maxSide}`;
  const known = decoded.get(name) ?? bitmapOf(file, maxSide);
  decoded.delete(name);
  decoded.set(name, known);
  for (const [old, bitmap] of decoded) {
    if (decoded.size <= maxDecoded) break;
    decoded.delete(old);
    bitmap.then((one) => one.close()).catch(() => undefined);
  }
  return known;
}

/** Draws what is asked for. */
async function answer(request: DrawRequest): Promise<DrawAnswer> {
  try {
    const canvas = new OffscreenCanvas(...(request.panel as [number, number]));
    drawCrop(canvas, { ...request, picture: await decode(request) });
    return { id: request.id, picture: await canvas.convertToBlob(encodingOf(request.isLossless)) };
  } catch {
    return { id: request.id };
  }
}

if (typeof document === 'undefined') {
  addEventListener(
    'message',
    ({ data }: MessageEvent<DrawRequest>) => void answer(data).then((made) => postMessage(made)),
  );
}
