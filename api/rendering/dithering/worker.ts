/** The worker thread of `workers`: takes pixels, gives back the panel's file. */
import { parentPort } from 'node:worker_threads';
import type { PanelColour } from '../../../firmware-protocol/panels.ts';
import { type DitherJob, ditherToFit } from './fit-file.ts';
import { buildPaletteTables, type PaletteTables } from './palette.ts';

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

parentPort?.on('message', (job: DitherJob) => {
  const file = ditherToFit(job, tablesOf(job.panel.colours));
  // A PNG lies in memory that it shares with others: what is handed over must be its own.
  const own = file.byteLength === file.buffer.byteLength ? file : Uint8Array.from(file);
  parentPort?.postMessage(own, [own.buffer as ArrayBuffer]);
});
