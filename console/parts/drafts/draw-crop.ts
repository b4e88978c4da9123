/** Draws a crop with its caption, on the screen and as the picture that is sent: in pages and in workers. */
import { type Crop, rotatedSize, type Size, scaleOf } from './crop.ts';

/** Where a caption stands. */
export type CaptionPlace = 'bottom' | 'top';

/** The picture to draw, and how. */
export interface Drawn {
  readonly picture: ImageBitmap;
  readonly panel: Size;
  readonly crop: Crop;
  readonly caption: string;
  readonly captionAt: CaptionPlace;
}

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** Draws it over a canvas of any size with the shape of the panel. */
export function drawCrop(
  canvas: HTMLCanvasElement | OffscreenCanvas,
  { picture, crop, caption, captionAt, panel }: Drawn,
): void {
  const context = canvas.getContext('2d') as Context | null;
  if (context === null) return;
  const size: Size = [picture.width, picture.height];
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  const toCanvas = canvas.width / panel[0];
  const scale = scaleOf(size, panel, crop);
  const [width, height] = rotatedSize(size, crop);
  context.imageSmoothingQuality = 'high';
  context.scale(toCanvas, toCanvas);
  context.translate(panel[0] / 2, panel[1] / 2);
  context.scale(scale, scale);
  context.translate((0.5 - crop.x) * width, (0.5 - crop.y) * height);
  context.rotate((crop.rotation * Math.PI) / 2);
  context.drawImage(picture, -size[0] / 2, -size[1] / 2, size[0], size[1]);
  context.setTransform(toCanvas, 0, 0, toCanvas, 0, 0);
  if (caption.trim() !== '') drawCaption(context, caption.trim(), panel, captionAt);
}

/** A white band with black text: what a panel shows best. */
function drawCaption(context: Context, caption: string, [width, height]: Size, at: CaptionPlace): void {
  const letters = Math.round(Math.min(width, height) / 14);
  const band = Math.round(letters * 1.8);
  const top = at === 'top' ? 0 : height - band;
  const room = width - 2 * letters;
  context.fillStyle = '#fff';
  context.fillRect(0, top, width, band);
  context.fillStyle = '#000';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = `500 ${letters}px system-ui, sans-serif`;
  const needed = context.measureText(caption).width;
  if (needed > room) context.font = `500 ${Math.max(letters * 0.6, (letters * room) / needed)}px system-ui, sans-serif`;
  context.fillText(shortened(context, caption, room), width / 2, top + band / 2);
}

/** Cuts a text that does not fit, character by character as people count them. */
function shortened(context: Context, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  const letters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (context.measureText(`${letters.slice(0, middle).join('')}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join('')}…`;
}

/** The longest caption. */
export const maxCaption = 200;

/** Decodes a file upright, with at most so many pixels a side. */
export async function bitmapOf(file: Blob, maxSide: number): Promise<ImageBitmap> {
  const whole = await createImageBitmap(file, { imageOrientation: 'from-image' });
  const scale = maxSide / Math.max(whole.width, whole.height);
  if (scale >= 1) return whole;
  const small = await createImageBitmap(whole, {
    resizeWidth: Math.max(1, Math.round(whole.width * scale)),
    resizeHeight: Math.max(1, Math.round(whole.height * scale)),
    resizeQuality: 'high',
  });
  whole.close();
  return small;
}

const jpegQuality = 0.95;

/** Returns how a picture is encoded. */
export const encodingOf = (isLossless: boolean): { readonly type: string; readonly quality: number } => ({
  type: isLossless ? 'image/png' : 'image/jpeg',
  quality: jpegQuality,
});
