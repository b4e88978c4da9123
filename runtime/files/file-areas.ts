/** Where the service keeps files: areas of immutable files, each named by its digest. */
import type { Collected, DurableFolder, FindUsed } from '../disk/durable-folder.ts';

/** Files that people and integrations sent; files that frames fetch; images of firmware. */
export const fileAreas = ['files', 'pictures', 'firmware'] as const;
export type FileArea = (typeof fileAreas)[number];

/** Files that are kept somewhere else than in the data folder. */
export interface FileAreas {
  /** Opens an area. `damaged` is called once for each file that is not what was stored; it stays until it is put again. */
  open(area: FileArea, damaged?: (name: string) => void): DurableFolder;
  /** Clears away files that no row refers to, in the two passes of `collectFolder`. */
  collect(area: FileArea, findUsed: FindUsed): Promise<Collected>;
  /** Lists the digests of the files of an area, those that wait for their second pass among them. */
  names(area: FileArea): AsyncIterable<string>;
  /** Returns the bytes that an area takes. */
  bytes(area: FileArea): Promise<number>;
}
