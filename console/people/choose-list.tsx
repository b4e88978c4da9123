/** A list of which several are chosen: what is chosen first, the rest as far as a search narrows it. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { t } from '../ground/words.ts';
import { byNatureAmong } from '../parts/natural-order.ts';

/** More than these get a search. */
const fewItems = 8;
const maxShown = 40;

/** Something that can be chosen. */
export interface Choosable {
  readonly id: string;
  readonly name: string;
}

interface ChooseListProps {
  readonly label: string;
  /** The label of the search. */
  readonly search: string;
  readonly items: readonly Choosable[];
  readonly chosen: ReadonlySet<string>;
  readonly choose: (item: Choosable, isChosen: boolean) => void;
}

/** Draws the list. */
export const ChooseList: ComponentType<ChooseListProps> = ({ label, search, items, chosen, choose }) => {
  const words = useSignal('');
  const wanted = words.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const isChosen = ({ id }: Choosable): boolean => chosen.has(id);
  const compare = byNatureAmong(items.map(({ name }) => name));
  const found = items
    .filter((item) => isChosen(item) || wanted.every((word) => item.name.toLocaleLowerCase().includes(word)))
    .sort((a, b) => Number(isChosen(b)) - Number(isChosen(a)) || compare(a.name, b.name));
  return (
    <fieldset class="choose-list">
      <legend>{label}</legend>
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
      {found.slice(0, maxShown).map((item) => (
        <label key={item.id} class="check">
          <input type="checkbox" checked={isChosen(item)} onChange={() => choose(item, !isChosen(item))} />
          <span dir="auto">{item.name}</span>
        </label>
      ))}
      {found.length > maxShown && <p class="note">{t('people.more', { count: found.length - maxShown })}</p>}
    </fieldset>
  );
};
