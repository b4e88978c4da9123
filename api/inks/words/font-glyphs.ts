/**
 * The characters that a font has: its `cmap`, read from WOFF2 (W3C, section 4), whose tables lie in one Brotli stream. The
 * ranges by which a family is split name more than its files draw. The fonts are our own, so a file that cannot be read is
 * a mistake of the package.
 */
import { brotliDecompressSync } from 'node:zlib';

/** The names of tables that WOFF2 writes as a number. `cmap` is the first; two of them may be transformed. */
const knownTables = 63;
const cmapTable = 0;
const [glyfTable, locaTable] = [10, 11] as const;
const headerBytes = 48;

/** Returns the code points for which a font has a glyph. */
export function glyphsOf(woff2: Buffer): ReadonlySet<number> {
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

function readCmap(cmap: Buffer): ReadonlySet<number> {
  const points = new Set<number>();
  const subtables = cmap.readUInt16BE(2);
  for (let table = 0; table < subtables; table++) {
    const start = cmap.readUInt32BE(4 + 8 * table + 4);
    const format = cmap.readUInt16BE(start);
    if (format === 4) readSegments(cmap.subarray(start), points);
    if (format === 12) readGroups(cmap.subarray(start), points);
  }
  return points;
}

/** Format 4: segments of the first plane. */
function readSegments(table: Buffer, points: Set<number>): void {
  const bytes = table.readUInt16BE(6);
  for (let segment = 0; segment < bytes; segment += 2) {
    const [end, start] = [table.readUInt16BE(14 + segment), table.readUInt16BE(16 + bytes + segment)];
    const delta = table.readUInt16BE(16 + 2 * bytes + segment);
    const rangeAt = 16 + 3 * bytes + segment;
    const range = table.readUInt16BE(rangeAt);
    for (let point = start; point <= end && point < 0xffff; point++) {
      const listed = range === 0 ? point : table.readUInt16BE(rangeAt + range + 2 * (point - start));
      const glyph = range !== 0 && listed === 0 ? 0 : (listed + delta) & 0xffff;
      if (glyph !== 0) points.add(point);
    }
  }
}

/** Format 12: groups of any plane. */
function readGroups(table: Buffer, points: Set<number>): void {
  const groups = table.readUInt32BE(12);
  for (let group = 0; group < groups; group++) {
    const at = 16 + 12 * group;
    const [first, last, glyph] = [table.readUInt32BE(at), table.readUInt32BE(at + 4), table.readUInt32BE(at + 8)];
    for (let point = first; point <= last; point++) if (glyph + point - first !== 0) points.add(point);
  }
}
