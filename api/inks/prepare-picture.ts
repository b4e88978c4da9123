/** Turns an image into a panel's picture: the file that a frame takes, its digest, and the view of a person. */
import { createHash } from 'node:crypto';
import { type Orientation, type Panel, viewSize, withPalette } from '../../firmware-protocol/panels.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { atSubject, maxImagePixels, openImage, readImageHeader } from '../images/configure-sharp.ts';
import { reduceLight } from '../images/linear-light.ts';
import type { DitherOptions } from './dithering/intents.ts';
import type { DitherWorkers } from './dithering/workers.ts';
import { type Fit, leastCut } from './fit.ts';
import { withOwnBorder } from './own-border.ts';
import type { OptimizeTag } from './read-optimize-tag.ts';
import { drawPanelFile, type InkColours } from './renditions.ts';
import { drawWords, type PictureWords } from './words/draw-words.ts';
import { inkWords } from './words/ink-words.ts';

/** The picture that is needed, and how its paper or page wants it dithered. */
export interface PictureOptions {
  /** The sharer that waits for it: an organization, then its paper or device (T-60). */
  readonly sharer: Sharer;
  readonly panel: Panel;
  readonly orientation: Orientation;
  readonly fit: Fit;
  /**
   * Whether the picture is a photograph that nobody has cropped: it is cropped around its subject, and the border next
   * to a whole one takes the colour of its edge.
   */
  readonly isPhotograph?: boolean;
  readonly optimize?: OptimizeTag | undefined;
  /**
   * The pixels of the image if they are at hand, sRGB, three bytes each: in the panel's size they need not be fitted.
   */
  readonly rgb?: Uint8Array | undefined;
  /** Words on the picture, at its bottom. */
  readonly words?: PictureWords | undefined;
}

/** How an image is fitted. */
export type FitOptions = Pick<PictureOptions, 'panel' | 'orientation' | 'fit' | 'isPhotograph'>;

/** A picture ready to be offered. */
export interface PreparedPicture {
  /** The packed file with its header, as frames store it. */
  readonly file: Uint8Array;
  /** SHA-256 of `file`, lowercase hex. */
  readonly sha256: string;
  /** The characters of its words that no font has, each once; left out for a picture without words. */
  readonly missing?: string;
  /**
   * Draws it as PNG, in the panel's measured colours by default, rotated as a person sees it. Frames do not wait for
   * it.
   */
  readonly preview: (colours?: InkColours) => Promise<Buffer | undefined>;
}

/**
 * Pixels of an image, fitted: upright, on white, sRGB, three bytes each, exactly the size a person sees. It is
 * made smaller in linear light; enlarging loses no detail.
 */
export async function fitImage(image: Uint8Array, options: FitOptions): Promise<Uint8Array> {
  const { panel, orientation, fit, isPhotograph = false } = options;
  const view = viewSize(panel, orientation);
  const { width, height } = (await readImageHeader(image)).autoOrient;
  const ratios = [view.width / width, view.height / height];
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  const isReduced = (fit === 'cover' ? most : least) < 1;
  const plain = openImage(image).autoOrient().flatten({ background: '#ffffff' });
  const hasOwnBorder = isPhotograph && fit === 'contain';
  // The strategy holds the whole picture in the size that it is cut from: of a single row that would be gigabytes.
  const mayBeHeld = width * height * most ** 2 <= maxImagePixels;
  const isCutAtSubject = isPhotograph && mayBeHeld && fit === 'cover' && least < (1 - leastCut) * most;
  const laid = {
    fit: hasOwnBorder ? 'inside' : fit,
    position: isCutAtSubject ? atSubject() : 'centre',
    background: '#ffffff',
  } as const;
  const fitted = isReduced
    ? reduceLight(plain, view.width, view.height, laid)
    : plain.resize(view.width, view.height, laid);
  const { data, info } = await fitted.toColourspace('srgb').removeAlpha().raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`a fitted image has ${info.channels} channels, not three`);
  // The bytes are copied exactly, because the buffer is given away to the thread.
  return hasOwnBorder ? withOwnBorder(data, info, view) : new Uint8Array(data);
}

/** Prepares an image (JPEG, PNG or WebP bytes that were normalized or rendered here) for a panel. */
export async function preparePicture(
  image: Uint8Array,
  options: PictureOptions,
  workers: DitherWorkers,
): Promise<PreparedPicture> {
  const { width, height } = viewSize(options.panel, options.orientation);
  const rgb = options.rgb?.length === width * height * 3 ? new Uint8Array(options.rgb) : await fitImage(image, options);
  const { enabled = true, palette, ...asked } = options.optimize ?? {};
  const { orientation } = options;
  // A palette that somebody measured for this very panel takes precedence over the page's (PANEL-08).
  const panel = options.panel.ownPalette === undefined ? withPalette(options.panel, palette) : options.panel;
  const dither: DitherOptions = enabled ? asked : { ...asked, method: 'none' };
  const drawn = options.words && (await drawWords(options.words, { width, height }));
  const words = drawn?.mask && inkWords(drawn.mask, { rgb, width, colours: panel.colours });
  const job = { rgb, width, height, panel, orientation, options: dither, ...(words && { words }) };
  const file = await workers.dither(options.sharer, job);
  return {
    file,
    sha256: createHash('sha256').update(file).digest('hex'),
    ...(drawn && { missing: drawn.missing }),
    preview: (colours) => drawPanelFile(panel, orientation, file, colours),
  };
}
