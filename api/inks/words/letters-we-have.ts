/** The characters that our own font can draw. Those that it cannot are left out of a line, and reported. */
import { fileWith } from '../../fonts/own-fonts.ts';

/** The family of words on pictures. */
export const wordsFamily = 'Inter';

/** A line without what cannot be drawn, and the characters that were left out. */
export interface DrawableLine {
  readonly line: string;
  readonly missing: readonly string[];
}

const isDrawable = (character: string): boolean => fileWith(wordsFamily, character.codePointAt(0) ?? 0) !== undefined;

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Leaves out the characters that no glyph stands for; of one in several parts, such as a family of emoji, all of it. */
export function drawableLine(text: string): DrawableLine {
  const missing: string[] = [];
  const kept: string[] = [];
  for (const { segment } of characters.segment(text)) {
    const isWhole = Array.from(segment).every(isDrawable);
    (isWhole ? kept : missing).push(segment);
  }
  const line = kept.join('').replace(/ {2,}/g, ' ').trim();
  // What is left of a line of strange letters are their points and dashes.
  return { line: missing.length > 0 && !/[\p{L}\p{N}]/u.test(line) ? '' : line, missing };
}
