/** Finds where words may be parted, by the patterns of their language: Chromium has none where it runs without a screen. */
import { createRequire } from 'node:module';

const softHyphen = '\u00ad';
type Hyphenate = (word: string) => string;
interface Patterns {
  readonly hyphenateSync: Hyphenate;
}

const locate = createRequire(import.meta.url);
const kept = new Map<string, Hyphenate | undefined>();

/** Addresses and numbers are parted anywhere: a hyphen in them would be read as theirs. */
const isAddress = (word: string): boolean => /[\p{N}@/\\:_#%&=]|\p{L}\.\p{L}/u.test(word);

/**
 * Returns each word with soft hyphens where its language parts it.
 * @param words words with the signs around and within them
 * @param language the BCP 47 tag of the text
 * @returns the words that can be parted, without the others
 */
export function hyphenate(words: readonly string[], language: string): Readonly<Record<string, string>> {
  const parted = words.filter((word) => !isAddress(word)).map((word) => [word, partWord(word, language)] as const);
  return Object.fromEntries(parted.filter(([, parts]) => parts.includes(softHyphen)));
}

function partWord(word: string, language: string): string {
  // Anyone who wrote hyphens of their own knows better.
  if (word.includes(softHyphen)) return word;
  const byPatterns = patternsOf(language);
  return word.replace(/[\p{L}\p{M}]{5,}/gu, (letters) => byPatterns?.(letters) ?? partAnywhere(letters));
}

/** Parts a word of a language that has no patterns. Joined scripts have no hyphens, and characters of others need none. */
function partAnywhere(letters: string): string {
  if (!/^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+$/u.test(letters)) return letters;
  return letters.replace(/(?<=\p{L}{3})(?=\p{L}{3})/gu, softHyphen);
}

/** Loads the patterns of a language with the first long word in it: those of German are most of a megabyte. */
function patternsOf(language: string): Hyphenate | undefined {
  const { language: code, region } = new Intl.Locale(language);
  for (const name of [`${code}-${region}`.toLowerCase(), code]) {
    if (!kept.has(name)) kept.set(name, loadPatterns(name));
    const found = kept.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function loadPatterns(name: string): Hyphenate | undefined {
  if (!/^[a-z]{2,3}(?:-[a-z]{2})?$/.test(name)) return undefined;
  try {
    return (locate(`hyphen/${name}/index.js`) as Patterns).hyphenateSync;
  } catch {
    return undefined;
  }
}
