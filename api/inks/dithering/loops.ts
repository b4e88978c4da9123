/**
 * The loops that every pixel goes through, compiled (`loops/`), and the memory they work in. A thread has one of each.
 * The memory holds the tables of one palette and one picture, whose places depend on its size; it grows to the largest
 * picture and stays so.
 */
import { blueWeight, greenWeight, redWeight } from './colour.ts';
import { compiledLoops } from './compiled-loops.ts';
import { remainders } from './gamut-table.ts';
import {
  gamutAt,
  inksAt,
  levelsAt,
  lightOfBlueAt,
  lightOfGreenAt,
  lightOfRedAt,
  limitsAt,
  mayBeNominalAt,
  movesAt,
  nearestAt,
  noiseAt,
  nominalAt,
  pictureAt,
  radius,
  remaindersAt,
  ringRows,
  stepsAt,
  tileBits,
  twiceInksAt,
} from './loops/places.ts';
import type { PaletteTables } from './palette.ts';

/** The loops; their comments are where they are written. Addresses are bytes from the start of the memory. */
interface Loops {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  diffuseRow(
    rgb: number,
    indices: number,
    lightness: number,
    owed: number,
    width: number,
    y: number,
    inks: number,
  ): void;
  blurAcross(numbers: number, line: number, to: number, width: number): void;
  blurDown(across: number, to: number, row: number, stride: number): void;
  moveRow(
    indices: number,
    lightness: number,
    ring: number,
    row: number,
    width: number,
    stride: number,
    hasBelow: boolean,
  ): void;
  countColours(rgb: number, row: number, width: number, height: number, paper: number): number;
  markRow(
    rgb: number,
    row: number,
    papers: number,
    changed: number,
    edges: number,
    least: number,
    most: number,
    off: number,
  ): void;
  toneRow(rgb: number, row: number, marks: number): void;
  clear(at: number, count: number): void;
  dropMarks(indices: number, count: number): void;
}

/** The part of WebAssembly that is used: Node has it, and its types do not. */
interface Assembly {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Assembly }).WebAssembly;

export const loops = new Instance(new Module(Buffer.from(compiledLoops, 'base64')), {}).exports as Loops;

const bytesPerPage = 0x10000;

function growTo(bytes: number): void {
  const missing = bytes - loops.memory.buffer.byteLength;
  if (missing > 0) loops.memory.grow(Math.ceil(missing / bytesPerPage));
}

/** Returns numbers in the memory, to be written at once: growing the memory takes them away. */
const numbersAt = (at: number, count: number): Int32Array => new Int32Array(loops.memory.buffer, at, count);
const bytesAt = (at: number, count: number): Uint8Array => new Uint8Array(loops.memory.buffer, at, count);

function writeCommonTables(): void {
  growTo(pictureAt);
  bytesAt(remaindersAt, remainders.length).set(remainders);
}
writeCommonTables();

/** Copies the levels of a tone into the memory. */
export function loadLevels(levels: Uint8Array): void {
  bytesAt(levelsAt, levels.length).set(levels);
}

/** Returns the luminance in 256ths of a unit. */
const weighted = (red: number, green: number, blue: number): number =>
  redWeight * red + greenWeight * green + blueWeight * blue;

const channels = [
  [lightOfRedAt, redWeight],
  [lightOfGreenAt, greenWeight],
  [lightOfBlueAt, blueWeight],
] as const;

let loaded: PaletteTables | undefined;

