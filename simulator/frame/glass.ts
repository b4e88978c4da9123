/** Pictures of what a frame's panel shows, for a person to look at. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { rotateToView, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { type Orientation, type Panel, panelOfKind, viewSize } from '../../firmware-protocol/panels.ts';
import type { Glass } from './frame.ts';

const borderPixels = 24;
const borderColour: Readonly<Partial<Record<Extract<Glass, { shows: 'screen' }>['screen'], string>>> = {
  pairing: 'blue',
  'download failed': 'red',
  'Wi-Fi failed': 'red',
  'Wi-Fi given up': 'red',
  offline: 'red',
  'service failed': 'red',
};

/**
 * Makes a picture of the panel as a person sees it, in measured colours.
 * @param storedIndices palette indices of the raster as stored
 * @returns a PNG
 */
export async function glassPng(panel: Panel, orientation: Orientation, storedIndices: Uint8Array): Promise<Buffer> {
  const { width, height } = viewSize(panel, orientation);
  const inks = Uint8Array.from(panel.colours.flatMap(({ measured }) => [...Buffer.from(measured.slice(1), 'hex')]));
  const seen = rotateToView(panel, orientation, storedIndices);
  const rgb = new Uint8Array(seen.length * 3);
  for (let at = 0, to = 0; at < seen.length; at++) {
    const ink = (seen[at] ?? 0) * 3;
    rgb[to++] = inks[ink] ?? 0;
    rgb[to++] = inks[ink + 1] ?? 0;
    rgb[to++] = inks[ink + 2] ?? 0;
  }
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

/**
 * Returns the palette indices of the raster on the glass. A frame that never drew is white; the firmware's own screens
 * are white with a border: blue for pairing, red for a failure, black for all else and where the panel has no such ink.
 */
export function glassIndices(panel: Panel, glass: Glass): Uint8Array {
  if (glass.shows === 'picture') {
    const indices = unpackPicture(panel, glass.file);
    if (!('problem' in indices)) return indices;
    const sheet = unpackSheet(panel, glass.file);
    if (sheet !== undefined) return sheet;
    throw new Error(`glass: ${indices.problem}`);
  }
  const white = panel.colours.findIndex((colour) => colour.name === 'white');
  const indices = new Uint8Array(panel.width * panel.height).fill(white);
  if (glass.shows === 'nothing') return indices;
  const ink = (wanted: string): number => panel.colours.findIndex(({ name }) => name === wanted);
  const named = ink(borderColour[glass.screen] ?? 'black');
  const border = named < 0 ? ink('black') : named;
  for (let y = 0; y < panel.height; y++) {
    const inside = y >= borderPixels && y < panel.height - borderPixels;
    const row = y * panel.width;
    indices.fill(border, row, row + (inside ? borderPixels : panel.width));
    indices.fill(border, row + panel.width - borderPixels, row + panel.width);
  }
  return indices;
}

/** A PNG in black and white, which frames that poll draw on panels with more inks as well. */
function unpackSheet(panel: Panel, file: Uint8Array): Uint8Array | undefined {
  const mono = panel.packing === 'png' ? panelOfKind(`mono-${panel.width}x${panel.height}`) : undefined;
  const read = mono && unpackPicture(mono, file);
  if (mono === undefined || read === undefined || 'problem' in read) return undefined;
  const inks = mono.colours.map(({ name }) => panel.colours.findIndex((colour) => colour.name === name));
  return read.map((index) => inks[index] ?? 0);
}

/** Writes `<serial>.png` so that nobody reads half a file. */
export async function writeGlass(dir: string, serial: string, png: Uint8Array): Promise<void> {
  const part = join(dir, `.${serial}.part`);
  await writeFile(part, png);
  await rename(part, join(dir, `${serial}.png`));
}
