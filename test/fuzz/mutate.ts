/** Makes another input of one that is known, as fuzzers do: bytes, chunks, numbers, lines and words are changed. */
import type { Draws } from './draws.ts';

/** The material of changes. */
export interface Material {
  readonly draws: Draws;
  /** Inputs that parts are taken from. */
  readonly known: readonly Buffer[];
  readonly words: readonly string[];
  readonly maxBytes: number;
}

type Change = (input: Buffer, material: Material) => Buffer;

const spliced = (input: Buffer, start: number, end: number, middle: Buffer): Buffer =>
  Buffer.concat([input.subarray(0, start), middle, input.subarray(end)]);

/** Draws a part of an input, short ones more often than long ones. */
function partOf(input: Buffer, { below, pick }: Draws): readonly [start: number, end: number] {
  const start = below(input.length + 1);
  const length = 1 + below(pick([2, 8, 32, 128, input.length + 1]));
  return [start, Math.min(input.length, start + length)];
}

const flipBit: Change = (input, { draws }) => {
  const changed = Buffer.from(input);
  const at = draws.below(input.length);
  changed[at] = (changed[at] ?? 0) ^ (1 << draws.below(8));
  return changed;
};

const setByte: Change = (input, { draws }) => {
  const changed = Buffer.from(input);
  changed[draws.below(input.length)] = draws.pick([0, 1, 10, 32, 0x7f, 0x80, 0xff, draws.below(256)]);
  return changed;
};

const removePart: Change = (input, { draws }) => spliced(input, ...partOf(input, draws), Buffer.alloc(0));

const repeatPart: Change = (input, { draws }) => {
  const [start, end] = partOf(input, draws);
  const part = input.subarray(start, end);
  const times = draws.pick([1, 1, 2, 8, 64]);
  return spliced(input, end, end, Buffer.concat(Array.from({ length: times }, () => part)));
};

const movePart: Change = (input, { draws }) => {
  const [start, end] = partOf(input, draws);
  const to = draws.below(input.length + 1);
  return spliced(input, to, Math.min(input.length, to + draws.pick([0, end - start])), input.subarray(start, end));
};

const takePart: Change = (input, { draws, known }) => {
  const other = draws.pick(known);
  const [start, end] = partOf(input, draws);
  return spliced(input, start, draws.pick([start, end]), other.subarray(...partOf(other, draws)));
};

const crossOver: Change = (input, { draws, known }) => {
  const other = draws.pick(known);
  return Buffer.concat([
    input.subarray(0, draws.below(input.length + 1)),
    other.subarray(draws.below(other.length + 1)),
  ]);
};

const putWord: Change = (input, { draws, words }) => {
  if (words.length === 0) return setByte(input, { draws, known: [], words, maxBytes: 0 });
  const [start, end] = partOf(input, draws);
  return spliced(input, start, draws.pick([start, start, end]), Buffer.from(draws.pick(words), 'latin1'));
};

const edges = [
  0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff,
];

/** Writes a number of one, two or four bytes, or changes the one that is there by a little. */
const setNumber: Change = (input, { draws }) => {
  const size = draws.pick([1, 2, 2, 4, 4]);
  if (input.length < size) return setByte(input, { draws, known: [], words: [], maxBytes: 0 });
  const changed = Buffer.from(input);
  const at = draws.below(input.length - size + 1);
  const isLittle = draws.below(2) === 0;
  const old = isLittle ? changed.readUIntLE(at, size) : changed.readUIntBE(at, size);
  const value = draws.pick([draws.pick(edges), old + draws.below(17) - 8, input.length - at]);
  const kept = ((value % 2 ** (8 * size)) + 2 ** (8 * size)) % 2 ** (8 * size);
  if (isLittle) changed.writeUIntLE(kept, at, size);
  else changed.writeUIntBE(kept, at, size);
  return changed;
};

const written = [
  '0',
  '1',
  '-1',
  '00',
  '9',
  '10',
  '31',
  '59',
  '60',
  '100',
  '255',
  '366',
  '999',
  '1000',
  '65536',
  '2147483647',
  '4294967296',
  '9007199254740993',
  '99999999999999999999',
  '1e308',
  '-0',
  '0.5',
  'NaN',
];

/** Changes a number that stands there in digits. */
const setDigits: Change = (input, material) => {
  const { draws } = material;
  const from = draws.below(input.length);
  const window = input.subarray(from, from + 400).toString('latin1');
  const found = /-?\d+/.exec(window);
  if (found === null) return putWord(input, material);
  const near = String(Number(found[0]) + draws.below(21) - 10);
  const start = from + found.index;
  return spliced(input, start, start + found[0].length, Buffer.from(draws.pick([draws.pick(written), near])));
};

const lineStarts = (input: Buffer): number[] => {
  const starts = [0];
  for (let at = input.indexOf(10); at >= 0 && starts.length < 2_000; at = input.indexOf(10, at + 1))
    starts.push(at + 1);
  return starts;
};

function lineOf(input: Buffer, draws: Draws): readonly [start: number, end: number] {
  const starts = lineStarts(input);
  const first = draws.below(starts.length);
  return [starts[first] ?? 0, starts[first + draws.pick([1, 1, 1, 2, 4])] ?? input.length];
}

/** Removes, repeats, or replaces lines by those of this or another input. */
const changeLines: Change = (input, { draws, known }) => {
  const [start, end] = lineOf(input, draws);
  const other = draws.pick([input, input, draws.pick(known)]);
  const line = other.subarray(...lineOf(other, draws));
  return draws.pick([
    () => spliced(input, start, end, Buffer.alloc(0)),
    () => spliced(input, start, start, line),
    () => spliced(input, start, end, line),
  ])();
};

const changes: readonly Change[] = [
  flipBit,
  setByte,
  removePart,
  repeatPart,
  movePart,
  takePart,
  crossOver,
  putWord,
  putWord,
  setNumber,
  setDigits,
  setDigits,
  changeLines,
  changeLines,
];

/** Makes another input of one that is known, by one to some changes. */
export function mutate(input: Buffer, material: Material): Buffer {
  const { draws, maxBytes } = material;
  let changed = input;
  for (let left = draws.pick([1, 1, 2, 3, 6]); left > 0; left--) {
    changed =
      changed.length === 0
        ? Buffer.from(draws.pick([...material.words, 'a']), 'latin1')
        : draws.pick(changes)(changed, material);
    if (changed.length > maxBytes) changed = changed.subarray(0, maxBytes);
  }
  return changed;
}