/** Copies a palette's tables into the memory, unless they are there. */
function loadPalette(tables: PaletteTables): void {
  if (loaded === tables) return;
  loaded = tables;
  const { inks, luminances, nominal, mayBeNominal, nearest, gamut, moves, scale, lightOf, noise } = tables;
  // All light lies `-scale.least` higher in the memory: light that is clamped to none can be looked up as it is.
  const { least, most, steps } = scale;
  numbersAt(limitsAt, 4).set([0, 1, 2, 3].map((lane) => (lane === 3 ? 0 : 4 * (most - least) + 3)));
  numbersAt(noiseAt, 1)[0] = noise;
  bytesAt(stepsAt, steps.length).set(steps);
  channels.forEach(([at, weight], channel) => {
    const table = numbersAt(at, 256 * 4);
    for (let byte = 0; byte < 256; byte++) {
      const light = [0, 1, 2].map((part) => lightOf[(channel * 256 + byte) * 3 + part] as number);
      const [red = 0, green = 0, blue = 0] = light;
      const higher = weighted(red, green, blue) - least * weight;
      table.set([...light.map((units, part) => units - (part === channel ? least : 0)), higher], byte * 4);
    }
  });
  numbersAt(nominalAt, nominal.length).set(nominal);
  bytesAt(mayBeNominalAt, mayBeNominal.length).set(mayBeNominal);
  bytesAt(nearestAt, nearest.length).set(nearest.map((ink) => ink << 4));
  const drawn = numbersAt(inksAt, luminances.length * 4);
  luminances.forEach((luminance, ink) => {
    for (let channel = 0; channel < 3; channel++) {
      drawn[ink * 4 + channel] = (inks[ink * 3 + channel] as number) - least;
    }
    drawn[ink * 4 + 3] = luminance - least;
  });
  numbersAt(twiceInksAt, drawn.length).set(drawn.map((part) => 2 * part));
  const nodes = numbersAt(gamutAt, (gamut.length / 3) * 4);
  for (let from = 0, to = 0; from < gamut.length; from += 3, to += 4) {
    const [red, green, blue] = [gamut[from] as number, gamut[from + 1] as number, gamut[from + 2] as number];
    nodes[to] = red;
    nodes[to + 1] = green;
    nodes[to + 2] = blue;
    nodes[to + 3] = weighted(red, green, blue);
  }
  const rules = numbersAt(movesAt, moves.moved.length * 2);
  moves.moved.forEach((moved, pair) => {
    rules[pair * 2] = moved;
    rules[pair * 2 + 1] = moves.payingSlope[pair] as number;
  });
}

/** The places of a picture in the memory, in bytes. */
export interface Places {
  readonly rgb: number;
  readonly indices: number;
  readonly lightness: number;
  /** The most frequent colour of each square, four bytes 0xrrggbb. */
  readonly papers: number;
  /** The marks of `markRow`, `marksPerRow` bytes a row. */
  readonly changed: number;
  readonly edges: number;
  readonly marksPerRow: number;
  /** The debts to the pixels of a row, from the first pixel on: four numbers a pixel; one pixel more at either end. */
  readonly owed: number;
  /** A row of numbers with `radius` of none before and after it. */
  readonly line: number;
  /**
   * Two rings of `ringRows` rows: blurred across, and down as well. A row takes `stride` bytes, its first pixel
   * `radius` numbers in.
   */
  readonly across: number;
  readonly ring: number;
  readonly stride: number;
}

/** Returns the bytes to reserve. Whole vectors are read and written: each place begins at one and has one to spare. */
const vectors = (bytes: number): number => (Math.ceil(bytes / 16) + 1) * 16;

/** Makes room for a picture and loads its palette. The picture before it is forgotten. */
export function placePicture(width: number, height: number, tables: PaletteTables): Places {
  let next = pictureAt;
  const take = (bytes: number): number => {
    const at = next;
    next += vectors(bytes);
    return at;
  };
  const pixels = width * height;
  const columns = Math.ceil(width / (1 << tileBits));
  const marksPerRow = 2 * columns;
  // A move writes twelve numbers from `radius` before its pixel on.
  const stride = vectors((width + 2 * radius) * 4);
  const places = {
    rgb: take(pixels * 3),
    indices: take(pixels),
    lightness: take(pixels * 4),
    papers: take(columns * Math.ceil(height / (1 << tileBits)) * 4),
    changed: take(marksPerRow * height),
    edges: take(marksPerRow * height),
    marksPerRow,
    owed: take((width + 2) * 16) + 16,
    line: take((width + 2 * radius) * 4 + 16) + 4 * radius,
    across: take(ringRows * stride),
    ring: take(ringRows * stride),
    stride,
  };
  growTo(next);
  loadPalette(tables);
  loops.clear(places.owed - 16, next - places.owed + 16);
  return places;
}
