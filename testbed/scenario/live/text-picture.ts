/** A picture of a text, as somebody would send one. */
import sharp from 'sharp';
import { escapeHtml } from '../../../runtime/escape-html.ts';

const [width, height] = [800, 480];
const margin = 40;
const maxLetters = 200;

/**
 * Draws black text on white, as PNG; another text has other pixels. It is not an SVG: the service forbids such files to
 * the whole process.
 */
export function textPicture(text: string): Promise<Buffer> {
  const words = text.trim() === '' ? '(no words)' : text.slice(0, maxLetters);
  const letters = {
    text: `<span foreground="black">${escapeHtml(words)}</span>`,
    font: 'sans',
    width: width - 2 * margin,
    height: height - 2 * margin,
    align: 'center',
    rgba: true,
  } as const;
  return sharp({ create: { width, height, channels: 3, background: 'white' } })
    .composite([{ input: { text: letters } }])
    .png()
    .toBuffer();
}
