/** A picture of a text, as somebody would send one. */
import sharp from 'sharp';
import { escapeHtml } from '../../runtime/escape-html.ts';

const [width, height] = [800, 480];
const maxLetters = 60;

/** Draws black letters on white, as PNG. Its bytes depend on the text alone, and another text has other ones. */
export function textPicture(text: string): Promise<Buffer> {
  const shown = escapeHtml(text.slice(0, maxLetters));
  const size = Math.max(20, Math.min(120, Math.floor((width * 1.6) / Math.max(1, Math.min(text.length, maxLetters)))));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="white"/><text x="50%" y="55%" text-anchor="middle" font-family="sans-serif" font-size="${size}">${shown}</text></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}
