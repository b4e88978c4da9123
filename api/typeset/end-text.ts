/** Ends a text that is too long for its room with a whole line. */
import type { PageElement } from '../pages/element.ts';
import type { ElementPlace, PagePlaces } from './measure-page.ts';
import type { Changes } from './nodes.ts';

const tolerancePx = 0.5;

/** The room of a text, in pixels from the top of the page, and whether anything had none. */
interface Room {
  readonly bottom: number;
  readonly changes: Changes;
  readonly places: PagePlaces;
  isFull: boolean;
  /** The text that was taken last. */
  last?: { readonly element: PageElement; readonly lines: number };
}

/** Leaves out the lines that have no room, and ends the last one with an ellipsis. */
export function endText(
  { box, content }: { readonly box: PageElement; readonly content: PageElement },
  changes: Changes,
  places: PagePlaces,
): void {
  const { top = 0, height = 0 } = places.get(box) ?? {};
  const room: Room = { bottom: top + height + tolerancePx, changes, places, isFull: false };
  cut(content, room);
  if (room.last === undefined) return;
  const { element, lines } = room.last;
  const [text = ''] = changes.childrenOf(element);
  if (typeof text === 'string') {
    const style = { display: '-webkit-box', WebkitBoxOrient: 'vertical', WebkitLineClamp: lines, overflow: 'hidden' };
    changes.change(element, { style, children: [`${text} …`] });
  }
}

/** Takes an element as far as there is room; nothing after what is full. */
function cut(element: PageElement, room: Room): boolean {
  if (room.isFull) return false;
  const children = room.changes.childrenOf(element);
  if (children.every((child) => typeof child === 'string')) return cutLines(element, room);
  const kept = children.filter((child) => typeof child === 'string' || cut(child, room));
  if (kept.length < children.length) room.changes.change(element, { children: kept });
  return kept.length > 0;
}

function cutLines(element: PageElement, room: Room): boolean {
  const place = room.places.get(element);
  const count = place?.lines.length ?? 0;
  const fitting = place === undefined ? 0 : fittingLines(place, room.bottom);
  if (count === 0) return true;
  if (fitting < count) room.isFull = true;
  // The first line stands there even where it has no room.
  const lines = Math.max(fitting, room.last === undefined ? 1 : 0);
  if (lines === 0) return false;
  room.last = { element, lines };
  return true;
}

function fittingLines({ top, height, lines }: ElementPlace, bottom: number): number {
  return Math.max(0, Math.min(lines.length, Math.floor((bottom - top) / (height / lines.length))));
}
