/** Files as rows of the database, so that several nodes need nothing else in common. */
import type { FileAreas } from './file-areas.ts';
import { filesByRows, type RowFilesDeps } from './row-store.ts';

/** Opens the files of a database: nothing else has to be there, copied or backed up. */
export function databaseFiles(deps: RowFilesDeps): FileAreas {
  return filesByRows(deps, () => ({
    table: 'stored_files',
    columns: ['bytes'],
    write: async (_name, bytes) => ({ bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }),
    read: async ({ bytes }: { readonly bytes: Buffer }) => bytes,
    gone: async () => {},
    sweep: async () => 0,
  }));
}
