/** A list that a person puts in order: by dragging with mouse or finger, or by the buttons of each row. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { t } from '../../ground/words.ts';
import { type RowDrag, useRowDrag } from './use-row-drag.ts';

interface OrderedListProps<Item> {
  readonly items: readonly Item[];
  readonly label: string;
  readonly keyOf: (item: Item, place: number) => string;
  /** Returns the name of a row, for its buttons. */
  readonly nameOf: (item: Item) => string;
  readonly draw: (item: Item, place: number) => ComponentChildren;
  readonly change: (items: readonly Item[]) => void;
  /** Takes an item out; by `change` unless given. */
  readonly remove?: (item: Item) => void;
}

/** Returns the list with one item moved to another place. */
export function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return items;
  const others = items.filter((_, place) => place !== from);
  return [...others.slice(0, to), item, ...others.slice(to)];
}

/** Draws the list. Where a row went is read aloud. */
export function OrderedList<Item>({ items, label, keyOf, nameOf, draw, change, remove }: OrderedListProps<Item>) {
  const told = useSignal('');
  const list = useRef<HTMLOListElement>(null);
  const move = (from: number, to: number): void => {
    const item = items[from];
    if (item === undefined || from === to || to < 0 || to >= items.length) return;
    change(moved(items, from, to));
    told.value = t('order.moved', { name: nameOf(item), place: to + 1, count: items.length });
  };
  const names = items.map(nameOf);
  /** Several of one name are told apart by their place. */
  const nameAt = (place: number): string => {
    const name = names[place] ?? '';
    return names.indexOf(name) === names.lastIndexOf(name) ? name : t('order.numbered', { name, place: place + 1 });
  };
  const drag = useRowDrag(list, ({ from, to }) => move(from, to)).value;
  /** Moves by a button, which then is at another place: the focus goes along. */
  const step = (from: number, by: 1 | -1): void => {
    move(from, from + by);
    requestAnimationFrame(() => {
      const row = list.current?.children[from + by];
      const again = row?.querySelector<HTMLButtonElement>(by < 0 ? '.up:enabled' : '.down:enabled');
      (again ?? row?.querySelector<HTMLButtonElement>('.order button:enabled'))?.focus();
    });
  };
  return (
    <>
      <ol class="ordered" ref={list} aria-label={label}>
        {items.map((item, place) => (
          <li key={keyOf(item, place)} class={dragClass(drag, place)}>
            <span class="grip" aria-hidden="true">
              ⠿
            </span>
            <div class="what">{draw(item, place)}</div>
            <Buttons
              name={nameAt(place)}
              isFirst={place === 0}
              isLast={place === items.length - 1}
              step={(by) => step(place, by)}
              remove={() => {
                if (remove !== undefined) return remove(item);
                change(items.filter((_, other) => other !== place));
                told.value = t('order.removed', { name: nameOf(item) });
              }}
            />
          </li>
        ))}
      </ol>
      <span class="visually-hidden" role="status">
        {told.value}
      </span>
    </>
  );
}

/** The row that is dragged, and the one before or after which it would go. */
function dragClass(drag: RowDrag | undefined, place: number): string | undefined {
  if (drag === undefined) return undefined;
  if (place === drag.from) return 'dragged';
  if (place !== drag.to) return undefined;
  return drag.to < drag.from ? 'goes-before' : 'goes-after';
}

interface ButtonsProps {
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly step: (by: 1 | -1) => void;
  readonly remove: () => void;
}

const Buttons = ({ name, isFirst, isLast, step, remove }: ButtonsProps) => (
  <div class="order">
    <button type="button" class="up" disabled={isFirst} aria-label={t('order.up', { name })} onClick={() => step(-1)}>
      ↑
    </button>
    <button type="button" class="down" disabled={isLast} aria-label={t('order.down', { name })} onClick={() => step(1)}>
      ↓
    </button>
    <button type="button" aria-label={t('order.remove', { name })} onClick={remove}>
      ×
    </button>
  </div>
);
