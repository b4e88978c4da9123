/**
 * Lays two portraits side by side on a panel that lies, or two landscapes one above the other on one that stands, each
 * cut where its subject is (decision 72).
 */
import { atSubject, maxImagePixels, openImage, openPixels, readImageHeader } from '../images/configure-sharp.ts';
import { reduceLight } from '../images/linear-light.ts';
import { leastCut } from './fit.ts';

/** The pixels of a picture or a panel, as a person sees them. */
export interface ViewPixels {
  readonly width: number;
  readonly height: number;
}

/** The line between the two, as a share of the panel's longer side: white, a few pixels wide. */
const seamShare = 0.006;
const leastSeam = 4;

/** A pair has to keep this much more of its pictures than one on the whole panel does. */
const leastGain = 0.15;

/** Returns the share of a picture that stays visible where it fills a space, from 0 to 1. */
export function shareSeen(picture: ViewPixels, space: ViewPixels): number {
  const ratio = (picture.width * space.height) / (picture.height * space.width);
  return Math.min(ratio, 1 / ratio);
}

/** Returns the space of each of two pictures on a panel, and the width of the seam. */
export function halvesOf({ width, height }: ViewPixels): { readonly half: ViewPixels; readonly seam: number } {
  const long = Math.max(width, height);
  // An even rest gives two halves of one size.
  const seam = Math.max(leastSeam, 2 * Math.round((seamShare * long) / 2)) + (long % 2);
  const side = (long - seam) / 2;
  return { half: width >= height ? { width: side, height } : { width, height: side }, seam };
}

/**
 * Judges whether two pictures fit side by side better than each fills the panel alone: both lose less in a half, and the
 * shares that stay visible grow by `leastGain` on the mean.
 */
export function fitsInPair(one: ViewPixels, other: ViewPixels, panel: ViewPixels): boolean {
  const { half } = halvesOf(panel);
  const gains = [one, other].map((picture) => shareSeen(picture, half) - shareSeen(picture, panel));
  return gains.every((gain) => gain > 0) && gains.reduce((sum, gain) => sum + gain, 0) / 2 >= leastGain;
}

/**
 * Composes a pair of normalized pictures in exactly the panel's pixels, as PNG: the first one left or above. They are decoded one after
 * the other, so no more memory is taken than for one.
 */
export async function pairedPicture(first: Uint8Array, second: Uint8Array, panel: ViewPixels): Promise<Buffer> {
  const { half, seam } = halvesOf(panel);
  const isBesideIt = panel.width >= panel.height;
  const pixels = new Uint8Array(panel.width * panel.height * 3).fill(255);
  for (const [at, picture] of [first, second].entries()) {
    const from = at === 0 ? 0 : (isBesideIt ? half.width : half.height) + seam;
    const cut = await cutToFill(picture, half);
    for (let row = 0; row < half.height; row++) {
      const to = isBesideIt ? row * panel.width + from : (row + from) * panel.width;
      pixels.set(cut.subarray(row * half.width * 3, (row + 1) * half.width * 3), to * 3);
    }
  }
  return openPixels(pixels, panel.width, panel.height).png({ compressionLevel: 6 }).toBuffer();
}

/** Fills a space with a picture, as a photograph fills a panel. */
async function cutToFill(picture: Uint8Array, space: ViewPixels): Promise<Uint8Array> {
  const { width, height } = await readImageHeader(picture);
  const scale = Math.max(space.width / width, space.height / height);
  const isCutAtSubject = shareSeen({ width, height }, space) < 1 - leastCut;
  const laid = { fit: 'cover', position: isCutAtSubject ? atSubject() : 'centre' } as const;
  const whole = openImage(picture).flatten({ background: '#ffffff' });
  // A strip would be gigabytes in the size that it is cut from: it is cut in its middle first.
  const plain =
    width * height * scale ** 2 <= maxImagePixels ? whole : whole.extract(middleOf({ width, height }, space));
  const cut =
    scale < 1 ? reduceLight(plain, space.width, space.height, laid) : plain.resize(space.width, space.height, laid);
  return cut.toColourspace('srgb').removeAlpha().raw().toBuffer();
}

/** The middle of a picture in the shape of a space. */
function middleOf({ width, height }: ViewPixels, space: ViewPixels) {
  const scale = Math.max(space.width / width, space.height / height);
  const side = (length: number, whole: number): number => Math.min(whole, Math.max(1, Math.round(length / scale)));
  const cut = { width: side(space.width, width), height: side(space.height, height) };
  return { ...cut, left: (width - cut.width) >> 1, top: (height - cut.height) >> 1 };
}
