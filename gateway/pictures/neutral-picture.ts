/**
 * The neutral picture, for a frame whose glass may still show a former owner's picture: a white sheet with a thin edge,
 * which looks the same however the frame hangs. It is drawn when it is needed and never stored as a file.
 */
import { createHash } from 'node:crypto';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { type Panel, panelOfKind, panels, viewSize } from '../../firmware-protocol/panels.ts';
import { nextFileVersion } from '../../firmware-protocol/versions.ts';
import type { Database } from '../../runtime/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { panelOfFrame } from '../frames/named-panel.ts';
import type { FrameRow } from '../frames/registry.ts';
import { writeOffer } from './offer-picture.ts';
import { neutralRevision, type UploadRow } from './upload-row.ts';

/** The distance of the edge from the border, and its width, both as parts of the shorter side. */
const inset = 1 / 20;
const width = 1 / 160;

/** Draws the neutral picture of a panel. */
export function drawNeutral(panel: Panel): Uint8Array {
  const size = viewSize(panel, 'landscape');
  const ink = (name: string): number => panel.colours.findIndex((colour) => colour.name === name);
  const [white, black] = [ink('white'), ink('black')];
  const shorter = Math.min(size.width, size.height);
  const from = Math.round(shorter * inset);
  const until = from + Math.max(1, Math.round(shorter * width));
  const indices = new Uint8Array(size.width * size.height);
  for (let y = 0, pixel = 0; y < size.height; y++) {
    const down = Math.min(y, size.height - 1 - y);
    for (let x = 0; x < size.width; x++, pixel++) {
      const inside = Math.min(x, size.width - 1 - x, down);
      indices[pixel] = inside >= from && inside < until ? black : white;
    }
  }
  return packPicture(panel, 'landscape', indices);
}

/** Digest and length of the neutral pictures, by the panel's name: they are the same every time. */
const known = new Map<string, { readonly sha256: string; readonly bytes: number }>();

/** Digest and length of a panel's neutral picture. */
export function neutralOf(panel: Panel): { readonly sha256: string; readonly bytes: number } {
  const before = known.get(panel.name);
  if (before !== undefined) return before;
  const file = drawNeutral(panel);
  const neutral = { sha256: createHash('sha256').update(file).digest('hex'), bytes: file.length };
  known.set(panel.name, neutral);
  return neutral;
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
  const made = { ...neutralOf(panel), format: panel.packing, panel: panel.name };
  return writeOffer(db, { serial, revision: neutralRevision, ...made }, { now, random });
}

/**
 * The file of an offer of the neutral picture; undefined where it is drawn otherwise today than when it was offered. Offers of
 * the first releases do not name their panel.
 */
export function neutralFile({
  panel: name,
  picture_sha256,
}: Pick<UploadRow, 'panel' | 'picture_sha256'>): Buffer | undefined {
  const candidates = name === null ? Object.values(panels) : [panelOfKind(name)];
  const panel = candidates.find((one) => one !== undefined && neutralOf(one).sha256 === picture_sha256);
  return panel && Buffer.from(drawNeutral(panel));
}
