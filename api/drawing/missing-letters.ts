/** Tells the operator, in the log, of letters that no font of this machine has: they are boxes on the glass. */
import type { Logger } from '../../runtime/logger.ts';

/** Debian's packages, by the letters they have. The last one has all the rest. */
const packages: readonly (readonly [letters: RegExp, name: string])[] = [
  [
    /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff00-\uffef]/u,
    'fonts-noto-cjk',
  ],
  [/\p{Extended_Pictographic}|\p{Regional_Indicator}/u, 'fonts-symbola'],
  [/./u, 'fonts-noto-core'],
];

const maxTold = 10_000;

/** Tells the log of letters that a paper misses, once for each paper and package. */
export function missingLetters(logger: Pick<Logger, 'warn'>): (paperId: string, letters: string) => void {
  const told = new Set<string>();
  return (paperId, letters) => {
    const names = Array.from(letters, (letter) => packages.find(([some]) => some.test(letter))?.[1]);
    const install = `apt install ${[...new Set(names)].sort().join(' ')}`;
    if (told.has(`${paperId} ${install}`)) return;
    if (told.size >= maxTold) told.clear();
    told.add(`${paperId} ${install}`);
    // The text belongs to the people who wrote it: the log gets a count of the letters, and none of them.
    logger.warn({ paperId, letters: names.length, install }, 'a paper has letters that no font of this machine has');
  };
}
