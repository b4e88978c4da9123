/** A choice among many: typing narrows the list, arrows go through it, Enter takes, Escape leaves it as it was. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../../ground/words.ts';
import type { Bound } from '../bound.ts';
import { foundByWords } from '../found-by-words.ts';

/** One thing that may be chosen. */
export interface SearchableChoice {
  readonly value: string;
  readonly word: string;
  /** The note that distinguishes it from others of its name; it is searched as well. */
  readonly note?: string | undefined;
}

/** More are not drawn at once: anyone who looks for one of them types on. */
const maxShown = 50;

const searched = ({ word, note = '' }: SearchableChoice): string => `${word} ${note}`;

/** The choices that have every word that was typed, those whose word begins with it first. */
function found(choices: readonly SearchableChoice[], typed: string): readonly SearchableChoice[] {
  const [first] = typed.trim().toLocaleLowerCase().split(/\s+/);
  const fitting = foundByWords(choices, typed, searched);
  if (first === undefined || first === '') return fitting;
  const begins = (choice: SearchableChoice): boolean => searched(choice).toLocaleLowerCase().startsWith(first);
  return [...fitting.filter(begins), ...fitting.filter((choice) => !begins(choice))];
}

/** Draws the field and, while somebody searches in it, the list below. */
export const SearchChoice = (props: {
  readonly label: string;
  readonly value: Bound<string>;
  readonly choices: readonly SearchableChoice[];
  readonly class?: string;
  readonly hint?: string | undefined;
  readonly disabled?: boolean;
}) => {
  const { label, value, choices, class: name = 'field', hint, disabled } = props;
  const id = useId();
  const search = useSearch(choices, value);
  const { typed, isOpen, active, shown, count, close, open } = search;
  const chosen = choices.find((choice) => choice.value === value.value);
  const field = useRef<HTMLInputElement>(null);
  const describedBy = [hint !== undefined && `${id}-hint`, isOpen && count > maxShown && `${id}-more`];
  return (
    <div class={`search-choice ${name}`}>
      <label for={id}>{label}</label>
      <div
        class="search-box"
        onFocusOut={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget as Node | null)) close();
        }}
      >
        <input
          ref={field}
          id={id}
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          disabled={disabled}
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && shown.length > 0 ? `${id}-${active}` : undefined}
          aria-describedby={describedBy.filter(Boolean).join(' ') || undefined}
          value={isOpen ? typed : (chosen?.word ?? '')}
          placeholder={isOpen ? (chosen?.word ?? t('choose.search')) : t('choose.search')}
          onClick={open}
          // What is typed takes the place of the name that stands there.
          onFocus={(event) => event.currentTarget.select()}
          onInput={(event) => search.type(event.currentTarget.value)}
          onKeyDown={(event) => search.press(event)}
        />
        <FoundList id={id} label={label} search={search} value={value.value} taken={() => field.current?.focus()} />
        {isOpen && (count === 0 || count > maxShown) && (
          <p class="note more" id={`${id}-more`} role="status">
            {count === 0 ? t('choose.none') : t('choose.more', { shown: maxShown, count })}
          </p>
        )}
      </div>
      {hint !== undefined && (
        <p class="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};

const FoundList = ({
  id,
  label,
  search,
  value,
  taken,
}: {
  readonly id: string;
  readonly label: string;
  readonly search: Search;
  readonly value: string;
  readonly taken: () => void;
}) => (
  <div
    id={`${id}-list`}
    class="found"
    role="listbox"
    tabIndex={-1}
    aria-label={label}
    hidden={!search.isOpen || search.shown.length === 0}
  >
    {search.isOpen &&
      search.shown.map((choice, at) => (
        <Found
          key={choice.value}
          id={`${id}-${at}`}
          choice={choice}
          isActive={at === search.active}
          isChosen={choice.value === value}
          take={() => {
            search.take(choice);
            taken();
          }}
        />
      ))}
  </div>
);

type Search = ReturnType<typeof useSearch>;

/** Keeps the typed text, its results and the steps of keys. */
function useSearch(choices: readonly SearchableChoice[], value: Bound<string>) {
  const [typed, isOpen, active] = [useSignal(''), useSignal(false), useSignal(0)];
  const all = useSignal(choices);
  all.value = choices;
  const fitting = useComputed(() => (isOpen.value ? found(all.value, typed.value) : []));
  const shown = fitting.value.slice(0, maxShown);
  const close = (): void => {
    isOpen.value = false;
    typed.value = '';
  };
  const open = (): void => {
    if (isOpen.peek()) return;
    isOpen.value = true;
    active.value = Math.max(
      0,
      choices.slice(0, maxShown).findIndex((choice) => choice.value === value.value),
    );
  };
  const take = (choice: SearchableChoice): void => {
    close();
    if (choice.value !== value.value) value.value = choice.value;
  };
  const go = (to: number): void => {
    if (isOpen.peek()) active.value = Math.max(0, Math.min(shown.length - 1, to));
    else open();
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => go(active.peek() + 1),
    ArrowUp: () => go(active.peek() - 1),
    PageDown: () => go(active.peek() + 10),
    PageUp: () => go(active.peek() - 10),
  };
  const press = (event: KeyboardEvent): void => {
    const choice = shown[active.peek()];
    const isTaken = event.key === 'Enter' && isOpen.peek();
    const isLeft = event.key === 'Escape' && isOpen.peek();
    if (!isTaken && !isLeft && keys[event.key] === undefined) return;
    // Enter would send the form, and Escape would close the dialog around it.
    event.preventDefault();
    event.stopPropagation();
    if (isLeft) close();
    else if (!isTaken) keys[event.key]?.();
    else if (choice !== undefined) take(choice);
  };
  const type = (text: string): void => {
    isOpen.value = true;
    typed.value = text;
    active.value = 0;
  };
  return {
    typed: typed.value,
    isOpen: isOpen.value,
    active: active.value,
    shown,
    count: fitting.value.length,
    open,
    close,
    take,
    press,
    type,
  };
}

const Found = ({
  id,
  choice: { word, note },
  isActive,
  isChosen,
  take,
}: {
  readonly id: string;
  readonly choice: SearchableChoice;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly take: () => void;
}) => {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above hears the keys
    <div
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      class={isActive ? 'active' : undefined}
      // The field keeps the focus while somebody clicks.
      onMouseDown={(event) => event.preventDefault()}
      onClick={take}
    >
      <span>{word}</span>
      {note !== undefined && note !== '' && <span class="note">{note}</span>}
    </div>
  );
};
