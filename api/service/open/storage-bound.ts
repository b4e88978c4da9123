/** The bound of what one organization may store, from the settings or from the size of the disk. */
import { statfs } from 'node:fs/promises';
import { fileHomeOf } from '../settings/file-settings.ts';
import type { Settings } from '../settings/settings.ts';

const mebibyte = 1024 * 1024;
/** Where nothing is set: a quarter of the disk, so that it takes several organizations to fill it, and not more than this. */
const defaultStorageBytes = 10 * 1024 * mebibyte;
const partOfDisk = 4;

/**
 * Returns the bytes that the files of one organization may have; undefined where there is no bound.
 * @param diskBytes the size of the disk that the data folder is on
 */
export function storageBound(settings: Settings, diskBytes: number): number | undefined {
  const { PAPERGATE_ORGANIZATION_STORAGE: set } = settings;
  if (set !== undefined) return set === 0 ? undefined : set * mebibyte;
  if (fileHomeOf(settings) !== 'folder') return defaultStorageBytes;
  return Math.min(defaultStorageBytes, Math.floor(diskBytes / partOfDisk));
}

/** Returns the bound for the disk that the data folder is on. */
export async function boundOnDisk(settings: Settings): Promise<number | undefined> {
  const { blocks, bsize } = await statfs(settings.PAPERGATE_DATA);
  return storageBound(settings, blocks * bsize);
}
