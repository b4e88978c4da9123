/** Draws a crop with its caption, on the screen and as the picture that is sent. */
import { type Crop, rotatedSize, type Size, scaleOf } from './crop.ts';
import type { Draft } from './drafts.ts';

/** What is drawn. */
export interface Drawn {
  readonly draft: Pick<Draft, 'picture' | 'size'>;
  readonly crop: Crop;
  readonly caption: string;
  readonly panel: Size;
}

/** Draws it over a canvas of any size with the shape of the panel. */
export function drawCrop(canvas: HTMLCanvasElement, { draft, crop, caption, panel }: Drawn): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  const toCanvas = canvas.width / panel[0];
  const scale = scaleOf(draft.size, panel, crop);
  const [width, height] = rotatedSize(draft.size, crop);
  context.imageSmoothingQuality = 'high';
  context.scale(toCanvas, toCanvas);
  context.translate(panel[0] / 2, panel[1] / 2);
  context.scale(scale, scale);
  context.translate((0.5 - crop.x) * width, (0.5 - crop.y) * height);
  context.rotate((crop.rotation * Math.PI) / 2);
  context.drawImage(draft.picture, -draft.size[0] / 2, -draft.size[1] / 2, draft.size[0], draft.size[1]);
  context.setTransform(toCanvas, 0, 0, toCanvas, 0, 0);
  if (caption.trim() !== '') drawCaption(context, caption.trim(), panel);
}

/** A white band at the bottom with black letters: what a panel shows best. */
function drawCaption(context: CanvasRenderingContext2D, caption: string, [width, height]: Size): void {
  const letters = Math.round(Math.min(width, height) / 14);
  const band = Math.round(letters * 1.8);
  const room = width - 2 * letters;
  context.fillStyle = '#fff';
  context.fillRect(0, height - band, width, band);
  context.fillStyle = '#000';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = `500 ${letters}px system-ui, sans-serif`;
  const needed = context.measureText(caption).width;
  if (needed > room) context.font = `500 ${Math.max(letters * 0.6, (letters * room) / needed)}px system-ui, sans-serif`;
  context.fillText(shortened(context, caption, room), width / 2, height - band / 2);
}

/** Cuts a text that does not fit, letter by letter as people count them. */
function shortened(context: CanvasRenderingContext2D, text: string, room: number): string {
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

const jpegQuality = 0.95;

/** Makes the picture that is sent: exactly the panel's pixels. */
export async function pictureOf(
  draft: Draft,
  panel: Size,
  { crop, caption }: Pick<Drawn, 'crop' | 'caption'> = { crop: draft.crop.peek(), caption: draft.caption.peek() },
): Promise<Blob> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = panel;
  drawCrop(canvas, { draft, crop, caption, panel });
  const type = draft.isLossless ? 'image/png' : 'image/jpeg';
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, jpegQuality));
  if (blob === null) throw new Error('the browser could not encode the picture');
  return blob;
}
