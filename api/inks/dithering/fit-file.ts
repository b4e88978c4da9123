/** Dithers a picture so that its packed file does not exceed the size that the panel's frame accepts. */
import { fileBytes, packPicture } from '../../../firmware-protocol/framebuffer.ts';
import type { Orientation, Panel } from '../../../firmware-protocol/panels.ts';
import { type InkedWords, withWords } from '../words/ink-words.ts';
import { ditherPicture } from './dither.ts';
import type { DitherOptions } from './intents.ts';
import type { PaletteTables } from './palette.ts';
import type { Pixels } from './sheet.ts';

/** A picture to dither: pixels of the size a person sees, for one panel. */
export interface DitherJob extends Pixels {
  readonly panel: Panel;
  readonly orientation: Orientation;
  readonly options: DitherOptions;
  /** Words that are put on the dithered picture. */
  readonly words?: InkedWords;
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
  const { panel, orientation, options, words } = job;
  const largest = fileBytes(panel);
  let file: Uint8Array = new Uint8Array();
  for (const indices of attempts()) {
    const written = words === undefined ? indices : withWords(indices, job.width, words);
    file = packPicture(panel, orientation, written);
    if (file.length <= largest) break;
  }
  return file;

  function* attempts(): Generator<Uint8Array> {
    yield ditherPicture(job, tables, options);
    const flat = ditherPicture(job, tables, { ...options, method: 'none' });
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
function ditherInDots(job: DitherJob, tables: PaletteTables, size: DotSize): Uint8Array {
  const { width, height, options } = job;
  const [across, down] = size;
  const columns = Math.ceil(width / across);
  const dots = ditherPicture(shrink(job, size), tables, options);
  const indices = new Uint8Array(width * height);
  for (let y = 0, pixel = 0; y < height; y++) {
    const row = Math.floor(y / down) * columns;
    for (let x = 0; x < width; x++) indices[pixel++] = dots[row + Math.floor(x / across)] as number;
  }
  return indices;
}

/** Returns the picture with one pixel for each dot, of their mean light: squares of bytes are close to it. */
function shrink({ rgb, width, height }: Pixels, [across, down]: DotSize): Pixels {
  const [columns, rows] = [Math.ceil(width / across), Math.ceil(height / down)];
  const sums = new Float64Array(columns * rows * 3);
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
  const means = Uint8Array.from(sums, (sum, at) => Math.round(Math.sqrt(sum / (counts[Math.floor(at / 3)] as number))));
  return { rgb: means, width: columns, height: rows };
}
