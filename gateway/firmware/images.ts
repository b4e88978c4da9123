/** Firmware images: taken in once, checked, kept under their digest. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { firmwareVersionCharacters, isFirmwareVersion } from '../../firmware-protocol/firmware-version.ts';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import type { TopicUse } from '../../firmware-protocol/topics.ts';
import { requireKind } from '../frames/frame-kinds.ts';
import { type Database, isUniqueViolation } from '../runtime/database.ts';
import { type DurableFolder, openDurableFolder } from '../runtime/durable-folder.ts';
import type { Random } from '../runtime/random.ts';
import { refuse } from '../runtime/refusals.ts';

/** The largest flash chip of the boards that are around holds no more. */
export const mostImageBytes = 16 * 1024 * 1024;

/** What a firmware speaks: builds of both dialects run on frames of one kind, and must not be mixed up. */
export type FirmwareDialect = TopicUse['dialect'];

/** A row of `firmware_images`. */
export interface ImageRow {
  id: string;
  kind: string;
  dialect: FirmwareDialect;
  version: string;
  sha256: string;
  bytes: number;
  added_at: number;
}

/** Where images lie: files named by their digests. */
export function firmwareFolder(dataFolder: string): string {
  return join(dataFolder, 'firmware');
}

/** Opens that folder. */
export function openImages(dataFolder: string): Promise<DurableFolder> {
  return openDurableFolder(firmwareFolder(dataFolder));
}

/** The one name of a kind; firmware is stored and found under it. */
export function firmwareKind(kind: string): string | undefined {
  return panelOfKind(kind)?.name;
}

/** A firmware that somebody hands in. */
export interface NewImage {
  readonly kind: string;
  readonly dialect: FirmwareDialect;
  readonly version: string;
  readonly file: Uint8Array;
  /** What its digest should be, when the person knows it. */
  readonly sha256?: string | undefined;
}

/** Refuses what cannot be a firmware image. */
function checkImage({ version, file, sha256 }: NewImage): void {
  const problem = (message: string, hint?: string) => refuse('invalid-request', { message, ...(hint && { hint }) });
  if (!isFirmwareVersion(version)) {
    throw problem(
      `${version.slice(0, 40)} is no firmware version`,
      `a semantic version of at most ${firmwareVersionCharacters} characters, for example 1.4.2 or 2.0.0-rc.1`,
    );
  }
  if (file.length === 0) throw problem('The image is empty');
  if (file.length > mostImageBytes) {
    throw problem(`The image has ${file.length} bytes`, `at most ${mostImageBytes} fit on a frame`);
  }
  const found = createHash('sha256').update(file).digest('hex');
  if (sha256 !== undefined && sha256.toLowerCase() !== found) {
    throw problem(`The image’s digest is ${found}`, 'it was damaged on the way, or is another one');
  }
}

/**
 * Takes an image in: its file is durable before its row exists (INV-03). The same one again changes nothing but brings
 * a lost file back.
 * @throws Refusal `invalid-request` for what is no image, `conflict` for other bytes under a version that is taken
 */
export async function addImage(
  edges: { readonly db: Database; readonly random: Random; readonly images: DurableFolder },
  image: NewImage,
  now: number,
): Promise<ImageRow> {
  const kind = requireKind(image.kind);
  checkImage(image);
  const { dialect, version, file } = image;
  const sha256 = createHash('sha256').update(file).digest('hex');
  const before = await imageOf(edges.db, kind, dialect, version);
  if (before !== undefined && before.sha256 !== sha256) throw taken(before);
  await edges.images.put(file);
  if (before !== undefined) return before;
  const row: ImageRow = {
    ...{ id: edges.random.id(), kind, dialect, version, sha256 },
    ...{ bytes: file.length, added_at: now },
  };
  try {
    await edges.db('firmware_images').insert(row);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const other = await imageOf(edges.db, kind, dialect, version);
    if (other?.sha256 === sha256) return other;
    throw taken(row);
  }
  return row;
}

/** The image of a version, if there is one. */
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
