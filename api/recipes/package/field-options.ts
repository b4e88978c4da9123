/** The choices of a field, as settings write them. */
import { writtenText } from './written.ts';

/** One choice of a field. */
export interface FieldOption {
  readonly label: string;
  readonly value: string;
}

/** Returns what TRMNL stores of a choice that is written as a bare text. */
const stored = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '');

/**
 * Reads the choices. Of bare texts the spelling counts in which the default is written: TRMNL itself stores them in
 * small letters with underscores, and recipes are written for either.
 */
export function fieldOptions(given: unknown, initial: readonly string[]): readonly FieldOption[] {
  const listed = Array.isArray(given) ? given : [];
  const bare = listed.filter((each) => typeof each !== 'object').map(writtenText);
  const isStored = initial.some((each) => !bare.includes(each) && bare.map(stored).includes(each));
  return listed.flatMap((each): readonly FieldOption[] => {
    if (typeof each === 'object' && each !== null) {
      return Object.entries(each).map(([label, value]) => ({ label, value: writtenText(value) }));
    }
    const label = writtenText(each);
    return [{ label, value: isStored ? stored(label) : label }];
  });
}
