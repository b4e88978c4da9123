/** The worker thread of `workers`: takes pixels, gives back the panel's file and the preview's pixels. */
import { parentPort } from 'node:worker_threads';
import { fileBytes, packPicture } from '../../../firmware-protocol/framebuffer.ts';
import type { Orientation, Panel, PanelColour } from '../../../firmware-protocol/panels.ts';
import { ditherPicture } from './dither.ts';
import type { DitherWish } from './intents.ts';
import { paint } from './paint.ts';
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

/** What it answers: the packed file, and sRGB pixels in the measured colours, as a person sees them. */
export interface DitheredPicture {
  readonly file: Uint8Array;
  readonly preview: Uint8Array;
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
function ditherAndPack({ rgb, width, height, panel, orientation, wish }: DitherJob): {
  indices: Uint8Array;
  file: Uint8Array;
} {
  const tables = tablesOf(panel.colours);
  let indices = ditherPicture(rgb, width, height, tables, wish);
  let file = packPicture(panel, orientation, indices);
  if (file.length <= fileBytes(panel)) return { indices, file };
  const flat = ditherPicture(rgb, width, height, tables, { ...wish, method: 'none' });
  const last = panel.colours.length - 1;
  for (const grays of [last + 1, 4, 2]) {
    if (grays > last + 1) continue;
    const step = last / (grays - 1);
    indices = flat.map((index) => Math.round(Math.round(index / step) * step));
    file = packPicture(panel, orientation, indices);
    if (file.length <= fileBytes(panel)) break;
  }
  return { indices, file };
}

parentPort?.on('message', (job: DitherJob) => {
  const { indices, file } = ditherAndPack(job);
  const preview = paint(indices, job.panel.colours, 'measured');
  // A PNG lies in memory that it shares with others: what is handed over must be its own.
  const own = file.byteLength === file.buffer.byteLength ? file : Uint8Array.from(file);
  const answer: DitheredPicture = { file: own, preview };
  parentPort?.postMessage(answer, [own.buffer as ArrayBuffer, preview.buffer as ArrayBuffer]);
});
