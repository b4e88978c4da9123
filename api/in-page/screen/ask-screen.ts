/** The wishes of an element for this screen, and the room that it has there. */

const sizes = ['sm', 'md', 'lg'] as const;

/**
 * Returns the value of an attribute that has others for sizes and orientations next to it, such as `data-clamp-lg` and
 * `data-clamp-lg-portrait`: the one that says most about this screen.
 */
export function valueHere(element: Element, name: string): string | undefined {
  const classes = element.closest('.screen')?.classList;
  const isPortrait = classes?.contains('screen--portrait') === true;
  const own = sizes.findIndex((size) => classes?.contains(`screen--${size}`));
  const bySize = sizes.slice(0, own + 1).toReversed();
  const names = [
    ...(isPortrait ? bySize.map((size) => `${name}-${size}-portrait`) : []),
    ...bySize.map((size) => `${name}-${size}`),
    ...(isPortrait ? [`${name}-portrait`] : []),
    name,
  ];
  for (const each of names) {
    const value = element.getAttribute(each);
    if (value !== null && value !== '') return value;
  }
  return undefined;
}

/** Returns the positive number of an attribute here, or undefined. */
export function numberHere(element: Element, name: string): number | undefined {
  const value = Number(valueHere(element, name));
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

const px = (length: string): number => Number.parseFloat(length) || 0;

/** Returns what stands in the flow of an element: what may be seen and takes room. */
export function partsIn(element: Element): HTMLElement[] {
  return Array.from(element.children).filter((child): child is HTMLElement => {
    if (!(child instanceof HTMLElement) || child.matches('script, style, template, link')) return false;
    const { display, position } = getComputedStyle(child);
    return display !== 'none' && position !== 'absolute' && position !== 'fixed';
  });
}

/** Returns the height that an element takes, with its margins. */
export function heightOf(element: HTMLElement): number {
  const { height, marginTop, marginBottom } = getComputedStyle(element);
  // The other one is rounded: over a long list the parts of pixels add up.
  return Math.max(element.offsetHeight, px(height)) + px(marginTop) + px(marginBottom);
}

/** Returns parts by rows: a part next to the one before it is in one row with it. */
export function partsByRow(parts: readonly HTMLElement[]): readonly (readonly HTMLElement[])[] {
  const rows: HTMLElement[][] = [];
  for (const [at, part] of parts.entries()) {
    const before = parts[at - 1];
    if (before !== undefined && areNextTo(before, part)) rows.at(-1)?.push(part);
    else rows.push([part]);
  }
  return rows;
}

/** Positions are rounded to whole pixels. */
const areNextTo = (one: HTMLElement, other: HTMLElement): boolean =>
  other.offsetLeft >= one.offsetLeft + one.offsetWidth - 1 ||
  other.offsetLeft + other.offsetWidth <= one.offsetLeft + 1;

/** Returns the height that a row takes. */
export const heightOfRow = (row: readonly HTMLElement[]): number => Math.max(...row.map(heightOf));

/** Returns the space between what stands in an element. */
export const gapIn = (element: Element): number => px(getComputedStyle(element).rowGap);

/** Returns the height that an element's content may have: what its layout leaves, less what stands above and below. */
export function roomFor(element: HTMLElement): number {
  const style = getComputedStyle(element);
  const frame = px(style.paddingTop) + px(style.paddingBottom) + px(style.borderTopWidth) + px(style.borderBottomWidth);
  const parent = element.parentElement;
  if (element.matches('.layout, .view, .screen') || parent === null) return element.offsetHeight - frame;
  const { display, flexDirection } = getComputedStyle(parent);
  const isBesideOthers = /grid/.test(display) || (/flex/.test(display) && flexDirection.startsWith('row'));
  const others = isBesideOthers ? [] : partsIn(parent).filter((part) => part !== element);
  const taken = others.reduce((sum, part) => sum + heightOf(part) + gapIn(parent), 0);
  const limit = style.maxHeight.endsWith('px') ? px(style.maxHeight) : Number.POSITIVE_INFINITY;
  return Math.min(roomFor(parent) - taken - px(style.marginTop) - px(style.marginBottom), limit) - frame;
}

/** Returns the words for what is left out. */
export const moreOf = (count: number): string =>
  (document.documentElement.lang || 'en').startsWith('en') ? `and ${count} more` : `+${count}`;
