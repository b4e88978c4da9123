/** Other forms of a picture that was made here: JPEG, thumbnail, what a panel shows of a packed file. */
import { turnToView, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { type Orientation, type Panel, viewSize } from '../../firmware-protocol/panels.ts';
import { openImage, openPixels, readImageHeader } from './configure-sharp.ts';
import { paint } from './dithering/paint.ts';

/** What inks are drawn in for people: what they look like, or what they are called (PN-10). */
export const inkColours = ['measured', 'nominal'] as const;
export type InkColours = (typeof inkColours)[number];

/** Longest side of a thumbnail, in pixels. */
const thumbnailSide = 400;

/** The whole picture as JPEG. */
export function toJpeg(image: Uint8Array): Promise<Buffer> {
  return openImage(image).jpeg({ quality: 90 }).toBuffer();
}

/** A small JPEG of it, never enlarged. */
export function toThumbnail(image: Uint8Array): Promise<Buffer> {
  return openImage(image)
    .resize(thumbnailSide, thumbnailSide, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 80 })
    .toBuffer();
}

/**
 * PNG of what a panel shows of a packed file, as a person sees it, without any colour between the palette's (PN-10).
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
  const rgb = paint(turnToView(panel, orientation, stored), panel.colours, colours);
  const { width, height } = viewSize(panel, orientation);
  // compression level only; every other setting may quantise the colours.
  return openPixels(rgb, width, height).png({ compressionLevel: 6 }).toBuffer();
}

/** Whether a picture has exactly the pixels that a person sees on the panel. */
export async function fitsPanel(image: Uint8Array, panel: Panel, orientation: Orientation): Promise<boolean> {
  const header = await readImageHeader(image);
  const { width, height } = viewSize(panel, orientation);
  return header.width === width && header.height === height;
}

/**
 * A device-ready picture as a person sees it. It comes in that size, or as the panel stores it, turned already.
 * @returns PNG, or undefined when it has another size than the panel
 */
export async function readyPicture(image: Buffer, panel: Panel, orientation: Orientation): Promise<Buffer | undefined> {
  if (await fitsPanel(image, panel, orientation)) return image;
  const header = await readImageHeader(image);
  if (header.width !== panel.width || header.height !== panel.height) return undefined;
  return openImage(image)
    .rotate((360 - panel.turn[orientation]) % 360)
    .png({ compressionLevel: 6 })
    .toBuffer();
}
