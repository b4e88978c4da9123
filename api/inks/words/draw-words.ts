/**
 * Draws the words on a picture as a mask of its own pixels: letters, and the halo around them. They are laid by Takumi from
 * the fonts of the package, with neither a browser nor the machine's fonts.
 */
import { createRequire } from 'node:module';
import type { Renderer } from '@takumi-rs/core';
import { fontFiles, ownFont } from '../../fonts/own-fonts.ts';
import { oneLine } from './caption-lines.ts';
import { haloPixel, letterPixel, noWords, type WordsMask } from './ink-words.ts';
import { drawableLine, wordsFamily } from './letters-we-have.ts';

/** The words that are put on a picture. */
export interface PictureWords {
  /** One line or two, from top to bottom; further ones are left out. */
  readonly lines: readonly string[];
  /** The lines of the second picture of a pair, in a column of their own where the two lie side by side. */
  readonly beside?: readonly string[] | undefined;
  /** The language that they are in, as a tag. */
  readonly language: string;
}

/** Words that were drawn: their mask, where anything could be drawn, and the characters that no font has. */
export interface DrawnWords {
  readonly mask: WordsMask | undefined;
  readonly missing: string;
}

const maxLines = 2;
const lineHeight = 1.25;
/** The coverage of a pixel from which on it is ink, of 255. */
const inkFrom = 112;
const bytesOfPixel = 4;
/** Glyphs of two sizes: words are drawn once in a while, and memory is for pictures. */
const glyphCacheBytes = 1024 * 1024;

/**
 * Returns the size of the letters in pixels. Panels have five to six pixels a millimetre: an x-height of 3.8 mm at 800x480
 * and 4.2 mm at 1600x1200, 6.5 and 7.2 minutes of arc at two metres, where 5 are read by a good eye.
 */
export function lettersSize(width: number, height: number): number {
  const wanted = Math.round(24 + Math.max(width, height) / 75);
  return Math.max(14, Math.min(wanted, Math.floor(Math.min(width, height) / 9)));
}

/** Returns the width of the halo in pixels. */
export function haloWidth(size: number): number {
  return Math.max(2, Math.round(size / 11));
}

let opened: Promise<Renderer> | undefined;

/** Opens the renderer with the first words: a service that writes none holds 25 megabytes less. */
function renderer(): Promise<Renderer> {
  opened ??= openRenderer().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function openRenderer(): Promise<Renderer> {
  const takumi = createRequire(import.meta.url)('@takumi-rs/core') as typeof import('@takumi-rs/core');
  takumi.setGlyphCacheMaxBytes(glyphCacheBytes);
  const made = new takumi.Renderer({ cacheMaxBytes: 0 });
  for (const file of fontFiles(wordsFamily)) await made.registerFont(ownFont(wordsFamily, file));
  return made;
}

/** The pixels that words are drawn for, as a person sees them. */
interface WordedView {
  readonly width: number;
  readonly height: number;
}

/** The lines of each column: one for each picture of a pair that lies side by side, else one with those of both. */
function columnsOf({ lines, beside }: PictureWords, { width, height }: WordedView): readonly (readonly string[])[] {
  if (beside === undefined) return [lines];
  return width >= height ? [lines, beside] : [[lines, beside].map((own) => own.join(' · '))];
}

/** Draws words for a picture of some pixels. Lines that are too long end with an ellipsis. */
export async function drawWords(words: PictureWords, { width, height }: WordedView): Promise<DrawnWords> {
  const columns = columnsOf(words, { width, height });
  const drawable = columns.map((lines) => lines.slice(0, maxLines).map((line) => drawableLine(oneLine(line))));
  const missing = [...new Set(drawable.flat().flatMap((line) => line.missing))].join('');
  const written = drawable.map((lines) => lines.map(({ line }) => line).filter((line) => line !== ''));
  const most = Math.max(...written.map(({ length }) => length));
  if (most === 0) return { mask: undefined, missing };
  const size = lettersSize(width, height);
  const margin = Math.round(size * 0.6);
  const rows = Math.min(height, Math.ceil(most * size * lineHeight) + 2 * margin);
  const text = {
    display: 'block',
    width: '100%',
    color: '#ffffff',
    fontFamily: wordsFamily,
    fontSize: size,
    fontWeight: 600,
    lineHeight,
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    lineClamp: 1,
  };
  const columnOf = (lines: readonly string[]) => ({
    type: 'container' as const,
    style: {
      display: 'flex',
      flexDirection: 'column' as const,
      justifyContent: 'flex-end',
      width: Math.floor(width / columns.length),
      height: rows,
      padding: margin,
    },
    children: lines.map((line) => ({ type: 'text' as const, text: line, style: text })),
  });
  const page = {
    type: 'container' as const,
    style: {
      display: 'flex',
      flexDirection: 'row' as const,
      justifyContent: 'space-between',
      width,
      height: rows,
      backgroundColor: '#000000',
    },
    children: written.map(columnOf),
  };
  const drawn = await (await renderer()).render(page, {
    width,
    height: rows,
    format: 'raw',
    lang: tagOf(words.language),
  });
  if (drawn.length !== width * rows * bytesOfPixel) throw new Error(`words have ${drawn.length} bytes`);
  return { mask: { top: height - rows, pixels: withHalo(drawn, width, rows, haloWidth(size)) }, missing };
}

/** Returns a tag that may be given to others; an invalid one could be anything. */
function tagOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** Turns the drawing into a mask: white is a letter, and what lies within a distance of one is halo. */
function withHalo(drawn: Buffer, width: number, rows: number, radius: number): Uint8Array {
  const pixels = new Uint8Array(width * rows);
  for (let pixel = 0; pixel < pixels.length; pixel++) {
    if ((drawn[pixel * bytesOfPixel] as number) >= inkFrom) pixels[pixel] = letterPixel;
  }
  const isLetter = (x: number, y: number): boolean =>
    x >= 0 && y >= 0 && x < width && y < rows && pixels[y * width + x] === letterPixel;
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < width; x++) {
      if (!isLetter(x, y)) continue;
      const isWithin = isLetter(x - 1, y) && isLetter(x + 1, y) && isLetter(x, y - 1) && isLetter(x, y + 1);
      if (!isWithin) drawDisc(pixels, [width, rows], [x, y], radius);
    }
  }
  return pixels;
}

function drawDisc(
  pixels: Uint8Array,
  [width, rows]: readonly [number, number],
  [x, y]: readonly [number, number],
  radius: number,
): void {
  for (let down = -radius; down <= radius; down++) {
    const row = y + down;
    if (row < 0 || row >= rows) continue;
    const reach = Math.floor(Math.sqrt((radius + 0.5) ** 2 - down ** 2));
    for (let at = Math.max(0, x - reach); at <= Math.min(width - 1, x + reach); at++) {
      if (pixels[row * width + at] === noWords) pixels[row * width + at] = haloPixel;
    }
  }
}
