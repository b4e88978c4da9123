/** Dragging, pinching and the wheel over an element. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Size } from './crop.ts';

/** The actions of the gestures, in pixels of the screen from the element's corner. */
export interface PointerActions {
  move(by: Size): void;
  zoom(factor: number, at: Size): void;
}

/** Listens while the component stands. */
export function usePointers(element: RefObject<HTMLElement | null>, actions: PointerActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const listening = new AbortController();
    const { signal } = listening;
    const held = new Map<number, Size>();
    const place = ({ clientX, clientY }: MouseEvent): Size => {
      const { left, top } = current.getBoundingClientRect();
      return [clientX - left, clientY - top];
    };
    current.addEventListener(
      'pointerdown',
      (event) => {
        if (event.button !== 0) return;
        current.setPointerCapture(event.pointerId);
        held.set(event.pointerId, place(event));
      },
      { signal },
    );
    current.addEventListener(
      'pointermove',
      (event) => {
        const before = [...held.values()];
        if (!held.has(event.pointerId) || before.length > 2) return;
        held.set(event.pointerId, place(event));
        follow(before, [...held.values()], latest.current);
      },
      { signal },
    );
    for (const name of ['pointerup', 'pointercancel'] as const) {
      current.addEventListener(name, ({ pointerId }) => held.delete(pointerId), { signal });
    }
    current.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        latest.current.zoom(Math.exp(-event.deltaY / 500), place(event));
      },
      { signal, passive: false },
    );
    return () => listening.abort();
  }, []);
}

/** Follows one finger or two. */
function follow(before: readonly Size[], after: readonly Size[], actions: PointerActions): void {
  const [from, to] = [middle(before), middle(after)];
  actions.move([to[0] - from[0], to[1] - from[1]]);
  const apart = distance(before);
  if (apart > 0) actions.zoom(distance(after) / apart, to);
}

function middle(points: readonly Size[]): Size {
  const sum = (side: 0 | 1): number => points.reduce((total, point) => total + point[side], 0);
  return [sum(0) / points.length, sum(1) / points.length];
}

const distance = ([one, other]: readonly Size[]): number =>
  one === undefined || other === undefined ? 0 : Math.hypot(one[0] - other[0], one[1] - other[1]);
