/** Dithers a picture so that its packed file is within what the panel's frame takes. */
import { fileBytes, packPicture } from '../../../firmware-protocol/framebuffer.ts';
import type { Orientation, Panel } from '../../../firmware-protocol/panels.ts';
import { ditherPicture } from './dither.ts';
import type { DitherOptions } from './intents.ts';
import type { PaletteTables } from './palette.ts';

/** A picture to dither: sRGB pixels of the size a person sees, for one panel. */
export interface DitherJob {
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly panel: Panel;
  readonly orientation: Orientation;
  readonly options: DitherOptions;
}

/** The number of grays from which on tones without dithering show no steps worth more than a picture's details. */
const manyGrays = 16;

/** The pixels of a dot, across and down. */
type DotSize = readonly [across: number, down: number];

/** The dots that are tried. Measured: larger ones keep a photograph better than fewer grays do. */
const dotSizes: readonly DotSize[] = [
  [2, 2],
  [3, 3],
  [4, 3],
  [4, 4],
  [6, 6],
];

/**
 * Dithers and packs. Where a frame limits its files and a dithered picture is too large, the first of these pictures
 * that is not too large is taken: without dithering, if that leaves many grays; dithered in larger dots, which keeps
 * its tones; few grays.
 */
export function ditherToFit(job: DitherJob, tables: PaletteTables): Uint8Array {
  const { rgb, width, height, panel, orientation, options } = job;
  const largest = fileBytes(panel);
  let file: Uint8Array = new Uint8Array();
  for (const indices of attempts()) {
    file = packPicture(panel, orientation, indices);
    if (file.length <= largest) break;
  }
  return file;

  function* attempts(): Generator<Uint8Array> {
    yield ditherPicture(rgb, width, height, tables, options);
    const flat = ditherPicture(rgb, width, height, tables, { ...options, method: 'none' });
    const last = panel.colours.length - 1;
    if (last + 1 >= manyGrays) yield flat;
    for (const size of dotSizes) yield ditherInDots(job, tables, size);
    for (const grays of [last + 1, 4, 2]) {
      const step = last / (grays - 1);
      if (grays <= last + 1) yield flat.map((index) => Math.round(Math.round(index / step) * step));
    }
  }
}

/** Dithers a picture in dots of more than one pixel. */
function ditherInDots({ rgb, width, height, options }: DitherJob, tables: PaletteTables, size: DotSize): Uint8Array {
  const [across, down] = size;
  const [columns, rows] = [Math.ceil(width / across), Math.ceil(height / down)];
  const dots = ditherPicture(shrink(rgb, width, height, size), columns, rows, tables, options);
  const indices = new Uint8Array(width * height);
  for (let y = 0, pixel = 0; y < height; y++) {
    const row = Math.floor(y / down) * columns;
    for (let x = 0; x < width; x++) indices[pixel++] = dots[row + Math.floor(x / across)] as number;
  }
  return indices;
}

/** Returns the picture with one pixel for each dot, of their mean light: squares of bytes are close to it. */
function shrink(rgb: Uint8Array, width: number, height: number, [across, down]: DotSize): Uint8Array {
  const columns = Math.ceil(width / across);
  const sums = new Float64Array(columns * Math.ceil(height / down) * 3);
  const counts = new Uint8Array(sums.length / 3);
  for (let y = 0, from = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const dot = Math.floor(y / down) * columns + Math.floor(x / across);
      counts[dot] = (counts[dot] as number) + 1;
      for (let to = dot * 3; to < dot * 3 + 3; to++, from++) {
        sums[to] = (sums[to] as number) + (rgb[from] as number) ** 2;
      }
    }
  }
  return Uint8Array.from(sums, (sum, at) => Math.round(Math.sqrt(sum / (counts[Math.floor(at / 3)] as number))));
}
