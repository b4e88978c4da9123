/** Where the elements of a page come to lie, and the lines of their texts. */
import type { MeasuredNode, Node, Renderer } from '@takumi-rs/core';
import type { PageDocument } from '../pages/document.ts';
import type { PageElement } from '../pages/element.ts';
import { type Changes, nodesOf } from './nodes.ts';

/** One line of a text, without the space at its end. `parts` are its pieces as they were laid, from the left. */
export interface TextLine {
  readonly top: number;
  readonly width: number;
  readonly parts: readonly string[];
}

/** The place of an element on the page, in pixels. A text has lines, from top to bottom. */
export interface ElementPlace {
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly TextLine[];
}

/** The places of the elements that have a box of their own. */
export type PagePlaces = ReadonlyMap<PageElement, ElementPlace>;

/** Lays a page without drawing it. */
export type MeasurePage = (changes: Changes) => Promise<PagePlaces>;

/** How a page is laid: its renderer, and the families that stand in for letters which its own fonts lack. */
export interface PageRenderer {
  readonly renderer: Renderer;
  readonly families: readonly string[];
}

/** Returns the options of the renderer that a page is laid and drawn with. */
export function layoutOf({ width, height, css, language }: PageDocument, { families }: PageRenderer) {
  return { width, height, css: [css], lang: language, fontFamilies: ['Inter', 'Literata', ...families] };
}

/** Higher than any text. */
const endlessPx = 1_000_000;

/** Returns what measures a page; what was not changed since is not laid again. */
export function measurePage(document: PageDocument, how: PageRenderer): MeasurePage {
  let last: { readonly changes: Changes; readonly count: number; readonly places: PagePlaces } | undefined;
  const lay = layPage(document, how);
  return async (changes) => {
    const { count } = changes;
    if (last?.changes !== changes || last.count !== count) last = { changes, count, places: await lay(changes) };
    return last.places;
  };
}

function layPage(document: PageDocument, how: PageRenderer): MeasurePage {
  // The renderer leaves out lines below the picture that it draws.
  const options = { ...layoutOf(document, how), height: endlessPx };
  return async (changes) => {
    const { root, elements } = nodesOf(document.root, changes);
    const places = new Map<PageElement, ElementPlace>();
    const visit = (node: Node, measured: MeasuredNode): void => {
      const element = elements.get(node);
      if (element !== undefined) places.set(element, placeOf(measured, node.type === 'text'));
      if (node.type !== 'container') return;
      const { children = [] } = node;
      // Texts that flow in one line are one box.
      if (children.length !== measured.children.length) return;
      for (const [at, child] of children.entries()) visit(child, measured.children[at] as MeasuredNode);
    };
    visit(root, await how.renderer.measure(root, options));
    return places;
  };
}

function placeOf(measured: MeasuredNode, isText: boolean): ElementPlace {
  const { width, height, transform, runs } = measured;
  return { top: transform[5], width, height, lines: linesOf(isText ? runsIn(measured) : runs) };
}

type Run = MeasuredNode['runs'][number];

/** A text that is cut after some lines lies in a box of its own. */
function runsIn({ runs, children }: MeasuredNode): readonly Run[] {
  return runs.length > 0 ? runs : children.flatMap(runsIn);
}

/** A space is this share of the height of its letters or a little more, in each of our fonts. */
const spaceOfHeight = 0.2;

function linesOf(runs: readonly Run[]): readonly TextLine[] {
  const lines: Run[][] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const run of runs) {
    const middle = run.y + run.height / 2;
    if (middle > bottom) lines.push([]);
    lines.at(-1)?.push(run);
    bottom = middle > bottom ? run.y + run.height : bottom;
  }
  return lines.map((parts) => {
    const spaces = parts.filter(({ text }) => /\S/.test(text)).at(-1);
    const width = parts.reduce((sum, run) => sum + (/\S/.test(run.text) ? run.width : 0), 0);
    const trailing = spaces !== undefined && /\s$/.test(spaces.text) ? spaces.height * spaceOfHeight : 0;
    return { top: parts[0]?.y ?? 0, width: width - trailing, parts: parts.map(({ text }) => text) };
  });
}

/** Returns the elements of a page in the order in which they stand, with those that fitting put in. */
export function* everyElement(root: PageElement, changes: Changes): Generator<PageElement> {
  yield root;
  for (const child of changes.childrenOf(root)) if (typeof child !== 'string') yield* everyElement(child, changes);
  const { next } = changes.of(root);
  if (next !== undefined) yield* everyElement(next, changes);
}

/** Returns the width in pixels of the longest line that is a single word: lines of several end where they have no room. */
export const maxWordWidth = ({ lines }: ElementPlace): number =>
  Math.max(0, ...lines.filter(({ parts }) => !/[ \n]/.test(parts.join('').trim())).map(({ width }) => width));
