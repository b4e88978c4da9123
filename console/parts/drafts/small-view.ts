/** A small view of a picture, as the address of an image: it stands for it once the picture itself is gone. */
import type { Draft } from './drafts.ts';

/** Twice the height at which it stands. */
const side = 144;

/** Draws it; an empty text where the browser cannot. */
export function smallView({ picture, size: [width, height] }: Pick<Draft, 'picture' | 'size'>): string {
  const canvas = document.createElement('canvas');
  const scale = side / Math.max(width, height);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', 0.8);
}
