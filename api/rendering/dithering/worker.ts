/** The worker thread of `workers`: takes pixels, gives back the panel's file. */
import { parentPort } from 'node:worker_threads';
import { fileBytes, packPicture } from '../../../firmware-protocol/framebuffer.ts';
import type { Orientation, Panel, PanelColour } from '../../../firmware-protocol/panels.ts';
import { ditherPicture } from './dither.ts';
import type { DitherWish } from './intents.ts';
import { buildPaletteTables, type PaletteTables } from './palette.ts';

/** What a worker is asked: sRGB pixels of the size a person sees, for one panel. */
export interface DitherJob {
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly panel: Panel;
  readonly orientation: Orientation;
  readonly wish: DitherWish;
}

/** Tables take a megabyte each; a service with more palettes than this in use builds some anew. */
const mostPalettes = 24;

const tablesByPalette = new Map<string, PaletteTables>();

function tablesOf(colours: readonly PanelColour[]): PaletteTables {
  const palette = JSON.stringify(colours);
  const known = tablesByPalette.get(palette);
  if (known !== undefined) return known;
  const tables = buildPaletteTables(colours);
  if (tablesByPalette.size >= mostPalettes) tablesByPalette.delete(tablesByPalette.keys().next().value as string);
  tablesByPalette.set(palette, tables);
  return tables;
}

/**
 * Dithers and packs. Where a frame limits its files and a dithered picture is too large, it gets one without dithering,
 * then one of fewer grays (PN-12).
 */
function ditherAndPack({ rgb, width, height, panel, orientation, wish }: DitherJob): Uint8Array {
  const tables = tablesOf(panel.colours);
  let file = packPicture(panel, orientation, ditherPicture(rgb, width, height, tables, wish));
  if (file.length <= fileBytes(panel)) return file;
  const flat = ditherPicture(rgb, width, height, tables, { ...wish, method: 'none' });
  const last = panel.colours.length - 1;
  for (const grays of [last + 1, 4, 2]) {
    if (grays > last + 1) continue;
    const step = last / (grays - 1);
    const fewer = flat.map((index) => Math.round(Math.round(index / step) * step));
    file = packPicture(panel, orientation, fewer);
    if (file.length <= fileBytes(panel)) break;
  }
  return file;
}

parentPort?.on('message', (job: DitherJob) => {
  const file = ditherAndPack(job);
  // A PNG lies in memory that it shares with others: what is handed over must be its own.
  const own = file.byteLength === file.buffer.byteLength ? file : Uint8Array.from(file);
  parentPort?.postMessage(own, [own.buffer as ArrayBuffer]);
});
