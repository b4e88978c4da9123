/** The fonts of our own pages. They come with the package and are written into the page, since it may load nothing. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The families by their names in CSS, with the package and the weights of each. */
const families = {
  Inter: { folder: '@fontsource-variable/inter', file: 'inter', weights: '100 900' },
  Literata: { folder: '@fontsource-variable/literata', file: 'literata', weights: '200 900' },
} as const;

export type FontFamily = keyof typeof families;

const locate = createRequire(import.meta.url);
const kept = new Map<FontFamily, readonly FontFile[]>();

/** One file of a family: the script that it is for, its characters as CSS writes them, and its bytes (WOFF2). */
export interface FontFile {
  readonly script: string;
  readonly range: string;
  readonly weights: string;
  readonly bytes: Buffer;
}

/**
 * Returns the `@font-face` rules of a family that a text needs. Characters of other scripts are left to the machine's
 * fonts.
 */
export function fontFaces(family: FontFamily, text: string): string {
  const letters = new Set(Array.from(text, (letter) => letter.codePointAt(0) ?? 0));
  return fontFiles(family)
    .filter(({ range }) => [...letters].some(coverage(range)))
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
    weights,
    bytes: readFileSync(locate.resolve(`${folder}/files/${file}-${script}-wght-normal.woff2`)),
  }));
  kept.set(family, files);
  return files;
}

/** Returns the test whether a code point lies in a CSS range such as `U+0000-00FF,U+0131`. */
function coverage(range: string): (codePoint: number) => boolean {
  const bounds = range.split(',').map((part) => {
    const [first = '', last = first] = part.trim().replace('U+', '').split('-');
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
  });
  return (codePoint) => bounds.some(([first, last]) => codePoint >= first && codePoint <= last);
}
