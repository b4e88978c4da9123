/** Parts words that are longer than their line, and draws a hyphen where a line ends at a soft one. */
import type { PageElement } from '../pages/element.ts';
import { hyphenate } from '../pages/hyphenate.ts';
import { everyElement, type MeasurePage, type TextLine } from './measure-page.ts';
import type { Changes } from './nodes.ts';

const softHyphen = '\u00ad';
/** A text that has more hyphens than this is drawn without the rest of them. */
const maxHyphens = 100;

/** Returns the words of an element's text, in which nothing else lies; undefined where it has none. */
function textOf(element: PageElement, changes: Changes): string | undefined {
  const [text, ...others] = changes.childrenOf(element);
  return typeof text === 'string' && others.length === 0 ? text : undefined;
}

/** Puts soft hyphens into the long words within elements, by the page's language; other words stay whole. */
export function partWords(
  within: readonly PageElement[],
  {
    changes,
    language,
    isLong,
  }: { readonly changes: Changes; readonly language: string; readonly isLong: (word: string) => boolean },
): void {
  for (const element of within.flatMap((one) => [...everyElement(one, changes)])) {
    const text = textOf(element, changes);
    if (text === undefined) continue;
    const words = text.split(/\s+/u).filter(isLong);
    const parted = hyphenate([...new Set(words)], language);
    const written = text.replace(/\S+/gu, (word) => (Object.hasOwn(parted, word) ? (parted[word] as string) : word));
    if (written !== text) changes.change(element, { children: [written] });
  }
}

/**
 * Draws hyphens where lines end within a parted word. A hyphen takes room: where it has none, the word is parted before.
 */
export async function drawHyphens(root: PageElement, changes: Changes, measure: MeasurePage): Promise<void> {
  const parted = new Map<PageElement, Set<number>>();
  for (const element of everyElement(root, changes)) {
    if (textOf(element, changes)?.includes(softHyphen)) parted.set(element, new Set());
  }
  const texts = new Map([...parted.keys()].map((element) => [element, textOf(element, changes) ?? '']));
  for (let count = 0; parted.size > 0 && count < maxHyphens; count++) {
    const places = await measure(changes);
    let isDone = true;
    for (const [element, text] of texts) {
      const written = withHyphen(text, places.get(element)?.lines ?? []);
      if (written === undefined) continue;
      isDone = false;
      texts.set(element, written);
      changes.change(element, { children: [written] });
    }
    if (isDone) return;
  }
}

/** A hyphen that was put in, and may turn out to have no room. It is drawn like any other hyphen. */
const hyphen = '\u2010';

/** Returns the text with the first hyphen that it lacks, or without the first that is not at the end of a line. */
function withHyphen(text: string, lines: readonly TextLine[]): string | undefined {
  const ends = lineEnds(text, lines);
  for (let at = 0; at < text.length; at++) {
    if (text[at] === hyphen && !ends.has(at + 1) && lines.length > 0) return text.slice(0, at) + text.slice(at + 1);
    if (text[at] === softHyphen && ends.has(at)) return `${text.slice(0, at)}${hyphen}${text.slice(at + 1)}`;
  }
  return undefined;
}

/** Returns the places in a text at which its lines end, before the soft hyphens and spaces there. */
function lineEnds(text: string, lines: readonly TextLine[]): ReadonlySet<number> {
  const ends = new Set<number>();
  let at = 0;
  for (const { parts } of lines.slice(0, -1)) {
    let left = parts.join('').replace(/[\s\u00ad]/g, '').length;
    for (; left > 0 && at < text.length; at++) if (!/[\s\u00ad]/.test(text[at] as string)) left--;
    ends.add(at);
  }
  return ends;
}
