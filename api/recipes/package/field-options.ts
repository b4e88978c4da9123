/** The choices of a field, as settings write them. */
import { writtenText } from './written.ts';

/** One choice of a field. */
export interface FieldOption {
  readonly label: string;
  readonly value: string;
  /** Its label in other languages, by their tags. */
  readonly labels: Readonly<Record<string, string>>;
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
 * @param translated the same choices in other languages, by their tags: known by their values, or by their places where
 * they are bare texts
 */
export function fieldOptions(
  given: unknown,
  initial: readonly string[],
  translated: ReadonlyMap<string, unknown> = new Map(),
): readonly FieldOption[] {
  const others = [...translated].map(([tag, list]) => [tag, plainOptions(list, [])] as const);
  return plainOptions(given, initial).map((option, at, all) => ({
    ...option,
    labels: Object.fromEntries(
      others.flatMap(([tag, list]): readonly [string, string][] => {
        const known = list.find(({ value }) => value === option.value);
        const label = (known ?? (list.length === all.length ? list[at] : undefined))?.label;
        return label === undefined ? [] : [[tag, label]];
      }),
    ),
  }));
}

/** Reads choices in the language that they are written in. */
function plainOptions(given: unknown, initial: readonly string[]): readonly Omit<FieldOption, 'labels'>[] {
  const listed = Array.isArray(given) ? given : [];
  const bare = listed.filter((each) => typeof each !== 'object').map(writtenText);
  const isStored = initial.some((each) => !bare.includes(each) && bare.map(stored).includes(each));
  return listed.flatMap((each): readonly Omit<FieldOption, 'labels'>[] => {
    if (typeof each === 'object' && each !== null) {
      return Object.entries(each).map(([label, value]) => ({ label, value: writtenText(value) }));
    }
    const label = writtenText(each);
    return [{ label, value: isStored ? stored(label) : label }];
  });
}
