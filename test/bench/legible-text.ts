/** Lines of letters at 14 pixels, as a page would show them: set with the machine's own sans serif font. */
import sharp from 'sharp';
import type { Letters } from '../rendering/legibility.ts';

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHJKLMNOPQRSTUVWXYZ23456789';
const cell = 20;
const width = 800;
const height = 480;

/** Letters in one colour on another (`#rrggbb`), as sRGB pixels and as places to look at. */
export async function drawLetters(ink: string, paper: string): Promise<{ rgb: Uint8Array; letters: Letters }> {
  const cells = Array.from({ length: (width / cell) * (height / cell) }, (_, at) => ({
    letter: letters[(at * 7) % letters.length] as string,
    x: (at % (width / cell)) * cell,
    y: Math.floor(at / (width / cell)) * cell,
  }));
  const glyphs = new Map<string, Buffer>();
  for (const letter of letters) {
    const text = `<span foreground="${ink}">${letter}</span>`;
    // 14 pixels are 10.5 points at 96 dots an inch.
    glyphs.set(
      letter,
      await sharp({ text: { text, font: 'sans 10.5', dpi: 96, rgba: true } })
        .png()
        .toBuffer(),
    );
  }
  const rgb = await sharp({ create: { width, height, channels: 3, background: paper } })
    .composite(cells.map(({ letter, x, y }) => ({ input: glyphs.get(letter) as Buffer, left: x + 4, top: y + 3 })))
    .removeAlpha()
    .raw()
    .toBuffer();
  const light = Float64Array.from({ length: width * height }, (_, at) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, weight, c) => sum + weight * ((rgb[at * 3 + c] as number) / 255) ** 2.2, 0),
  );
  return { rgb: new Uint8Array(rgb), letters: { light, width, height, cells, cellWidth: cell, cellHeight: cell } };
}
