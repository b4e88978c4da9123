/**
 * Reads what is known of the fonts in a file (TrueType, OpenType, collections of them): names, style, characters. Only the
 * tables for that are read, each up to a bound; a file that is broken throws.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type GlyphCoverage, readCmap } from './coverage.ts';

/** A font of this machine. */
export interface FontFace {
  readonly path: string;
  /** Where its table directory lies; beyond the beginning in a collection. */
  readonly directoryAt: number;
  readonly isOfCollection: boolean;
  /** The length of its tables. */
  readonly bytes: number;
  readonly family: string;
  /** The lightest and the heaviest weight, which differ in variable fonts. */
  readonly weights: readonly [lightest: number, heaviest: number];
  readonly isSlanted: boolean;
  readonly isCondensed: boolean;
  /** Whether all its glyphs are equally wide. */
  readonly isFixed: boolean;
  readonly hasSerifs: boolean;
  readonly hasColours: boolean;
  readonly coverage: GlyphCoverage;
}

/** A table of a font, by its place in the file. */
export interface FontTable {
  readonly tag: string;
  readonly at: number;
  readonly length: number;
}

/** Reads bytes of a file. @throws RangeError beyond its end */
export type ReadBytes = (at: number, length: number) => Buffer;

const maxFaces = 64;
const maxTables = 128;
/** The most that is read of a table; the largest of known fonts is the characters of all of CJK, with 400 kB. */
const maxTableBytes = 4 * 1024 * 1024;
const recordBytes = 16;
/** Fonts as they begin: TrueType, Apple's, and outlines of PostScript. */
const beginnings = new Set([0x00010000, 0x74727565, 0x4f54544f]);
const collection = 0x74746366;
const outlines = ['glyf', 'CFF ', 'CFF2', 'CBDT', 'sbix'];
const colours = ['CBDT', 'sbix', 'COLR', 'SVG '];
/** The width class of semi-condensed fonts. */
const condensedWidth = 4;

/** Calls `read` with a file, and closes it. */
export function withFile<Result>(path: string, read: (bytes: ReadBytes) => Result): Result {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    return read((at, length) => {
      if (at + length > size) throw new RangeError('a font names what lies beyond its end');
      const bytes = Buffer.alloc(length);
      if (readSync(file, bytes, 0, length, at) < length) throw new RangeError('a font ended while it was read');
      return bytes;
    });
  } finally {
    closeSync(file);
  }
}

/**
 * Reads the fonts of a file.
 * @throws Error when the file cannot be read or is not a font
 */
export function readFaces(path: string): readonly FontFace[] {
  return withFile(path, (read) => {
    const known = new Map<number, GlyphCoverage>();
    const places = directoriesOf(read);
    return places.map((at) => readFace(read, { path, directoryAt: at, isOfCollection: places.length > 1 }, known));
  });
}

/** Returns where the table directories of a file begin. */
function directoriesOf(read: ReadBytes): readonly number[] {
  if (read(0, 4).readUInt32BE(0) !== collection) return [0];
  const count = read(8, 4).readUInt32BE(0);
  if (count > maxFaces) throw new RangeError(`a collection has ${count} fonts`);
  const places = read(12, 4 * count);
  return Array.from({ length: count }, (_, place) => places.readUInt32BE(4 * place));
}

/** Reads the tables of a font. @throws RangeError when it is not one */
export function readTables(read: ReadBytes, directoryAt: number): readonly FontTable[] {
  const head = read(directoryAt, 12);
  const count = head.readUInt16BE(4);
  if (!beginnings.has(head.readUInt32BE(0)) || count > maxTables) throw new RangeError('a file is not a font');
  const records = read(directoryAt + head.length, recordBytes * count);
  return Array.from({ length: count }, (_, place) => {
    const record = records.subarray(recordBytes * place);
    return { tag: record.toString('latin1', 0, 4), at: record.readUInt32BE(8), length: record.readUInt32BE(12) };
  });
}

type FaceSource = Pick<FontFace, 'path' | 'directoryAt' | 'isOfCollection'>;

