/** The fonts that come with the package. Pages for browsers have them written into them, since they may load nothing. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { GlyphCoverage } from './coverage.ts';
import { glyphsOf } from './woff2-glyphs.ts';

/** The families by their names in CSS, with the package and the weights of each. */
const families = {
  Inter: { folder: '@fontsource-variable/inter', file: 'inter', weights: '100 900' },
  Literata: { folder: '@fontsource-variable/literata', file: 'literata', weights: '200 900' },
} as const;

export type FontFamily = keyof typeof families;

/** Every family of our own. */
export const ownFamilies = Object.keys(families) as readonly FontFamily[];

const locate = createRequire(import.meta.url);
const kept = new Map<FontFamily, readonly FontFile[]>();

/**
 * One file of a family: the script that it is for, the characters that it is taken for, as CSS writes them and as numbers,
 * and its bytes (WOFF2). The ranges name more characters than the files have glyphs for.
 */
export interface FontFile {
  readonly script: string;
  readonly range: string;
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly weights: string;
  readonly bytes: Buffer;
}

/**
 * Returns the `@font-face` rules of a family that a text needs. Characters of other scripts are left to the machine's
 * fonts.
 */
export function fontFaces(family: FontFamily, text: string): string {
  const letters = Array.from(text, (letter) => letter.codePointAt(0) ?? 0);
  return fontFiles(family)
    .filter((file) => letters.some((letter) => isFor(file, letter)))
    .map(({ range, weights, bytes }) => {
      const source = `url(data:font/woff2;base64,${bytes.toString('base64')}) format('woff2')`;
      return `@font-face{font-family:${family};font-weight:${weights};src:${source};unicode-range:${range}}`;
    })
    .join('\n');
}

/** Returns the files of a family, one for each script. */
export function fontFiles(family: FontFamily): readonly FontFile[] {
  const known = kept.get(family);
  if (known !== undefined) return known;
  const { folder, file, weights } = families[family];
  const ranges: Record<string, string> = JSON.parse(readFileSync(locate.resolve(`${folder}/unicode.json`), 'utf8'));
  const files = Object.entries(ranges).map(([script, range]) => ({
    script,
    range,
    ranges: rangesOf(range),
    weights,
    bytes: readFileSync(locate.resolve(`${folder}/files/${file}-${script}-wght-normal.woff2`)),
  }));
  kept.set(family, files);
  return files;
}

/** Returns the numbers of a CSS range such as `U+0000-00FF,U+0131`. */
function rangesOf(range: string): FontFile['ranges'] {
  return range.split(',').map((part) => {
    const [first = '', last = first] = part.trim().replace('U+', '').split('-');
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
  });
}

function isFor({ ranges }: FontFile, point: number): boolean {
  return ranges.some(([first, last]) => point >= first && point <= last);
}

const glyphs = new WeakMap<FontFile, GlyphCoverage>();

/** Returns the file of a family that is taken for a code point, if it has a glyph for it. */
export function fileWith(family: FontFamily, point: number): FontFile | undefined {
  return fontFiles(family).find((file) => {
    if (!isFor(file, point)) return false;
    const known = glyphs.get(file) ?? glyphsOf(file.bytes);
    glyphs.set(file, known);
    return known.has(point);
  });
}

/** A file of a family as Takumi registers it: for the characters that it is taken for. */
export interface OwnFont {
  readonly name: FontFamily;
  readonly data: Buffer;
  readonly unicodeRange: [number, number][];
}

/** Returns a file of a family as Takumi registers it. */
export function ownFont(family: FontFamily, { bytes, ranges }: FontFile): OwnFont {
  return { name: family, data: bytes, unicodeRange: ranges.map(([first, last]) => [first, last]) };
}
