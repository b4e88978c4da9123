/** An image becomes a panel's picture: the file a frame takes, its digest, and what a person will see. */
import { createHash } from 'node:crypto';
import { type Orientation, type Panel, viewSize, withPalette } from '../../firmware-protocol/panels.ts';
import { openImage } from './configure-sharp.ts';
import type { DitherWish } from './dithering/intents.ts';
import type { DitherWorkers } from './dithering/workers.ts';
import type { OptimizeTag } from './read-optimize-tag.ts';
import { drawPanelFile, type InkColours } from './renditions.ts';

/** How an image of other proportions is laid on the panel: cut at the edges, or whole with white beside it. */
export type Fit = 'cover' | 'contain';

/** Which picture is wanted, and how its paper or page wants it dithered. */
export interface PictureWish {
  readonly panel: Panel;
  readonly orientation: Orientation;
  readonly fit: Fit;
  readonly optimize?: OptimizeTag | undefined;
  /** Pixels of the image, sRGB, three bytes each, where they are at hand: of the panel's size they need not be fitted. */
  readonly rgb?: Uint8Array | undefined;
}

/** A picture ready to be offered. */
export interface PreparedPicture {
  /** The packed file with its header, as frames store it. */
  readonly file: Uint8Array;
  /** SHA-256 of `file`, lowercase hex. */
  readonly sha256: string;
  /** Draws it as PNG, in the panel's measured colours unless said, turned as a person sees it: for who looks, frames do not wait for it. */
  readonly preview: (colours?: InkColours) => Promise<Buffer | undefined>;
}

/** Pixels of an image, fitted: upright, on white, sRGB, three bytes each, exactly the size a person sees. */
async function fitImage(image: Uint8Array, { panel, orientation, fit }: PictureWish): Promise<Uint8Array> {
  const { width, height } = viewSize(panel, orientation);
  const { data, info } = await openImage(image)
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .resize(width, height, { fit, background: '#ffffff' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`a fitted image has ${info.channels} channels, not three`);
  // A copy of exactly these bytes: the buffer is given away to the thread.
  return new Uint8Array(data);
}

/** Prepares an image (JPEG, PNG or WebP bytes that were normalized or rendered here) for a panel. */
export async function preparePicture(
  image: Uint8Array,
  wish: PictureWish,
  workers: DitherWorkers,
): Promise<PreparedPicture> {
  const { width, height } = viewSize(wish.panel, wish.orientation);
  const rgb = wish.rgb?.length === width * height * 3 ? new Uint8Array(wish.rgb) : await fitImage(image, wish);
  const { enabled = true, palette, ...asked } = wish.optimize ?? {};
  const { orientation } = wish;
  // PN-08: who measured this very panel knows better than a page that was written for any.
  const panel = wish.panel.ownPalette === undefined ? withPalette(wish.panel, palette) : wish.panel;
  const dither: DitherWish = enabled ? asked : { ...asked, method: 'none' };
  const file = await workers.dither({ rgb, width, height, panel, orientation, wish: dither });
  return {
    file,
    sha256: createHash('sha256').update(file).digest('hex'),
    preview: (colours) => drawPanelFile(panel, orientation, file, colours),
  };
}
