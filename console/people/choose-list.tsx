/** A list of which several are chosen: what is chosen first, the rest as far as a search narrows it. */
import { SearchedList } from '../parts/forms/searched-list.tsx';
import { byNatureAmong } from '../parts/natural-order.ts';

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
export const ChooseList = ({ label, search, items, chosen, choose }: ChooseListProps) => {
  const isChosen = ({ id }: Choosable): boolean => chosen.has(id);
  const compare = byNatureAmong(items.map(({ name }) => name));
  return (
    <fieldset class="choose-list">
      <legend>{label}</legend>
      <SearchedList
        items={[...items].sort((a, b) => Number(isChosen(b)) - Number(isChosen(a)) || compare(a.name, b.name))}
        search={search}
        textOf={({ name }) => name}
        isChosen={isChosen}
        draw={(shown) =>
          shown.map((item) => (
            <label key={item.id} class="check">
              <input type="checkbox" checked={isChosen(item)} onChange={() => choose(item, !isChosen(item))} />
              <span dir="auto">{item.name}</span>
            </label>
          ))
        }
      />
    </fieldset>
  );
};
