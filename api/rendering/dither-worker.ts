/** The worker thread of `dither-workers`: takes pixels, gives back the panel's file and the preview's pixels. */
import { parentPort } from 'node:worker_threads';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import type { Orientation, Panel, PanelColour } from '../../firmware-protocol/panels.ts';
import { bytesOfColour } from './colour.ts';
import { buildPaletteTables, ditherPicture, type PaletteTables } from './dither.ts';

/** What a worker is asked: sRGB pixels of the size a person sees, for one panel. */
export interface DitherJob {
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly panel: Panel;
  readonly orientation: Orientation;
  readonly diffuse: boolean;
}

/** What it answers: the packed file, and sRGB pixels in the measured colours, as a person sees them. */
export interface DitheredPicture {
  readonly file: Uint8Array;
  readonly preview: Uint8Array;
}

const tablesByPalette = new Map<string, PaletteTables>();

function tablesOf(colours: readonly PanelColour[]): PaletteTables {
  const palette = JSON.stringify(colours);
  const known = tablesByPalette.get(palette);
  if (known !== undefined) return known;
  const tables = buildPaletteTables(colours);
  tablesByPalette.set(palette, tables);
  return tables;
}

function paint(indices: Uint8Array, colours: readonly PanelColour[]): Uint8Array {
  const inks = Uint8Array.from(colours.flatMap((colour) => bytesOfColour(colour.measured)));
  const rgb = new Uint8Array(indices.length * 3);
  for (let pixel = 0, to = 0; pixel < indices.length; pixel++, to += 3) {
    const ink = (indices[pixel] as number) * 3;
    rgb[to] = inks[ink] as number;
    rgb[to + 1] = inks[ink + 1] as number;
    rgb[to + 2] = inks[ink + 2] as number;
  }
  return rgb;
}

parentPort?.on('message', ({ rgb, width, height, panel, orientation, diffuse }: DitherJob) => {
  const indices = ditherPicture(rgb, width, height, tablesOf(panel.colours), diffuse);
  const file = packPicture(panel, orientation, indices);
  const preview = paint(indices, panel.colours);
  const answer: DitheredPicture = { file, preview };
  parentPort?.postMessage(answer, [file.buffer as ArrayBuffer, preview.buffer as ArrayBuffer]);
});
