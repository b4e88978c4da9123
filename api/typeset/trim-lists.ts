/** Takes the last parts of a list away until the rest fits, and writes how many. */
import { countMark, type PageChild, type PageElement } from '../pages/element.ts';
import type { Fitting } from './fit-texts.ts';
import { everyElement, type PagePlaces } from './measure-page.ts';

const tolerancePx = 0.5;

/** Leaves out what no list of a page can have room for, before anything is laid: no part is lower than a rem. */
export function boundLists({ root, changes, height, rootSize }: Fitting): void {
  for (const list of [...everyElement(root, changes)]) {
    const bounded = elementsIn(list.children).slice(0, Math.ceil(height / rootSize));
    if (list.fit?.kind === 'list') changes.change(list, { children: bounded });
  }
}

/** Trims every list of a page (`fit.kind` is `list`). */
export async function trimLists({ root, changes, measure }: Fitting): Promise<void> {
  for (const list of [...everyElement(root, changes)]) {
    if (list.fit?.kind !== 'list') continue;
    const [all, bounded] = [elementsIn(list.children), elementsIn(changes.childrenOf(list))];
    if (fitting(list, bounded, await measure(changes)) === all.length) continue;
    // The number takes room of its own.
    changes.change(list, { next: writtenCount(list.fit.more, 0) });
    const left = withoutHeads(bounded.slice(0, fitting(list, bounded, await measure(changes))));
    const taken = all.slice(left.length).filter(({ part }) => part === 'item').length;
    changes.change(list, { children: left, next: writtenCount(list.fit.more, taken) });
  }
}

const elementsIn = (children: readonly PageChild[]): readonly PageElement[] =>
  children.filter((child) => typeof child !== 'string');

/** Returns how many parts of a list lie within it. */
function fitting(list: PageElement, parts: readonly PageElement[], places: PagePlaces): number {
  const place = places.get(list);
  if (place === undefined) return parts.length;
  const bottom = place.top + place.height + tolerancePx;
  const first = parts.findIndex((part) => bottomOf(part, places) > bottom);
  return first < 0 ? parts.length : first;
}

function bottomOf(part: PageElement, places: PagePlaces): number {
  const boxes = part.tag === undefined ? part.children.filter((child) => typeof child !== 'string') : [part];
  return Math.max(
    ...boxes.map((box) => {
      const { top = 0, height = 0 } = places.get(box) ?? {};
      return top + height;
    }),
  );
}

/** A head without any of its items is left out. */
function withoutHeads(parts: readonly PageElement[]): readonly PageElement[] {
  const last = parts.findLastIndex(({ part }) => part !== 'head');
  return parts.slice(0, last + 1);
}

function writtenCount(more: PageElement, count: number): PageElement {
  const children = more.children.map((child) =>
    typeof child === 'string' ? child.replace(countMark, String(count)) : writtenCount(child, count),
  );
  return { ...more, children };
}
