/** Firmware images: they are checked once when they are added, and stored under their digest. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { firmwareVersionCharacters, isFirmwareVersion } from '../../firmware-protocol/firmware-version.ts';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import type { TopicUse } from '../../firmware-protocol/topics.ts';
import { refuse } from '../../reasons/refusals.ts';
import { type Database, isUniqueViolation } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { type DurableFolder, openDurableFolder } from '../../runtime/disk/durable-folder.ts';
import type { Random } from '../../runtime/random.ts';
import { requireKind } from '../frames/frame-kinds.ts';
import type { firmwareTables } from './tables.ts';

/** The largest image: the largest flash chip of the common boards holds no more. */
export const maxImageBytes = 16 * 1024 * 1024;

/** The dialect of a firmware. Builds of both dialects run on frames of one kind, and must not be mixed up. */
export type FirmwareDialect = TopicUse['dialect'];

/** A row of `firmware_images`. */
export type ImageRow = RowIn<typeof firmwareTables, 'firmware_images', { dialect: FirmwareDialect }>;

/** The folder of the images, within a data folder; files are named by their digests. */
export function firmwareFolder(dataFolder: string): string {
  return join(dataFolder, 'firmware');
}

/** Opens the folder of the images. */
export function openImages(dataFolder: string): Promise<DurableFolder> {
  return openDurableFolder(firmwareFolder(dataFolder));
}

/** The canonical name of a kind, under which firmware is stored and found. */
export function firmwareKind(kind: string): string | undefined {
  return panelOfKind(kind)?.name;
}

/** A firmware image that a person adds. */
export interface NewImage {
  readonly kind: string;
  readonly dialect: FirmwareDialect;
  readonly version: string;
  readonly file: Uint8Array;
  /** The expected digest, when the person knows it. */
  readonly sha256?: string | undefined;
}

/** Refuses a file that cannot be a firmware image. */
function checkImage({ version, file, sha256 }: NewImage): void {
  const problem = (message: string, hint?: string) => refuse('invalid-request', { message, ...(hint && { hint }) });
  if (!isFirmwareVersion(version)) {
    throw problem(
      `${version.slice(0, 40)} is not a firmware version`,
      `a semantic version of at most ${firmwareVersionCharacters} characters, for example 1.4.2 or 2.0.0-rc.1`,
    );
  }
  if (file.length === 0) throw problem('The image is empty');
  if (file.length > maxImageBytes) {
    throw problem(`The image has ${file.length} bytes`, `at most ${maxImageBytes} fit on a frame`);
  }
  const found = createHash('sha256').update(file).digest('hex');
  if (sha256 !== undefined && sha256.toLowerCase() !== found) {
    throw problem(`The image’s digest is ${found}`, 'it was damaged on the way, or is another one');
  }
}

/**
 * Adds an image: its file is durable before its row exists (INV-03). Adding the same image again changes nothing, but
 * restores a lost file.
 * @throws Refusal `invalid-request` for a file that is not an image, `conflict` for other bytes under a version that is
 * taken
 */
export async function addImage(
  deps: { readonly db: Database; readonly random: Random; readonly images: DurableFolder },
  image: NewImage,
  now: number,
): Promise<ImageRow> {
  const kind = requireKind(image.kind);
  checkImage(image);
  const { dialect, version, file } = image;
  const sha256 = createHash('sha256').update(file).digest('hex');
  const before = await imageOf(deps.db, kind, dialect, version);
  if (before !== undefined && before.sha256 !== sha256) throw taken(before);
  await deps.images.put(file);
  if (before !== undefined) return before;
  const row: ImageRow = {
    id: deps.random.id(),
    kind,
    dialect,
    version,
    sha256,
    bytes: file.length,
    added_at: now,
  };
  try {
    await deps.db('firmware_images').insert(row);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const other = await imageOf(deps.db, kind, dialect, version);
    if (other?.sha256 === sha256) return other;
    throw taken(row);
  }
  return row;
}

/** Finds the image of a version, if there is one. */
export function imageOf(
  db: Database,
  kind: string,
  dialect: FirmwareDialect,
  version: string,
): Promise<ImageRow | undefined> {
  return db<ImageRow>('firmware_images').where({ kind, dialect, version }).first();
}

function taken({ kind, dialect, version }: ImageRow): Error {
  return refuse('conflict', {
    message: `There is another image of version ${version} for ${dialect} ${kind}`,
    hint: 'what frames may already run keeps its version; give the new image a new one',
  });
}