function readFace(read: ReadBytes, source: FaceSource, known: Map<number, GlyphCoverage>): FontFace {
  const tables = readTables(read, source.directoryAt);
  const tags = new Set(tables.map(({ tag }) => tag));
  if (!outlines.some((tag) => tags.has(tag))) throw new RangeError('a font has no outlines');
  const table = (wanted: string): Buffer | undefined => {
    const found = tables.find(({ tag }) => tag === wanted);
    return found && read(found.at, Math.min(found.length, maxTableBytes));
  };
  const cmapAt = tables.find(({ tag }) => tag === 'cmap')?.at ?? -1;
  const [cmap, maxp, names] = [known.has(cmapAt) ? undefined : table('cmap'), table('maxp'), table('name')];
  const coverage = known.get(cmapAt) ?? readCmap(cmap ?? Buffer.alloc(0), maxp?.readUInt16BE(4));
  known.set(cmapAt, coverage);
  const style = styleOf(table('OS/2'));
  return {
    ...source,
    ...style,
    bytes: tables.reduce((sum, { length }) => sum + length, 0),
    family: names === undefined ? '' : familyOf(names),
    weights: weightsOf(table('fvar')) ?? [style.weight, style.weight],
    isFixed: table('post')?.readUInt32BE(12) !== 0,
    hasColours: colours.some((tag) => tags.has(tag)),
    coverage,
  };
}

/** Reads the style of a font of its table `OS/2`. Fonts without one are ordinary. */
function styleOf(table: Buffer | undefined) {
  if (table === undefined) return { weight: 400, isSlanted: false, isCondensed: false, hasSerifs: false };
  const [weight, width] = [table.readUInt16BE(4), table.readUInt16BE(6)];
  const [kind, serif, selection] = [table.readUInt8(32), table.readUInt8(33), table.readUInt16BE(62)];
  return {
    weight,
    isSlanted: (selection & 0b10_0000_0001) !== 0,
    isCondensed: width <= condensedWidth,
    // Letters of hands and ornaments count as well: none of them is a plain text.
    hasSerifs: kind > 2 || (kind === 2 && serif >= 2 && serif <= 10),
  };
}

/** Reads the weights of a variable font of its table `fvar`. */
function weightsOf(fvar: Buffer | undefined): readonly [number, number] | undefined {
  if (fvar === undefined) return undefined;
  const [axesAt, axes, length] = [fvar.readUInt16BE(4), fvar.readUInt16BE(8), fvar.readUInt16BE(10)];
  for (let axis = 0; axis < axes; axis++) {
    const at = axesAt + axis * length;
    if (fvar.toString('latin1', at, at + 4) !== 'wght') continue;
    return [fvar.readUInt16BE(at + 4), fvar.readUInt16BE(at + 12)];
  }
  return undefined;
}

/** The numbers of names: the family with all its weights, and that of four styles. */
const [wholeFamily, fourStyles] = [16, 1] as const;
const english = 0x409;

/** Reads the name of a family of the table `name`; an English one where there are several. */
function familyOf(names: Buffer): string {
  const [count, textsAt] = [names.readUInt16BE(2), names.readUInt16BE(4)];
  let [best, family] = [0, ''];
  for (let at = 6; at < 6 + 12 * count; at += 12) {
    const [platform, language, name] = [names.readUInt16BE(at), names.readUInt16BE(at + 4), names.readUInt16BE(at + 6)];
    if (name !== wholeFamily && name !== fourStyles) continue;
    const rank = 1 + (platform === 3 ? 1 : 0) + (language === english ? 2 : 0) + (name === wholeFamily ? 4 : 0);
    if (rank <= best) continue;
    const start = textsAt + names.readUInt16BE(at + 10);
    const text = names.subarray(start, start + names.readUInt16BE(at + 8));
    family = platform === 1 ? text.toString('latin1') : utf16(text);
    best = rank;
  }
  return family;
}

/** Decodes UTF-16 in the order of the network. */
const utf16 = (text: Buffer): string =>
  Buffer.from(text.subarray(0, text.length & ~1))
    .swap16()
    .toString('utf16le');
