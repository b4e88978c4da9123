/** Pages of our own as tests look at them: drawn in this process. */
import { ditherToFit } from '../../api/inks/dithering/fit-file.ts';
import { buildPaletteTables } from '../../api/inks/dithering/palette.ts';
import type { PageDocument } from '../../api/pages/document.ts';
import { fontsFor } from '../../api/typeset/page-fonts.ts';
import { fitPage, textOfPage, typesetPage } from '../../api/typeset/typeset-page.ts';
import { rotateToView, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import type { Orientation, Panel } from '../../firmware-protocol/panels.ts';

/** A drawn page: its pixels in colour, three bytes each, and in gray, one byte each. */
export interface DrawnForTests {
  readonly rgb: Uint8Array;
  readonly gray: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly missing: string;
}

/** Draws a page. */
export async function drawnPage(page: PageDocument): Promise<DrawnForTests> {
  const { width, height } = page;
  const { rgb, missing } = await typesetPage(page);
  const gray = new Uint8Array(width * height);
  for (let at = 0; at < gray.length; at++) {
    const [red, green, blue] = rgb.subarray(at * 3, at * 3 + 3) as unknown as [number, number, number];
    gray[at] = Math.round(0.299 * red + 0.587 * green + 0.114 * blue);
  }
  return { rgb, gray, width, height, missing };
}

/** Returns a page as a frame shows it: places of inks, row by row, as a person sees them. */
export async function shownPage(panel: Panel, orientation: Orientation, page: PageDocument): Promise<Uint8Array> {
  const { rgb, width, height } = await drawnPage(page);
  const job = { rgb, width, height, panel, orientation, options: { method: 'named' } } as const;
  const file = ditherToFit(job, buildPaletteTables(panel.colours));
  return rotateToView(panel, orientation, unpackPicture(panel, file) as Uint8Array);
}

/** Returns the words that are drawn of a page, element by element. */
export async function fittedText(page: PageDocument): Promise<string> {
  const fonts = await fontsFor(`${textOfPage(page.root)}0123456789-…`, page.language);
  return textOfPage(page.root, await fitPage(page, fonts));
}
