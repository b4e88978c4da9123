/** Makes other forms of a picture that was made here: JPEG, thumbnail, and the view of a packed file on its panel. */
import { rotateToView, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { type Orientation, type Panel, viewSize } from '../../firmware-protocol/panels.ts';
import { fairShares, type Sharer } from '../../runtime/fair-shares.ts';
import { openImage, openPixels, readImageHeader } from '../images/configure-sharp.ts';
import { paint } from './dithering/paint.ts';

/** The colours in which inks are drawn for people: their looks, or the colours of their names (PANEL-10). */
export const inkColours = ['measured', 'nominal'] as const;
export type InkColours = (typeof inkColours)[number];

/**
 * The drawings for people at once: each takes a tenth of a second and some megabytes. One of the two is left to others.
 */
const drawing = fairShares({ atOnce: 2, ofOne: 1 });

/** The sharer that waits for a drawing, and for how long. */
export interface DrawingPlace {
  /** The sharer, an organization first. */
  readonly sharer: Sharer;
  /** Takes the drawing back while it waits. */
  readonly signal: AbortSignal;
}

/** The colours in which an image is drawn, and the signal that takes the drawing back. */
export interface DrawingOptions extends Pick<DrawingPlace, 'signal'> {
  readonly colours?: InkColours | undefined;
}

/**
 * Draws when the sharer's turn has come (T-60). Files are read then and not before, so that a waiting file is not in
 * memory.
 */
export function drawQueued<Drawn>({ sharer, signal }: DrawingPlace, draw: () => Promise<Drawn>): Promise<Drawn> {
  return drawing.run(sharer, draw, signal);
}

/** The longest side of a thumbnail, in pixels. */
const thumbnailSide = 400;

/** Returns the whole picture as JPEG. */
export function toJpeg(image: Uint8Array): Promise<Buffer> {
  return openImage(image).jpeg({ quality: 90 }).toBuffer();
}

/** The longest side of a picture that is worked on in a browser, in pixels. */
const readableSide = 3_200;

/** Returns a picture as a JPEG for the work of a browser. */
export function toReadable(image: Uint8Array) {
  return openImage(image)
    .resize(readableSide, readableSide, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 95 })
    .toBuffer({ resolveWithObject: true });
}

/** Returns a small JPEG of a picture, never enlarged. */
export function toThumbnail(image: Uint8Array): Promise<Buffer> {
  return openImage(image)
    .resize(thumbnailSide, thumbnailSide, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 80 })
    .toBuffer();
}

/**
 * Draws the view of a packed file on its panel as PNG, as a person sees it, without any colour between the palette's
 * (PANEL-10).
 * @returns undefined for other bytes
 */
export async function drawPanelFile(
  panel: Panel,
  orientation: Orientation,
  file: Uint8Array,
  colours: InkColours = 'measured',
): Promise<Buffer | undefined> {
  const stored = unpackPicture(panel, file);
  if (!(stored instanceof Uint8Array)) return undefined;
  const rgb = paint(rotateToView(panel, orientation, stored), panel.colours, colours);
  const { width, height } = viewSize(panel, orientation);
  // compression level only; every other setting may quantise the colours.
  return openPixels(rgb, width, height).png({ compressionLevel: 6 }).toBuffer();
}

/** Returns whether a picture has exactly the pixels that a person sees on the panel. */
export async function fitsPanel(image: Uint8Array, panel: Panel, orientation: Orientation): Promise<boolean> {
  const header = await readImageHeader(image);
  const { width, height } = viewSize(panel, orientation);
  return header.width === width && header.height === height;
}
