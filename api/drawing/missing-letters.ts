/** Logs, for the operator, the characters that no font of this machine has: they are boxes on the glass. */
import { BoundedMap } from '../../runtime/bounded-map.ts';
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

/** A drawn paper, or an image of a device's own. */
type Drawn = { readonly paperId: string } | { readonly deviceId: string };

/** Takes note of characters that no font here has. */
export type MissLetters = (drawn: Drawn, letters: string) => void;

/** Logs the characters that are missed, once for each paper or device and package. */
export function missingLetters(logger: Pick<Logger, 'warn'>): MissLetters {
  const told = new BoundedMap<string, true>(10_000);
  return (drawn, letters) => {
    const names = Array.from(letters, (letter) => packages.find(([some]) => some.test(letter))?.[1]);
    const install = `apt install ${[...new Set(names)].sort().join(' ')}`;
    const once = `${JSON.stringify(drawn)} ${install}`;
    if (told.has(once)) return;
    told.set(once, true);
    // The text belongs to the people who wrote it: the log gets a count of the letters, and none of them.
    const what = 'paperId' in drawn ? 'a paper' : 'a website of a device';
    logger.warn(
      { ...drawn, letters: names.length, install },
      `${what} has characters that no font of this machine has`,
    );
  };
}
