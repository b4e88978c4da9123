/** Lists that show as much as there is room for: in one column, or in as many as show the most. */
import {
  gapIn,
  heightOf,
  heightOfRow,
  moreOf,
  numberHere,
  partsByRow,
  partsIn,
  roomFor,
  valueHere,
} from './ask-screen.ts';

const lists = [
  '[data-overflow="true"]',
  '[data-overflow-cols]',
  '[data-overflow-max-cols]',
  '[data-list-limit="true"]',
  '.columns[data-list-max-columns]',
].join();
/** Rounded heights of many parts may add up to a little more than their room. */
const tolerancePx = 2;

/** A way to set a list: the places where columns begin, and the number of parts that have room. */
interface Setting {
  readonly columns: readonly (readonly HTMLElement[])[];
  readonly shown: number;
}

/** Fits the lists of a screen. */
export function fitColumns(screen: HTMLElement): void {
  for (const list of screen.querySelectorAll<HTMLElement>(lists)) {
    if (list.classList.contains('columns')) fitList(list);
    else cutList(list);
  }
}

const countsLeftOut = (list: HTMLElement): boolean =>
  list.dataset.overflowCounter === 'true' || list.dataset.listHiddenCount === 'true';

const heightAsked = (list: HTMLElement): number | undefined =>
  numberHere(list, 'data-overflow-max-height') ?? numberHere(list, 'data-list-max-height');

/** Sets the parts of a list in columns, each filled before the next one. */
function fitList(list: HTMLElement): void {
  const before = Array.from(list.querySelectorAll<HTMLElement>(':scope > .column'));
  const [first] = before;
  if (first === undefined) return;
  const parts = before.flatMap(partsIn);
  for (const part of parts) part.remove();
  const room = heightAsked(list) ?? roomFor(list);
  const fixed = numberHere(list, 'data-overflow-cols');
  const most = fixed ?? numberHere(list, 'data-overflow-max-cols') ?? numberHere(list, 'data-list-max-columns');
  const counts = Array.from({ length: Math.min(most ?? before.length, 12) }, (_, at) => at + 1);
  const settings = (fixed === undefined ? counts : counts.slice(-1)).map((count) => {
    const columns = makeColumns(list, first, count);
    return setParts(parts, columns, room);
  });
  // The first of those that show the most has the widest columns.
  const best = [...settings].sort((one, other) => other.shown - one.shown)[0];
  if (best === undefined) return;
  const columns = makeColumns(list, first, best.columns.length);
  for (const [at, column] of best.columns.entries()) columns[at]?.replaceChildren(...column);
  const last = columns.at(-1);
  if (last !== undefined && countsLeftOut(list) && best.shown < parts.length)
    addCounter(last, parts.length - best.shown, room);
}

function makeColumns(list: HTMLElement, first: HTMLElement, count: number): HTMLElement[] {
  const columns = Array.from({ length: count }, () => first.cloneNode(false) as HTMLElement);
  for (const column of columns) Object.assign(column.style, { justifyContent: 'flex-start', maxHeight: 'none' });
  for (const column of list.querySelectorAll(':scope > .column')) column.remove();
  list.append(...columns);
  return columns;
}

/** Measures the parts in columns of this width, and fills one after the other. */
function setParts(parts: readonly HTMLElement[], columns: readonly HTMLElement[], room: number): Setting {
  const [first] = columns;
  first?.replaceChildren(...parts);
  const heights = parts.map(heightOf);
  const gap = first === undefined ? 0 : gapIn(first);
  const filled: HTMLElement[][] = [[]];
  let taken = 0;
  for (const [at, part] of parts.entries()) {
    const height = heights[at] ?? 0;
    // A heading stands with what it is for.
    const needed = isHeading(part) ? height + gap + (heights[at + 1] ?? 0) : height;
    if (taken > 0 && taken + gap + needed > room + tolerancePx) {
      if (filled.length === columns.length) break;
      filled.push([]);
      taken = 0;
    }
    taken += (taken > 0 ? gap : 0) + height;
    filled.at(-1)?.push(part);
  }
  const shown = filled.reduce((sum, column) => sum + column.length, 0);
  return { columns: columns.map((_, at) => filled[at] ?? []), shown };
}

const isHeading = (part: HTMLElement): boolean =>
  part.classList.contains('group-header') || part.dataset.groupHeader === 'true';

const heightOfRows = (heights: readonly number[], gap: number): number =>
  heights.reduce((sum, height) => sum + height + gap, -gap);

/** Hides the rows at the end of a list or a grid that have no room. */
function cutList(list: HTMLElement): void {
  const rows = partsByRow(partsIn(list));
  const room = heightAsked(list) ?? roomFor(list);
  const gap = gapIn(list);
  const heights = rows.map(heightOfRow);
  while (heights.length > 1 && heightOfRows(heights, gap) > room + tolerancePx) heights.pop();
  const hidden = rows.slice(heights.length).flat();
  for (const part of hidden) part.style.setProperty('display', 'none');
  if (countsLeftOut(list) && hidden.length > 0) addCounter(list, hidden.length, room);
}

/** Adds how many parts are left out; the last ones make room for it. */
function addCounter(column: HTMLElement, leftOut: number, room: number): void {
  const counter = document.createElement('div');
  counter.className = 'item';
  counter.dataset.overflowLabel = 'true';
  const [meta, content, words] = ['div', 'div', 'span'].map((name) => document.createElement(name));
  if (meta === undefined || content === undefined || words === undefined) return;
  meta.className = 'meta';
  content.className = 'content';
  words.className = `label ${valueHere(column, 'data-label-class') ?? 'label--small'} label--gray`;
  content.append(words);
  counter.append(meta, content);
  column.append(counter);
  let count = leftOut;
  words.textContent = moreOf(count);
  const isFull = (): boolean =>
    heightOfRows(partsByRow(partsIn(column)).map(heightOfRow), gapIn(column)) > room + tolerancePx;
  while (isFull()) {
    const last = partsIn(column).at(-2);
    if (last === undefined) break;
    last.style.display = 'none';
    words.textContent = moreOf(++count);
  }
}
