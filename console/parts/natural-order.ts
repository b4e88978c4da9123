/** The order of names as people write them: "Room 7" stands before "Room 10", as the language sorts. */
import { computed } from '@preact/signals';
import { language } from '../ground/words.ts';

const collator = computed(() => new Intl.Collator(language.value, { numeric: true, sensitivity: 'base' }));

/** Compares two names. */
export const byNature = (one: string, other: string): number => collator.value.compare(one, other);

let ranked: { readonly by: Intl.Collator; readonly ranks: ReadonlyMap<string, number> } | undefined;

/**
 * Returns the comparison of many names, each of which is among those that are given: comparing ten thousand by their
 * numbers takes long, and a list is put in order whenever one of its rows changes, which seldom changes a name.
 */
export function byNatureAmong(names: Iterable<string>): (one: string, other: string) => number {
  const wanted = [...new Set(names)];
  const by = collator.value;
  if (ranked?.by !== by || wanted.some((name) => !ranked?.ranks.has(name))) {
    ranked = { by, ranks: new Map(wanted.sort(by.compare).map((name, rank) => [name, rank])) };
  }
  const { ranks } = ranked;
  return (one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0);
}
