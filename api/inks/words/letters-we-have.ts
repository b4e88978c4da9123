/** The characters that our own font can draw. Those that it cannot are left out of a line, and reported. */
import { type FontFile, fontFiles } from '../../pages/fonts.ts';
import { glyphsOf } from './font-glyphs.ts';

/** The family of words on pictures. */
export const wordsFamily = 'Inter';

/** A file of the family, with the ranges of code points that it is taken for. */
export interface RangedFont {
  readonly bytes: Buffer;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

/** Returns the files of the family with their ranges as numbers. */
export function rangedFonts(): readonly RangedFont[] {
  return fontFiles(wordsFamily).map(({ bytes, range }) => ({ bytes, ranges: rangesOf(range) }));
}

function rangesOf(range: FontFile['range']): RangedFont['ranges'] {
  return range.split(',').map((part) => {
    const [first = '', last = first] = part.trim().replace('U+', '').split('-');
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
  });
}

let known: ReadonlySet<number> | undefined;

/** A glyph counts where the file that is taken for its code point has it. */
function drawable(): ReadonlySet<number> {
  known ??= new Set(
    rangedFonts().flatMap(({ bytes, ranges }) =>
      [...glyphsOf(bytes)].filter((point) => ranges.some(([first, last]) => point >= first && point <= last)),
    ),
  );
  return known;
}

/** A line without what cannot be drawn, and the characters that were left out. */
export interface DrawableLine {
  readonly line: string;
  readonly missing: readonly string[];
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Leaves out the characters that no glyph stands for; of one in several parts, such as a family of emoji, all of it. */
export function drawableLine(text: string): DrawableLine {
  const glyphs = drawable();
  const missing: string[] = [];
  const kept: string[] = [];
  for (const { segment } of characters.segment(text)) {
    const isDrawable = Array.from(segment).every((one) => glyphs.has(one.codePointAt(0) ?? 0));
    (isDrawable ? kept : missing).push(segment);
  }
  const line = kept.join('').replace(/ {2,}/g, ' ').trim();
  // What is left of a line of strange letters are their points and dashes.
  return { line: missing.length > 0 && !/[\p{L}\p{N}]/u.test(line) ? '' : line, missing };
}
