/** Draws a page of our own: its lines, texts and lists are fitted by measuring, and then it is drawn once. */
import type { PageDocument } from '../pages/document.ts';
import type { PageElement } from '../pages/element.ts';
import { type Fitting, fitTexts } from './fit-texts.ts';
import { fitWords } from './fit-words.ts';
import { everyElement, layoutOf, measurePage, type PageRenderer } from './measure-page.ts';
import { Changes, nodesOf } from './nodes.ts';
import { fontsFor } from './page-fonts.ts';
import { drawHyphens, partWords } from './part-words.ts';
import { boundLists, trimLists } from './trim-lists.ts';

/** A page that was drawn: its pixels, sRGB, three bytes each, and the characters that no font has, each once. */
export interface TypesetPage {
  readonly rgb: Uint8Array;
  readonly missing: string;
}

/** Returns the text of a page, element by element, with what fitting has changed. */
export function textOfPage(root: PageElement, changes = new Changes()): string {
  const texts = [...everyElement(root, changes)].flatMap((element) => [
    ...changes.childrenOf(element).filter((child) => typeof child === 'string'),
    ...(element.fit?.kind === 'list' ? [textOfPage(element.fit.more)] : []),
  ]);
  return texts.join('\n');
}

/** The characters that fitting may add. */
const fittedCharacters = '0123456789-…';

/** Draws a page. */
export async function typesetPage(document: PageDocument): Promise<TypesetPage> {
  const { root, language, width, height } = document;
  const { missing, ...how } = await fontsFor(textOfPage(root) + fittedCharacters, language);
  const changes = await fitPage(document, how);
  const pixels = await how.renderer.render(nodesOf(root, changes).root, { ...layoutOf(document, how), format: 'raw' });
  return { rgb: withoutAlpha(pixels, width * height), missing };
}

/** Fits the lines, texts and lists of a page to it. */
export async function fitPage(document: PageDocument, how: PageRenderer): Promise<Changes> {
  const { root, language, rootSize, height } = document;
  const [changes, measure] = [new Changes(), measurePage(document, how)];
  const fitting: Fitting = { root, changes, measure, language, rootSize, height };
  boundLists(fitting);
  const tooLong = await fitWords(root, fitting);
  for (const line of tooLong) changes.change(line, { style: { overflowWrap: 'anywhere' } });
  if (tooLong.length > 0) partWords(tooLong, { changes, language, isLong: ({ length }) => length > 4 });
  await fitTexts(fitting);
  await drawHyphens(root, changes, measure);
  await trimLists(fitting);
  return changes;
}

/** Pages have no holes: their ground is white. */
function withoutAlpha(rgba: Uint8Array, pixels: number): Uint8Array {
  if (rgba.length !== pixels * 4) throw new Error(`a page of ${pixels} pixels has ${rgba.length} bytes`);
  const rgb = new Uint8Array(pixels * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    rgb[to] = rgba[from] as number;
    rgb[to + 1] = rgba[from + 1] as number;
    rgb[to + 2] = rgba[from + 2] as number;
  }
  return rgb;
}
