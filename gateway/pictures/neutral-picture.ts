/**
 * The neutral picture, for a frame whose glass may still show a former owner's picture: a white sheet with a thin edge,
 * which looks the same however the frame hangs. It is drawn when it is needed and never stored as a file.
 */
import { createHash } from 'node:crypto';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { packPngInPool } from '../../firmware-protocol/panel-png.ts';
import { type Panel, panelOfKind, panels, viewSize } from '../../firmware-protocol/panels.ts';
import { nextFileVersion } from '../../firmware-protocol/versions.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { panelOfFrame } from '../frames/named-panel.ts';
import type { FrameRow } from '../frames/registry.ts';
import { writeOffer } from './offer-picture.ts';
import { neutralRevision, type UploadRow } from './upload-row.ts';

/** The distance of the edge from the border, and its width, both as parts of the shorter side. */
const inset = 1 / 20;
const edge = 1 / 160;

/** The neutral picture of a panel, as it is sent. */
export interface NeutralPicture {
  readonly file: Uint8Array;
  readonly sha256: string;
}

/** The PNGs that were drawn last, by the panel's name: they are the same every time, and small. */
const drawn = new BoundedMap<string, Promise<NeutralPicture>>(64);

/** Digests and lengths, which are kept for longer. */
const known = new BoundedMap<string, { readonly sha256: string; readonly bytes: number }>(512);

/** True when the neutral picture of a panel is there and need not be drawn. */
export function isNeutralDrawn(panel: Panel): boolean {
  return drawn.has(panel.name);
}

/** Draws the neutral picture of a panel. Callers that ask at once get the same one. */
export function drawNeutral(panel: Panel): Promise<NeutralPicture> {
  const before = drawn.get(panel.name);
  if (before !== undefined) return before;
  const drawing = packNeutral(panel).then((file) => {
    const sha256 = createHash('sha256').update(file).digest('hex');
    known.set(panel.name, { sha256, bytes: file.length });
    return { file, sha256 };
  });
  if (panel.packing === 'png') {
    drawn.set(panel.name, drawing);
    drawing.catch(() => drawn.delete(panel.name));
  }
  return drawing;
}

async function packNeutral(panel: Panel): Promise<Uint8Array> {
  // It looks the same from all sides, so that the raster as stored is drawn like the one that a person sees.
  if (panel.packing === 'png') return packPngInPool(panel, neutralRaster(panel, panel));
  return packPicture(panel, 'landscape', neutralRaster(panel, viewSize(panel, 'landscape')));
}

function neutralRaster({ colours }: Panel, { width, height }: { readonly width: number; readonly height: number }) {
  const ink = (wanted: string): number => colours.findIndex(({ name }) => name === wanted);
  const [white, black] = [ink('white'), ink('black')];
  const shorter = Math.min(width, height);
  const from = Math.round(shorter * inset);
  const until = from + Math.max(1, Math.round(shorter * edge));
  const indices = new Uint8Array(width * height).fill(white);
  for (let y = from; y < height - from; y++) {
    const [left, right] = [y * width + from, (y + 1) * width - from];
    const isEdge = Math.min(y, height - 1 - y) < until;
    indices.fill(black, left, isEdge ? right : left + until - from);
    indices.fill(black, right - until + from, right);
  }
  return indices;
}

/** Digest and length of a panel's neutral picture. */
export async function neutralOf(panel: Panel): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const before = known.get(panel.name);
  if (before !== undefined) return before;
  const { file, sha256 } = await drawNeutral(panel);
  return { sha256, bytes: file.length };
}

/**
 * Offers the neutral picture to a frame that has no picture of its owner's yet, but was given pictures before, which
 * belong to somebody else (T-63).
 * @returns the offer, or undefined for a frame that needs none, or has no version left
 */
export async function offerNeutral(
  db: Database,
  frame: FrameRow,
  reportedVersion: number,
  { now, random }: Moment,
): Promise<UploadRow | undefined> {
  const panel = panelOfFrame(frame);
  if (panel === undefined || frame.announced_version === 0) return undefined;
  if (nextFileVersion(reportedVersion, frame.announced_version, now) === undefined) return undefined;
  const { serial } = frame;
  const made = { ...(await neutralOf(panel)), format: panel.packing, panel: panel.name };
  return writeOffer(db, { serial, revision: neutralRevision, ...made }, { now, random });
}

/**
 * The file of an offer of the neutral picture; undefined where it is drawn otherwise today than when it was offered. Offers of
 * the first releases do not name their panel.
 */
export async function neutralFile({
  panel: name,
  picture_sha256,
}: Pick<UploadRow, 'panel' | 'picture_sha256'>): Promise<Buffer | undefined> {
  const candidates = name === null ? Object.values(panels) : [panelOfKind(name)];
  for (const panel of candidates) {
    if (panel === undefined || (await neutralOf(panel)).sha256 !== picture_sha256) continue;
    return Buffer.from((await drawNeutral(panel)).file);
  }
  return undefined;
}
