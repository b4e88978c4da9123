/**
 * Error diffusion by any kernel, for pages that ask for one: slower than `diffuse`, which knows a single one by heart.
 */
import { one } from './colour.ts';
import { disturbanceAt, remainderAt, writeWishedLight } from './diffuse.ts';
import { fixed, flatFrom } from './loops/places.ts';
import { nearestInk, within } from './nearest-table.ts';
import { inkNamed, type PaletteTables } from './palette.ts';
import type { Sheet } from './sheet.ts';

/** The weights of a kernel: rows from the pixel's own downwards; the middle of a row is the pixel's column. */
interface Kernel {
  readonly divisor: number;
  readonly rows: readonly (readonly number[])[];
}

/** The kernels, by the names of their authors. Atkinson's keeps a quarter of every error to itself. */
export const kernels = {
  floydSteinberg: {
    divisor: 16,
    rows: [
      [0, 0, 7],
      [3, 5, 1],
    ],
  },
  jarvisJudiceNinke: {
    divisor: 48,
    rows: [
      [0, 0, 0, 7, 5],
      [3, 5, 7, 5, 3],
      [1, 3, 5, 3, 1],
    ],
  },
  stucki: {
    divisor: 42,
    rows: [
      [0, 0, 0, 8, 4],
      [2, 4, 8, 4, 2],
      [1, 2, 4, 2, 1],
    ],
  },
  burkes: {
    divisor: 32,
    rows: [
      [0, 0, 0, 8, 4],
      [2, 4, 8, 4, 2],
    ],
  },
  sierra: {
    divisor: 32,
    rows: [
      [0, 0, 0, 5, 3],
      [2, 4, 5, 4, 2],
      [0, 2, 3, 2, 0],
    ],
  },
  sierraLite: {
    divisor: 4,
    rows: [
      [0, 0, 2],
      [1, 1, 0],
    ],
  },
  atkinson: {
    divisor: 8,
    rows: [
      [0, 0, 0, 1, 1],
      [0, 1, 1, 1, 0],
      [0, 0, 1, 0, 0],
    ],
  },
} as const satisfies Record<string, Kernel>;

export type KernelName = keyof typeof kernels;

/** Returns the colour 0xrrggbb of a pixel. */
const colourAt = (rgb: Uint8Array, pixel: number): number =>
  ((rgb[pixel * 3] as number) << 16) | ((rgb[pixel * 3 + 1] as number) << 8) | (rgb[pixel * 3 + 2] as number);

/** Dithers a sheet by a kernel, each second row from right to left if `serpentine`. */
export function diffuseBy(name: KernelName, serpentine: boolean, sheet: Sheet, tables: PaletteTables): void {
  const { divisor, rows }: Kernel = kernels[name];
  const { width, height, rgb, indices, lightness } = sheet;
  const margin = 2;
  const owed: Int32Array[] = [0, 1, 2].map(() => new Int32Array((width + 2 * margin) * 3));
  const taps = rows.flatMap((row, down) =>
    row.flatMap((weight, at) => (weight === 0 ? [] : [{ down, across: at - (row.length >> 1), weight }])),
  );
  const light = new Int32Array(4);
  const seen = new Int32Array(3);
  for (let y = 0; y < height; y++) {
    const step = serpentine && y % 2 === 1 ? -1 : 1;
    let [last, run] = [-1, 0];
    for (let x = step === 1 ? 0 : width - 1; x >= 0 && x < width; x += step) {
      const pixel = y * width + x;
      const colour = colourAt(rgb, pixel);
      run = colour === last ? run + 1 : 0;
      last = colour;
      const isFlat = run >= flatFrom && colour === colourAt(rgb, y > 0 ? pixel - width : pixel);
      let ink = inkNamed(tables, colour);
      const isNamed = ink >= 0;
      writeWishedLight(tables, colour, remainderAt(x, y), light);
      const at = (x + margin) * 3;
      const here = owed[0] as Int32Array;
      for (let channel = 0; channel < 3; channel++) {
        const debt = Math.round((here[at + channel] as number) / divisor);
        const wished = isNamed ? 0 : (light[channel] as number);
        const disturbance = isFlat ? disturbanceAt(tables, wished, x, y) : 0;
        seen[channel] = within(tables.scale, wished + debt + disturbance);
        light[channel] = within(tables.scale, wished + debt);
      }
      if (!isNamed) ink = nearestInk(tables, seen[0] as number, seen[1] as number, seen[2] as number);
      indices[pixel] = isNamed ? ink | fixed : ink;
      lightness[pixel] = isNamed ? 0 : (tables.luminances[ink] as number) - (light[3] as number);
      for (let channel = 0; channel < 3; channel++) {
        const error = (light[channel] as number) - (isNamed ? 0 : (tables.inks[ink * 3 + channel] as number));
        if (error === 0) continue;
        const bounded = Math.min(Math.max(error, -one), one);
        for (const { down, across, weight } of taps) {
          const row = owed[down] as Int32Array;
          const to = at + across * step * 3 + channel;
          row[to] = (row[to] as number) + bounded * weight;
        }
      }
    }
    const done = owed.shift() as Int32Array;
    done.fill(0);
    owed.push(done);
  }
}
