/** Dragging a row of a list to another place, by mouse, pen or finger. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A drag that is under way: where the row is from, and where it would go. */
export interface RowDrag {
  readonly from: number;
  readonly to: number;
}

/** Within this many pixels of the window's edge the page scrolls along. */
const edge = 60;
const scrollStep = 12;

/** The place whose row a height of the window lies over; the first or last one beyond them. */
function placeAt(list: HTMLElement, y: number): number {
  const rows = [...list.children];
  const at = rows.findIndex((row) => y < row.getBoundingClientRect().bottom);
  return at < 0 ? rows.length - 1 : at;
}

/**
 * Follows the pointer from a handle (`.grip`) of a row until it is let go.
 * @param drop is called with where the row goes; Escape, or a gesture that the browser takes over, drops nothing
 */
export function useRowDrag(
  element: RefObject<HTMLElement | null>,
  drop: (drag: RowDrag) => void,
): ReadonlySignal<RowDrag | undefined> {
  const drag = useSignal<RowDrag | undefined>(undefined);
  const latest = useRef(drop);
  latest.current = drop;
  useEffect(() => {
    const { current: list } = element;
    if (list === null) return undefined;
    const listening = new AbortController();
    const { signal } = listening;
    let held: number | undefined;
    const end = (isDropped: boolean): void => {
      const done = drag.peek();
      held = undefined;
      drag.value = undefined;
      if (isDropped && done !== undefined && done.from !== done.to) latest.current(done);
    };
    const begin = (event: PointerEvent): void => {
      const grip = (event.target as Element).closest('.grip');
      const from = [...list.children].findIndex((row) => row.contains(grip));
      if (grip === null || from < 0 || event.button !== 0 || held !== undefined) return;
      event.preventDefault();
      held = event.pointerId;
      // The list follows the pointer wherever it goes: the rows below it change.
      list.setPointerCapture(held);
      drag.value = { from, to: from };
    };
    const follow = ({ pointerId, clientY }: PointerEvent): void => {
      const { value } = drag;
      if (pointerId !== held || value === undefined) return;
      if (clientY < edge) scrollBy(0, -scrollStep);
      if (clientY > innerHeight - edge) scrollBy(0, scrollStep);
      const to = placeAt(list, clientY);
      if (to !== value.to) drag.value = { ...value, to };
    };
    list.addEventListener('pointerdown', begin, { signal });
    list.addEventListener('pointermove', follow, { signal });
    list.addEventListener('pointerup', ({ pointerId }) => pointerId === held && end(true), { signal });
    list.addEventListener('pointercancel', ({ pointerId }) => pointerId === held && end(false), { signal });
    addEventListener('keydown', ({ key }) => key === 'Escape' && held !== undefined && end(false), { signal });
    return () => listening.abort();
  }, []);
  return drag;
}
