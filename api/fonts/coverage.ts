/**
 * The characters that a font has, of its `cmap`. Fonts of a machine come from anywhere: a table is read within its bounds,
 * and each of its parts lies behind the one before, so that none takes longer than its bytes.
 */

/** The code points for which a font has a glyph. */
export interface GlyphCoverage {
  has(point: number): boolean;
}

const lastPoint = 0x10ffff;
const manyGlyphs = 0x10000;

/**
 * Reads a `cmap`, of which the table counts that draws take: the one of all planes, else that of the first plane.
 * @param glyphs the number of glyphs of the font; characters of others have none
 * @throws RangeError when the table ends early or its parts are out of order
 */
export function readCmap(cmap: Buffer, glyphs = manyGlyphs): GlyphCoverage {
  let [ofAllPlanes, ofFirstPlane] = [-1, -1];
  const subtables = cmap.readUInt16BE(2);
  for (let at = 4; at < 4 + 8 * subtables; at += 8) {
    const [platform, encoding, start] = [cmap.readUInt16BE(at), cmap.readUInt16BE(at + 2), cmap.readUInt32BE(at + 4)];
    const isUnicode = platform === 0 || (platform === 3 && (encoding === 1 || encoding === 10));
    if (!isUnicode) continue;
    const format = cmap.readUInt16BE(start);
    if (format === 4) ofFirstPlane = start;
    if (format === 12) ofAllPlanes = start;
  }
  const ranges = newRanges();
  if (ofAllPlanes >= 0) readGroups(cmap.subarray(ofAllPlanes), glyphs, ranges);
  else if (ofFirstPlane >= 0) readSegments(cmap.subarray(ofFirstPlane), glyphs, ranges);
  return coverageOf(ranges);
}

/** Ranges of code points in ascending order, apart from each other. */
interface Ranges {
  readonly firsts: number[];
  readonly lasts: number[];
  add(first: number, last: number): void;
}

function newRanges(): Ranges {
  const [firsts, lasts]: [number[], number[]] = [[], []];
  return {
    firsts,
    lasts,
    add(first, last) {
      if (last < first) return;
      if (lasts.at(-1) === first - 1) lasts[lasts.length - 1] = last;
      else {
        firsts.push(first);
        lasts.push(last);
      }
    },
  };
}

function coverageOf(ranges: Ranges): GlyphCoverage {
  const [firsts, lasts] = [Uint32Array.from(ranges.firsts), Uint32Array.from(ranges.lasts)];
  return {
    has(point) {
      let [low, high] = [0, firsts.length - 1];
      while (low <= high) {
        const middle = (low + high) >> 1;
        if (point < (firsts[middle] as number)) high = middle - 1;
        else if (point > (lasts[middle] as number)) low = middle + 1;
        else return true;
      }
      return false;
    },
  };
}

/** Format 4: segments of the first plane. */
function readSegments(table: Buffer, glyphs: number, ranges: Ranges): void {
  const bytes = table.readUInt16BE(6) & ~1;
  let before = -1;
  for (let segment = 0; segment < bytes; segment += 2) {
    const [end, start] = [table.readUInt16BE(14 + segment), table.readUInt16BE(16 + bytes + segment)];
    const delta = table.readUInt16BE(16 + 2 * bytes + segment);
    const rangeAt = 16 + 3 * bytes + segment;
    const range = table.readUInt16BE(rangeAt);
    if (start <= before) throw new RangeError('segments of a cmap are out of order');
    before = Math.max(start, end);
    for (let point = start; point <= end && point < 0xffff; point++) {
      const listed = range === 0 ? point : table.readUInt16BE(rangeAt + range + 2 * (point - start));
      const glyph = range !== 0 && listed === 0 ? 0 : (listed + delta) & 0xffff;
      if (glyph !== 0 && glyph < glyphs) ranges.add(point, point);
    }
  }
}

/** Format 12: groups of any plane. */
function readGroups(table: Buffer, glyphs: number, ranges: Ranges): void {
  const groups = table.readUInt32BE(12);
  let before = -1;
  for (let at = 16; at < 16 + 12 * groups; at += 12) {
    const [first, last, glyph] = [table.readUInt32BE(at), table.readUInt32BE(at + 4), table.readUInt32BE(at + 8)];
    if (first <= before || last < first) throw new RangeError('groups of a cmap are out of order');
    before = last;
    // The first glyph is the box of characters that the font lacks.
    ranges.add(glyph === 0 ? first + 1 : first, Math.min(last, lastPoint, first + glyphs - 1 - glyph));
  }
}
