/** Makes lines smaller whose words are longer than they are. */
import type { PageElement } from '../pages/element.ts';
import { type ElementPlace, everyElement, type MeasurePage, maxWordWidth } from './measure-page.ts';
import type { Changes } from './nodes.ts';

/** The least size in pixels, and the least share of its own size, to which a line is reduced. */
const leastPx = 12;
const leastShare = 0.75;
const step = 1 / 20;
/** Half a pixel is within a line: places are rounded. */
const tolerancePx = 0.5;

/** Returns whether a word of a text is longer than its line. */
const overflows = (place: ElementPlace): boolean => maxWordWidth(place) > place.width + tolerancePx;

/**
 * Makes the letters of lines (`fit.kind` is `words`) smaller while one of their words is longer than the line.
 * @returns the lines whose words are too long all the same; their size is their own
 */
export async function fitWords(
  root: PageElement,
  {
    changes,
    measure,
    rootSize,
  }: { readonly changes: Changes; readonly measure: MeasurePage; readonly rootSize: number },
): Promise<readonly PageElement[]> {
  const lines = [...everyElement(root, changes)].filter(({ fit }) => fit?.kind === 'words');
  const steps = new Map<PageElement, number>();
  const tooLong = new Set<PageElement>();
  for (let isDone = lines.length === 0; !isDone; ) {
    const places = await measure(changes);
    isDone = true;
    for (const line of lines) {
      const place = places.get(line);
      const size = line.fit?.kind === 'words' ? line.fit.size : 1;
      if (place === undefined || tooLong.has(line) || !overflows(place)) continue;
      isDone = false;
      // A line is as long as its letters are large.
      const before = steps.get(line) ?? 0;
      const share = ((1 - before * step) * place.width) / maxWordWidth(place);
      const wanted = Math.max(before + 1, Math.ceil((1 - share) / step - 0.001));
      const least = Math.max(size * leastShare, leastPx / rootSize);
      steps.set(line, wanted);
      const reduced = size * (1 - wanted * step);
      if (reduced < least - 0.001) tooLong.add(line);
      changes.change(line, { style: { fontSize: `${tooLong.has(line) ? size : reduced}rem` } });
    }
  }
  return [...tooLong];
}
