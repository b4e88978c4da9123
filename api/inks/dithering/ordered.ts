/**
 * Dithering by a square of blue noise: each pixel by itself, so that a change in one corner of a picture leaves the
 * rest as it was. Every colour is a mixture of few, similar inks; the threshold at a pixel decides which of them it
 * gets.
 */

import { makeBlueNoise, noiseSide } from './blue-noise.ts';
import { linearOfByte, writeOklab } from './colour.ts';
import { findNearestMixture, interpolate, nodesPerAxis } from './gamut-table.ts';
import { fixed } from './loops/places.ts';
import { inkNamed, type PaletteTables } from './palette.ts';
import type { Sheet } from './sheet.ts';

/** The cost of an ink's distance from the colour in a mixture, besides the mixture's own distance: less is rougher. */
const roughnessPrice = 0.01;

/** The mixtures of a palette, one share an ink and node, and the inks from dark to light. */
interface Mixtures {
  readonly shares: Float64Array;
  readonly order: readonly number[];
}

const mixturesOf = new WeakMap<PaletteTables, Mixtures>();
let noise: Uint16Array | undefined;

function buildMixtures({ relative, luminances }: PaletteTables): Mixtures {
  const count = luminances.length;
  const shares = new Float64Array(nodesPerAxis ** 3 * count);
  const labs = new Float64Array(count * 3);
  for (let at = 0; at < labs.length; at += 3) {
    const [red, green, blue] = [relative[at] as number, relative[at + 1] as number, relative[at + 2] as number];
    writeOklab(red, green, blue, labs.subarray(at));
  }
  const wanted = new Float64Array(3);
  const light = new Float64Array(3);
  const prices = new Float64Array(count);
  const axis = Array.from({ length: nodesPerAxis }, (_, node) => Math.round((node * 255) / (nodesPerAxis - 1)));
  let at = 0;
  for (const red of axis) {
    for (const green of axis) {
      for (const blue of axis) {
        writeOklab(linearOfByte[red] as number, linearOfByte[green] as number, linearOfByte[blue] as number, wanted);
        for (let ink = 0; ink < count; ink++) {
          prices[ink] =
            roughnessPrice *
            wanted.reduce((sum, part, channel) => sum + (part - (labs[ink * 3 + channel] as number)) ** 2, 0);
        }
        const mixture = { shares: shares.subarray(at, at + count).fill(1 / count), light };
        findNearestMixture(relative, wanted, mixture, prices);
        at += count;
      }
    }
  }
  const order = Array.from(luminances.keys()).sort((a, b) => (luminances[a] as number) - (luminances[b] as number));
  return { shares, order };
}

/** Dithers a sheet in order. The tables of a palette are made at its first picture, which takes seconds. */
export function ditherInOrder({ rgb, width, height, indices }: Sheet, tables: PaletteTables): void {
  noise ??= makeBlueNoise();
  const mixtures = mixturesOf.get(tables) ?? buildMixtures(tables);
  mixturesOf.set(tables, mixtures);
  const mixture = new Float64Array(tables.luminances.length);
  for (let pixel = 0, y = 0; y < height; y++) {
    for (let x = 0; x < width; x++, pixel++) {
      const [r, g, b] = [rgb[pixel * 3] as number, rgb[pixel * 3 + 1] as number, rgb[pixel * 3 + 2] as number];
      const colour = (r << 16) | (g << 8) | b;
      const named = inkNamed(tables, colour);
      if (named >= 0) {
        indices[pixel] = named | fixed;
        continue;
      }
      interpolate(mixtures.shares, colour, mixture);
      const threshold = noise[(y % noiseSide) * noiseSide + (x % noiseSide)] as number;
      let left = (threshold + 0.5) / noise.length;
      let chosen = mixtures.order[0] as number;
      for (const ink of mixtures.order) {
        const share = mixture[ink] as number;
        if (share <= 0) continue;
        chosen = ink;
        left -= share;
        if (left < 0) break;
      }
      indices[pixel] = chosen;
    }
  }
}
