/** The frames of an organization, as firmware sees them. */
import { createHash } from 'node:crypto';
import { isFirmwareVersion, isNewerFirmware } from '../../../firmware-protocol/firmware-version.ts';
import { firmwareKind, type ImageRow } from '../../../gateway/firmware/images.ts';
import type { FrameRow } from '../../../gateway/frames/registry.ts';
import type { Database } from '../../../runtime/database/database.ts';

/** A frame with its device. */
export interface OwnedFrame extends Pick<FrameRow, 'serial' | 'ownership' | 'dialect' | 'firmware'> {
  readonly device_id: string;
  readonly name: string;
  /** The canonical name of its panel. */
  readonly kind: string;
}

/** Reads the frames of an organization, by name. */
export async function ownedFrames(db: Database, organizationId: string): Promise<OwnedFrame[]> {
  const rows: OwnedFrame[] = await db('devices as d')
    .join('frames as f', 'f.serial', 'd.serial')
    .where({ 'd.organization_id': organizationId })
    // Frames that poll get their firmware from their makers.
    .where((any) => {
      any.whereNull('f.dialect').orWhereIn('f.dialect', ['native', 'classic']);
    })
    .orderBy(['d.name', 'd.id'])
    .select('d.id as device_id', 'd.name', 'f.serial', 'f.ownership', 'f.kind', 'f.dialect', 'f.firmware');
  return rows.map((row) => ({ ...row, kind: firmwareKind(row.kind) ?? row.kind }));
}

/** The newest image for frames of a kind and dialect; of two versions that cannot be compared, the one added last. */
export function newestImage(images: readonly ImageRow[], kind: string, dialect: string | null): ImageRow | undefined {
  return images
    .filter((image) => image.kind === kind && image.dialect === dialect)
    .reduce<ImageRow | undefined>(
      (newest, image) => (newest === undefined || isNewerFirmware(image.version, newest.version) ? image : newest),
      undefined,
    );
}

/** Returns whether a frame runs something older than an image; false where its version cannot be read. */
export function isBehind({ firmware }: Pick<FrameRow, 'firmware'>, image: ImageRow | undefined): boolean {
  if (image === undefined || firmware === null || !isFirmwareVersion(firmware)) return false;
  return isNewerFirmware(image.version, firmware);
}

/**
 * Picks a percentage of the frames, one at least. A greater percentage of the same image only adds frames.
 * @param seed what the pick depends on besides the serials
 */
export function pickFrames(frames: readonly OwnedFrame[], percent: number, seed: string): OwnedFrame[] {
  const placeOf = ({ serial }: OwnedFrame) => createHash('sha256').update(`${seed}/${serial}`).digest('hex');
  const byPlace = [...frames].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  return byPlace.slice(0, Math.ceil((frames.length * percent) / 100));
}
