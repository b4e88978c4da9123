/** The worker thread of `workers`: takes pixels, gives back the panel's file. */
import { parentPort } from 'node:worker_threads';
import type { PanelColour } from '../../../firmware-protocol/panels.ts';
import { BoundedMap } from '../../../runtime/bounded-map.ts';
import { type DitherJob, ditherToFit } from './fit-file.ts';
import { buildPaletteTables, type PaletteTables } from './palette.ts';

/**
 * The palettes whose tables are kept. Tables take a megabyte each; a service with more palettes than this in use builds
 * some again.
 */
const maxPalettes = 24;

const tablesByPalette = new BoundedMap<string, PaletteTables>(maxPalettes);

function tablesOf(colours: readonly PanelColour[]): PaletteTables {
  const palette = JSON.stringify(colours);
  const known = tablesByPalette.get(palette);
  if (known !== undefined) return known;
  const tables = buildPaletteTables(colours);
  tablesByPalette.set(palette, tables);
  return tables;
}

parentPort?.on('message', ({ number, job }: { readonly number: number; readonly job: DitherJob }) => {
  const file = ditherToFit(job, tablesOf(job.panel.colours));
  // A PNG lies in memory that it shares with others: the file that is handed over must have its own.
  const own = file.byteLength === file.buffer.byteLength ? file : Uint8Array.from(file);
  parentPort?.postMessage({ number, answer: own }, [own.buffer as ArrayBuffer]);
});
parentPort?.postMessage('loaded');
