/**
 * The characters that a font of WOFF2 has (W3C, section 4), whose tables lie in one Brotli stream. The fonts are our own, so
 * a file that cannot be read is a mistake of the package.
 */
import { brotliDecompressSync } from 'node:zlib';
import { type GlyphCoverage, readCmap } from './coverage.ts';

/** The names of tables that WOFF2 writes as a number. `cmap` is the first; two of them may be transformed. */
const knownTables = 63;
const cmapTable = 0;
const [glyfTable, locaTable] = [10, 11] as const;
const headerBytes = 48;

/** Returns the code points for which a font has a glyph. */
export function glyphsOf(woff2: Buffer): GlyphCoverage {
  const tables = woff2.readUInt16BE(12);
  let at = headerBytes;
  const number = (): number => {
    let value = 0;
    for (let byte = 0x80; byte & 0x80; ) {
      byte = woff2.readUInt8(at++);
      value = value * 128 + (byte & 0x7f);
    }
    return value;
  };
  let [before, cmapAt] = [0, -1];
  for (let table = 0; table < tables; table++) {
    const flags = woff2.readUInt8(at++);
    const [known, version] = [flags & 63, flags >> 6];
    const tag = known === knownTables ? woff2.toString('latin1', at, at + 4) : '';
    if (known === knownTables) at += 4;
    const length = number();
    const isOutline = known === glyfTable || known === locaTable;
    const isTransformed = isOutline ? version !== 3 : version !== 0;
    if (known === cmapTable || tag === 'cmap') cmapAt = before;
    before += isTransformed ? number() : length;
  }
  if (cmapAt < 0) throw new Error('a font has no cmap');
  return readCmap(brotliDecompressSync(woff2.subarray(at)).subarray(cmapAt));
}
