/** Letters that no font of this machine has: boxes on the glass, and a line of the log for the operator. */
import type { Logger } from '../../gateway/runtime/logger.ts';

/** Debian's packages, by the letters they have. The last one has all the rest. */
const packages: readonly (readonly [letters: RegExp, name: string])[] = [
  [
    /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff00-\uffef]/u,
    'fonts-noto-cjk',
  ],
  [/\p{Extended_Pictographic}|\p{Regional_Indicator}/u, 'fonts-symbola'],
  [/./u, 'fonts-noto-core'],
];

const mostTold = 10_000;

/** Tells the log of letters that a paper misses, once for each paper and package. */
export function missingLetters(logger: Pick<Logger, 'warn'>): (paperId: string, letters: string) => void {
  const told = new Set<string>();
  return (paperId, letters) => {
    const names = Array.from(letters, (letter) => packages.find(([some]) => some.test(letter))?.[1]);
    const install = `apt install ${[...new Set(names)].sort().join(' ')}`;
    if (told.has(`${paperId} ${install}`)) return;
    if (told.size >= mostTold) told.clear();
    told.add(`${paperId} ${install}`);
    // What was written is its people's: the log gets a count.
    logger.warn({ paperId, letters: names.length, install }, 'a paper has letters that no font of this machine has');
  };
}
