/**
 * A card to photograph on the glass: which corner is where, which way is up, and every ink with its name. It settles
 * the facts of a panel that nobody has seen yet, and gives the colours for a palette of one's own.
 */
import type { Panel } from '../../firmware-protocol/panels.ts';
import { type PageDocument, type PageFrame, pageDocument } from './document.ts';
import { el } from './element.ts';

/** The panel of the card. `hangs` states how it hangs, and the rotation that the panel's record prescribes for it. */
export interface CardFacts {
  readonly panel: Panel;
  readonly hangs: string;
}

/** Draws the card. Inks are named by their nominal colours, which every panel takes as that very ink. */
export function testCard(frame: PageFrame, { panel, hangs }: CardFacts): PageDocument {
  const inks = panel.colours.map(({ name, nominal }) =>
    el('li', {}, el('i', { style: { backgroundColor: nominal } }), el('div', {}, name)),
  );
  const rows = rowsOf(inks, inksAcross(frame)).map((row) => el('ul', {}, ...row));
  const corners = ['A', 'B', 'C', 'D'].map((letter) => el(`b.${letter}`, {}, letter));
  const foot = [panel.title, `${frame.width}x${frame.height}, ${hangs}`].map((line) => el('div', {}, line));
  const head = el('header', {}, el('div.arrow', { svg: arrow }), el('h1', {}, 'UP'));
  return pageDocument(frame, {
    body: el('main', {}, ...corners, head, ...rows, el('footer', {}, ...foot)),
    css: cardCss(frame),
  });
}

const arrow =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" shape-rendering="crispEdges"><path d="M50 0 95 50H68V100H32V50H5z"/></svg>';

/**
 * Returns the number of inks that fit side by side: between the corners' letters (15 vmin each), at least 18 vmin wide,
 * 2 vmin apart.
 */
function inksAcross({ width, height }: PageFrame): number {
  const vmin = Math.min(width, height) / 100;
  return Math.max(Math.floor((width - 30 * vmin - 4 + 2 * vmin) / (Math.max(18 * vmin, 34) + 2 * vmin)), 1);
}

/** Divides inks into as few rows as possible; no row is more than one shorter than another. */
function rowsOf<Ink>(inks: readonly Ink[], most: number): Ink[][] {
  const count = Math.ceil(inks.length / most);
  const start = (row: number): number => Math.ceil((row * inks.length) / count);
  return Array.from({ length: count }, (_, row) => inks.slice(start(row), start(row + 1)));
}

/**
 * Lengths follow the shorter side, so that the smallest panel holds it all; the line around it shows what the bezel
 * covers.
 */
function cardCss({ width, height }: PageFrame): string {
  const of = (percent: number, least = 0): string => `${Math.max(least, (Math.min(width, height) * percent) / 100)}px`;
  return `
main{position:relative;width:100%;height:100%;border:2px solid #000;padding:${of(3)} ${of(15)};display:flex;flex-direction:column;
  gap:${of(2)};font-weight:700;font-size:${of(3.6, 9)};line-height:1.2;text-align:center}
b{display:block;position:absolute;font-size:${of(13)};font-weight:800;line-height:1}
.A{left:${of(3)};top:${of(3)}}
.B{right:${of(3)};top:${of(3)}}
.C{right:${of(3)};bottom:${of(3)}}
.D{left:${of(3)};bottom:${of(3)}}
header{display:flex;align-items:center;justify-content:center;gap:${of(3)}}
.arrow{width:${of(17)};height:${of(17)}}
h1{font-size:${of(12)};font-weight:800}
ul{flex:1;min-height:0;display:flex;gap:${of(2)}}
li{flex:1;min-width:0;display:flex;flex-direction:column}
i{display:block;flex:1;border:1px solid #000}
`;
}
