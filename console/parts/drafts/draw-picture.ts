/**
 * Makes the pictures of crops: in a worker where the browser has one, one at a time, and only while somebody waits for
 * them.
 */
import { type Crop, type Size, scaleOf } from './crop.ts';
import type { Draft } from './drafts.ts';
import { bitmapOf, type Drawn, drawCrop, encodingOf } from './draw-crop.ts';
import type { DrawAnswer, DrawRequest } from './draw-worker.ts';

/** The most pixels of a side of the picture to send: twice the largest panel. */
const wholeSide = 3_200;
/** The most pixels of a side of the smaller copy that is shown while it changes. */
const previewSide = 1_600;

interface Waiting {
  readonly request: DrawRequest;
  readonly resolve: (picture: Blob) => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal | undefined;
}

const waiting: Waiting[] = [];
let current: Waiting | undefined;
let lastId = 0;
let worker: Promise<Worker | undefined> | undefined;

/** The part of Trusted Types that is used; TypeScript's library does not have it yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

async function startWorker(): Promise<Worker | undefined> {
  if (typeof OffscreenCanvas === 'undefined' || typeof Worker === 'undefined') return undefined;
  try {
    const { drawWorkerUrl } = await import('./draw-worker.ts');
    const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
    const policy = trustedTypes?.createPolicy('papergate-drawing', {
      createScriptURL(url) {
        if (url !== drawWorkerUrl) throw new TypeError('pictures have one worker');
        return url;
      },
    });
    const started = new Worker((policy?.createScriptURL(drawWorkerUrl) ?? drawWorkerUrl) as string, { type: 'module' });
    started.onmessage = ({ data }: MessageEvent<DrawAnswer>) => finish(data.picture);
    // Without a worker the page draws itself.
    started.onerror = () => {
      worker = Promise.resolve(undefined);
      finish(undefined);
    };
    return started;
  } catch {
    return undefined;
  }
}

/** Hands the picture out; one that the worker could not draw is drawn here. */
function finish(picture: Blob | undefined): void {
  const done = current;
  current = undefined;
  if (done !== undefined) {
    if (picture !== undefined) done.resolve(picture);
    else drawHere(done.request).then(done.resolve, done.reject);
  }
  void next();
}

async function next(): Promise<void> {
  if (current !== undefined) return;
  const one = waiting.shift();
  if (one === undefined) return;
  if (one.signal?.aborted) {
    one.reject(one.signal.reason);
    return next();
  }
  current = one;
  worker ??= startWorker();
  const drawing = await worker;
  if (drawing === undefined) finish(undefined);
  else drawing.postMessage(one.request);
}

async function drawHere({ file, maxSide, panel, isLossless, ...drawn }: DrawRequest): Promise<Blob> {
  const picture = await bitmapOf(file, maxSide);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = panel;
  drawCrop(canvas, { ...drawn, panel, picture });
  picture.close();
  const { type, quality } = encodingOf(isLossless);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality));
  if (blob === null) throw new Error('the browser could not encode the picture');
  return blob;
}

/** The part of a draft that is drawn. */
export type Looks = Pick<Drawn, 'crop' | 'caption' | 'captionAt'>;

interface Wish extends Looks {
  readonly panel: Size;
  readonly signal?: AbortSignal;
}

/** Makes the picture that is sent: exactly the panel's pixels, from all that the file has. */
export const pictureOf = (draft: Draft, wish: Wish): Promise<Blob> => ask(draft, wish, wholeSide);

/** Makes the picture of a preview, from the smaller copy as long as that has all the pixels that are seen. */
export function previewPictureOf(draft: Draft, wish: Wish): Promise<Blob> {
  const isEnough = isCoarse(draft.size, wish.panel, wish.crop);
  return ask(draft, wish, isEnough ? previewSide : wholeSide);
}

const isCoarse = (size: Size, panel: Size, crop: Crop): boolean =>
  Math.max(...size) < previewSide || scaleOf(size, panel, crop) <= 1;

function ask(draft: Draft, { signal, ...wish }: Wish, maxSide: number): Promise<Blob> {
  const { key, file, isLossless } = draft;
  const request: DrawRequest = { id: ++lastId, key, file, isLossless, maxSide, ...wish };
  return new Promise((resolve, reject) => {
    waiting.push({ request, resolve, reject, signal });
    void next();
  });
}
