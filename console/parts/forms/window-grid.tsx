/** A grid of any length of which only the rows near the window exist: ten thousand cards scroll as ten do. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface WindowGridProps<Item> {
  readonly items: readonly Item[];
  /** The least width of a column and the height of a row, in pixels, the gap between them included. */
  readonly cell: {
    readonly minWidth: number;
    readonly height: number;
    /** The height in a window that is as narrow as a phone's; left out, the same. */
    readonly narrowHeight?: number;
  };
  /** The most columns; left out, as many as there is room for. */
  readonly maxColumns?: number;
  readonly keyOf: (item: Item) => string;
  readonly draw: (item: Item) => ComponentChildren;
  readonly label: string;
  /** The class of an item's row, where the items are the rows of a table, and `draw` gives their cells. */
  readonly rowClass?: (item: Item) => string;
}

/** Rows that are drawn above and below what is seen. */
const spareRows = 3;
/** As narrow as where css lays screens out for phones. */
const narrow = '(max-width: 46rem)';

/** Draws the grid. */
export function WindowGrid<Item>({ items, cell, maxColumns, keyOf, draw, label, rowClass }: WindowGridProps<Item>) {
  const box = useRef<HTMLElement>(null);
  const view = useSignal({ top: 0, bottom: 0, width: 0, height: cell.height });
  useEffect(() => {
    const measure = (): void => {
      const { top = 0, width = 0 } = box.current?.getBoundingClientRect() ?? {};
      const height = matchMedia(narrow).matches ? (cell.narrowHeight ?? cell.height) : cell.height;
      const row = Math.floor(-top / height);
      const next = { top: row, bottom: row + Math.ceil(innerHeight / height), width, height };
      const old = view.peek();
      const isMoved = next.top !== old.top || next.bottom !== old.bottom;
      if (isMoved || next.width !== old.width || next.height !== old.height) view.value = next;
    };
    measure();
    const resized = new ResizeObserver(measure);
    if (box.current !== null) resized.observe(box.current);
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      resized.disconnect();
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [cell.height, cell.narrowHeight]);
  const { height } = view.value;
  const columns = Math.max(1, Math.min(Math.floor(view.value.width / cell.minWidth), maxColumns ?? Infinity));
  const rows = Math.ceil(items.length / columns);
  const first = Math.max(0, Math.min(rows, view.value.top - spareRows));
  const last = Math.min(rows, Math.max(first, view.value.bottom + spareRows));
  const shown = items.slice(first * columns, last * columns).map((item, at) => {
    const place = first * columns + at;
    const style = {
      height: `${height}px`,
      width: `${100 / columns}%`,
      insetInlineStart: `${((place % columns) * 100) / columns}%`,
      transform: `translateY(${Math.floor(place / columns) * height}px)`,
    };
    return rowClass !== undefined ? (
      // The head is the first row.
      <tr key={keyOf(item)} class={rowClass(item)} aria-rowindex={place + 2} style={style}>
        {draw(item)}
      </tr>
    ) : (
      <li key={keyOf(item)} aria-setsize={items.length} aria-posinset={place + 1} style={style}>
        {draw(item)}
      </li>
    );
  });
  const whole = { height: `${rows * height}px` };
  return rowClass !== undefined ? (
    <tbody class="window-grid" ref={box as Ref<HTMLTableSectionElement>} style={whole}>
      {shown}
    </tbody>
  ) : (
    <ul class="window-grid" ref={box as Ref<HTMLUListElement>} aria-label={label} style={whole}>
      {shown}
    </ul>
  );
}
