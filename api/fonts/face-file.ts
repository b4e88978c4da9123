/** The bytes of a font of this machine, as a file of its own. */
import { type FontFace, readTables, withFile } from './read-faces.ts';

/** The largest font that is read, in bytes: all of CJK has 16 to 20 MB. */
export const maxFaceBytes = 32 * 1024 * 1024;

/** Tables lie at multiples of four bytes. */
const aligned = (length: number): number => (length + 3) & ~3;

/**
 * Reads a font: its table directory and its tables, without what else its file has.
 * @throws Error when the file cannot be read, or has changed to one that is larger than `maxFaceBytes`
 */
export function readFaceFile({ path, directoryAt }: FontFace): Buffer {
  return withFile(path, (read) => {
    const tables = readTables(read, directoryAt);
    const directory = read(directoryAt, 12 + 16 * tables.length);
    const length = tables.reduce((sum, table) => sum + aligned(table.length), directory.length);
    if (length > maxFaceBytes) throw new RangeError('a font is too large');
    const file = Buffer.alloc(length);
    let at = directory.length;
    for (const [place, table] of tables.entries()) {
      read(table.at, table.length).copy(file, at);
      directory.writeUInt32BE(at, 12 + 16 * place + 8);
      at += aligned(table.length);
    }
    directory.copy(file);
    return file;
  });
}
