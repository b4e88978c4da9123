/** Examines which scripts this machine has glyphs for, for `papergate doctor`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Diagnosis } from './doctor-certificates.ts';

/** Scripts beyond our own fonts: one letter of each, and Debian's package with its letters. */
const scripts: readonly (readonly [name: string, letter: string, packageName: string])[] = [
  ['Arabic', 'ع', 'fonts-noto-core'],
  ['Hebrew', 'ש', 'fonts-noto-core'],
  ['Hindi', 'अ', 'fonts-noto-core'],
  ['Thai', 'ก', 'fonts-noto-core'],
  ['Chinese', '月', 'fonts-noto-cjk'],
  ['Japanese', 'あ', 'fonts-noto-cjk'],
  ['Korean', '한', 'fonts-noto-cjk'],
  ['emoji', '🎂', 'fonts-symbola'],
];

const askTimeoutMs = 5_000;

/** Counts the fonts that have a letter. */
export type CountFonts = (letter: string) => Promise<number>;

/** Asks fontconfig, which the browser asks too. */
const countInstalled: CountFonts = async (letter) => {
  const query = `:charset=${letter.codePointAt(0)?.toString(16)}`;
  const { stdout } = await promisify(execFile)('fc-list', [query, 'family'], { timeout: askTimeoutMs });
  return stdout.split('\n').filter((line) => line !== '').length;
};

/** Names the scripts that come out as boxes. It is not a warning: a person who writes none of them misses nothing. */
export async function judgeFonts(count: CountFonts = countInstalled): Promise<Diagnosis> {
  const name = 'letters';
  try {
    const counts = await Promise.all(scripts.map(([, letter]) => count(letter)));
    const missing = scripts.filter((_, at) => counts[at] === 0);
    if (missing.length === 0) return { name, result: 'ok', message: 'there are fonts for all common scripts' };
    const packages = new Set(missing.map(([, , packageName]) => packageName));
    const scriptNames = missing.map(([script]) => script).join(', ');
    return {
      name,
      result: 'ok',
      message: `none for ${scriptNames}; if needed: apt install ${[...packages].join(' ')}`,
    };
  } catch {
    return { name, result: 'ok', message: 'which there are is unknown without fc-list (apt install fontconfig)' };
  }
}
