/**
 * A list of things with a search where they are many: the search narrows them, and what is chosen already stays in
 * sight.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { t } from '../../ground/words.ts';
import { foundByWords } from '../found-by-words.ts';

/** More than these get a search. */
const fewItems = 8;
const maxShown = 40;

interface SearchedListProps<Item> {
  /** In the order in which they are drawn. */
  readonly items: readonly Item[];
  /** The label of the search. */
  readonly search: string;
  readonly textOf: (item: Item) => string;
  /** Whether an item is chosen: chosen ones are drawn whatever is searched. */
  readonly isChosen: (item: Item) => boolean;
  readonly draw: (shown: readonly Item[]) => ComponentChildren;
}

/** Draws the search, what it finds, and how much more there is. */
export function SearchedList<Item>({ items, search, textOf, isChosen, draw }: SearchedListProps<Item>) {
  const words = useSignal('');
  const found = new Set(foundByWords(items, words.value, textOf));
  const shown = items.filter((item) => found.has(item) || isChosen(item));
  return (
    <>
      {items.length > fewItems && (
        <input
          type="search"
          aria-label={search}
          placeholder={search}
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value;
          }}
        />
      )}
      {draw(shown.slice(0, maxShown))}
      {shown.length > maxShown && <p class="note">{t('search.more', { count: shown.length - maxShown })}</p>}
    </>
  );
}
