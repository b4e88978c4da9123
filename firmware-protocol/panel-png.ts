/** Pictures of panels whose frames take PNGs, in the form that the decoder of each wants. */
import { type IndexedPicture, readPng, writePng, writePngInPool } from './indexed-png.ts';
import { isEvenGrays, type PanelColour } from './palettes.ts';
import type { Panel } from './panel-record.ts';

/** The problem of a file that is not the panel's picture. */
export interface UnreadablePng {
  readonly problem: string;
}

/** The depth of a panel's PNGs, and whether they are gray samples or have a palette. */
export function pngForm({ colours, png }: Pick<Panel, 'colours' | 'png'>): Pick<IndexedPicture, 'bits' | 'isGray'> {
  if (png === 'gray8') return { bits: 8, isGray: true };
  const bits = colours.length <= 2 ? 1 : colours.length <= 4 ? 2 : 4;
  return { bits, isGray: png !== 'palette' && isEvenGrays(colours) };
}

/**
 * Packs a raster as stored.
 * @param stored palette indices, row by row
 */
export function packPng(panel: Panel, stored: Uint8Array): Uint8Array {
  return writePng(...pictureOf(panel, stored));
}

/** Packs it into the same file, for callers that must not block: only the pixels are placed at once. */
export function packPngInPool(panel: Panel, stored: Uint8Array): Promise<Uint8Array> {
  return writePngInPool(...pictureOf(panel, stored));
}

function pictureOf(panel: Panel, stored: Uint8Array): [picture: IndexedPicture, palette: Uint8Array] {
  const { width, height, colours, png } = panel;
  const palette = Buffer.from(colours.map(({ nominal }) => nominal.slice(1)).join(''), 'hex');
  const samples = Uint8Array.from(colours, (_, index) => grayOf(colours, index));
  const indices =
    png === 'gray8'
      ? stored.map((index) => samples[index] as number)
      : png === 'threeGrays'
        ? withoutTwoGrays(stored, width)
        : stored;
  return [{ width, height, ...pngForm(panel), indices }, palette];
}

/** Reads such a file: palette indices of the raster as stored, or what is wrong. */
export function unpackPng(panel: Panel, file: Uint8Array): Uint8Array | UnreadablePng {
  const { width, height, colours, foreignCodeDrawnAs } = panel;
  const form = pngForm(panel);
  const read = readPng(file, { width, height, ...form });
  if (!(read instanceof Uint8Array)) return read;
  const indexOf = new Uint8Array(256).fill(foreignCodeDrawnAs);
  colours.forEach(({ code }, index) => {
    indexOf[form.bits === 8 ? grayOf(colours, index) : code] = index;
  });
  return read.map((sample) => indexOf[sample] as number);
}

/** The sample of a gray in 8 bits. */
function grayOf(colours: readonly PanelColour[], index: number): number {
  return Number.parseInt(colours[index]?.nominal.slice(1, 3) ?? 'ff', 16);
}

/** The rows of which the firmware counts the grays (usetrmnl/trmnl-firmware, `png_draw_count`). */
const countedRows = 431;

/** The raster, with its first pixel in another gray where it would have exactly two in the rows that are counted. */
function withoutTwoGrays(stored: Uint8Array, width: number): Uint8Array {
  const seen = new Set<number>();
  for (const index of stored.subarray(0, countedRows * width)) {
    seen.add(index);
    if (seen.size > 2) return stored;
  }
  if (seen.size !== 2) return stored;
  const [first = 0] = stored;
  const distance = (gray: number): number => Math.abs(gray - first);
  const others = [0, 1, 2, 3].filter((gray) => !seen.has(gray)).sort((one, other) => distance(one) - distance(other));
  const raster = stored.slice();
  raster[0] = others[0] ?? first;
  // The pixel may have been the only one of its gray: then a second one of a third gray is needed.
  if (!stored.includes(first, 1)) raster[1] = first;
  return raster;
}
