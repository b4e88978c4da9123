/** The remark about characters that no font of this machine has. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';

/** The most characters that are listed; more would add nothing. */
const maxTold = 10;
const more = '…';

/** The first characters, with a sign where there are more. */
export function firstLetters(letters: string): string {
  const all = Array.from(letters);
  return all.length <= maxTold ? letters : `${all.slice(0, maxTold).join('')}${more}`;
}

/** Shows them to people, each once: next to a preview, at the paper, and why a frame shows boxes. */
export const remarkOfLetters = (letters: string): Reason =>
  reasonOf('letters-missing', { letters: Array.from(firstLetters(letters)).join(' ') });
