/** Vectors of the panels without a frame in the field: how they are read, and how those of a new panel are written. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { packPicture, rotateToView } from '../../firmware-protocol/framebuffer.ts';
import { epd7, epd13, type Panel, panels, viewSize } from '../../firmware-protocol/panels.ts';
import { root } from './generated-files.ts';

export interface PanelVector {
  readonly panel: string;
  readonly bytes: number;
  readonly white: { readonly code: number; readonly sha256: string };
  readonly diagonal: { readonly codes: readonly number[]; readonly firstBytes: string; readonly sha256: string };
  readonly corners: Readonly<
    Record<
      'portrait' | 'landscape',
      { readonly turn: number; readonly codes: readonly number[]; readonly sha256: string }
    >
  >;
}

const page = 'firmware-protocol/vectors/panels.json';
const stored = JSON.parse(readFileSync(join(root, page), 'utf8')) as {
  readonly about: readonly string[];
  readonly panels: readonly PanelVector[];
};

export const panelVectors = stored.panels;

/** Names of the panels that are to have vectors here; the others have stories of their frames. */
export const panelsWithVectors = Object.keys(panels).filter((name) => name !== epd7.name && name !== epd13.name);

/** The bytes that a vector digests: the file, or the unpacked rows of a PNG. */
export function digested(panel: Panel, file: Uint8Array): Uint8Array {
  if (panel.packing !== 'png') return file;
  const bytes = Buffer.from(file);
  const at = bytes.indexOf('IDAT');
  return inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)));
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The vectors with those of panels that have none yet. What is there stays as it is. */
export function panelVectorFiles(): readonly (readonly [path: string, content: string])[] {
  const missing = panelsWithVectors.filter((name) => stored.panels.every(({ panel }) => panel !== name));
  const all = [...stored.panels, ...missing.map((name) => vectorOf(panels[name] as Panel))];
  const text = JSON.stringify({ about: stored.about, panels: all }, null, 2);
  const onOneLine = text.replaceAll(/\[\s+([\d,\s]+?)\s+\]/g, (_, list: string) => `[${list.replaceAll(/\s+/g, ' ')}]`);
  return [[page, `${onOneLine}\n`]];
}

function vectorOf(panel: Panel): PanelVector {
  const { width, height, colours } = panel;
  const whiteAt = colours.findIndex(({ name }) => name === 'white');
  const white = new Uint8Array(width * height).fill(whiteAt);
  const diagonal = white.map((_, at) => ((at % width) + Math.floor(at / width)) % colours.length);
  const packed = (pixels: Uint8Array, orientation: 'portrait' | 'landscape'): Uint8Array =>
    digested(panel, packPicture(panel, orientation, rotateToView(panel, orientation, pixels)));
  const inCorners = (orientation: 'portrait' | 'landscape') => {
    const view = viewSize(panel, orientation);
    const seen = new Uint8Array(view.width * view.height).fill(whiteAt);
    const inks = [0, colours.length - 1, 2 % colours.length, 3 % colours.length];
    [0, view.width - 1, (view.height - 1) * view.width, seen.length - 1].forEach((at, corner) => {
      seen[at] = inks[corner] ?? whiteAt;
    });
    const codes = inks.map((ink) => colours[ink]?.code ?? 0);
    return {
      turn: panel.rotation[orientation],
      codes,
      sha256: sha256(digested(panel, packPicture(panel, orientation, seen))),
    };
  };
  const whole = packed(diagonal, 'portrait');
  return {
    panel: panel.name,
    bytes: whole.length,
    white: { code: colours[whiteAt]?.code ?? 0, sha256: sha256(packed(white, 'landscape')) },
    diagonal: {
      codes: colours.map(({ code }) => code),
      firstBytes: Buffer.from(whole.subarray(0, 8)).toString('hex'),
      sha256: sha256(whole),
    },
    corners: { portrait: inCorners('portrait'), landscape: inCorners('landscape') },
  };
}
