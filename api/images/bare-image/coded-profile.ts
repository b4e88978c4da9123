/**
 * Builds colour profiles (ICC.1) for pictures that declare the meaning of their numbers in another way: by a power, or
 * by codes (ITU-T H.273). The image library follows profiles and nothing else.
 */

/** Codes of primaries and of the transfer from light to number. */
export interface ColourCodes {
  readonly primaries: number;
  readonly transfer: number;
}

type Point = readonly [x: number, y: number, z: number];
type Matrix = readonly [Point, Point, Point];

/** Red, green and blue in XYZ under a profile's own white (D50). */
const columns: Readonly<Record<'srgb' | 'p3' | 'bt2020', Matrix>> = {
  srgb: [
    [0.43607, 0.22249, 0.01392],
    [0.38515, 0.71687, 0.09708],
    [0.14307, 0.06061, 0.7141],
  ],
  p3: [
    [0.51512, 0.2412, -0.00105],
    [0.29198, 0.69225, 0.04189],
    [0.1571, 0.06657, 0.78407],
  ],
  bt2020: [
    [0.67348, 0.27904, -0.00193],
    [0.16566, 0.67535, 0.02998],
    [0.12507, 0.04561, 0.79686],
  ],
};
const white: Point = [0.9642, 1, 0.82491];

const headBytes = 128;

/**
 * Returns a profile of sRGB's primaries, or of gray, whose numbers stand for light by a power.
 * @param power the exponent from number to light: 1 for linear light, 2.2 for most screens
 */
export function gammaProfile(power: number, { isGray = false } = {}): Buffer {
  const curve = Buffer.alloc(16);
  curve.write('curv', 'latin1');
  curve.writeUInt32BE(1, 8);
  curve.writeUInt16BE(Math.round(power * 256), 12);
  return isGray ? profileFile('mntrGRAYXYZ ', [['kTRC', curve]]) : profileOf(columns.srgb, curve);
}

/** Returns a profile for codes; undefined for those of sRGB, and for those that are not known. */
export function codedProfile({ primaries, transfer }: ColourCodes): Buffer | undefined {
  const wide = primaries === 12 ? columns.p3 : primaries === 9 ? columns.bt2020 : undefined;
  const light = lightOf[transfer];
  if (wide === undefined && light === undefined) return undefined;
  return profileOf(wide ?? columns.srgb, tableOf(light ?? srgbLight));
}

/** Returns whether a picture is made for screens that are brighter than paper's white. */
export function isBright({ transfer }: ColourCodes): boolean {
  return transfer === 16 || transfer === 18;
}

/** Steps of each ink in the table: what lies between them differs by less than a third of a number of 255. */
const inkSteps = 16;

/**
 * Returns a profile for inks without any press: each of cyan, magenta and yellow takes its share of red, green and blue
 * of sRGB away, and black takes its share of all three.
 */
export function complementProfile(): Buffer {
  made ??= profileFile('prtrCMYKXYZ ', [['A2B0', complements()]]);
  return made;
}

let made: Buffer | undefined;

/** Builds the way from inks to XYZ: a table of red, green and blue, the curve of sRGB, and the matrix of its primaries. */
function complements(): Buffer {
  const table = Buffer.alloc(20 + inkSteps ** 4 * 3 * 2);
  table.fill(inkSteps, 0, 4);
  table[16] = 2;
  const last = inkSteps - 1;
  let at = 20;
  for (let index = 0; index < inkSteps ** 4; index++) {
    const left = last - (index % inkSteps);
    for (const place of [inkSteps ** 3, inkSteps ** 2, inkSteps]) {
      const ofInk = last - (Math.floor(index / place) % inkSteps);
      at = table.writeUInt16BE(Math.round((65_535 * ofInk * left) / last ** 2), at);
    }
  }
  // XYZ has one bit before the point, so that the most that it has is nearly 2.
  const half = 32_768 / 65_535;
  const rows = [0, 1, 2].map((row) => columns.srgb.map((column) => (column[row] ?? 0) * half) as unknown as Point);
  const matrix = Buffer.concat([...rows, [0, 0, 0] as const].map(fixed));
  const straight = Buffer.from('curv\0\0\0\0\0\0\0\0', 'latin1');
  const curve = tableOf(srgbLight);
  const bodies = [
    [straight, straight, straight],
    [matrix],
    [curve, curve, curve],
    [table],
    [straight, straight, straight, straight],
  ].map((parts) => Buffer.concat(parts));
  const head = Buffer.alloc(32);
  head.write('mAB ', 'latin1');
  head.set([4, 3], 8);
  let offset = head.length;
  for (const [index, body] of bodies.entries()) {
    head.writeUInt32BE(offset, 12 + index * 4);
    offset += body.length;
  }
  return Buffer.concat([head, ...bodies]);
}

const srgbLight = (number: number): number => (number <= 0.04045 ? number / 12.92 : ((number + 0.055) / 1.055) ** 2.4);

/** The light of a white page in nits, and the most that such pictures are made for (ITU-R BT.2408). */
const [pageWhite, brightest] = [203, 1_000];

/** Brings light above that of a page back below it, and leaves most of what is darker as it is (Reinhard, extended). */
const toned = (nits: number): number => {
  const light = nits / pageWhite;
  const most = brightest / pageWhite;
  return Math.min(1, (light * (1 + light / most ** 2)) / (1 + light));
};

function pqNits(number: number): number {
  const part = number ** (1 / 78.84375);
  return 10_000 * (Math.max(0, part - 0.8359375) / (18.8515625 - 18.6875 * part)) ** (1 / 0.1593017578125);
}

function hlgNits(number: number): number {
  const scene = number <= 0.5 ? number ** 2 / 3 : (Math.exp((number - 0.55991073) / 0.17883277) + 0.28466892) / 12;
  return brightest * scene ** 1.2;
}

/** How numbers stand for light, by code. Those of cameras and screens for usual brightness are taken for sRGB's. */
const lightOf: Readonly<Record<number, (number: number) => number>> = {
  8: (number) => number,
  16: (number) => toned(pqNits(number)),
  18: (number) => toned(hlgNits(number)),
};

const tableEntries = 1_024;

function tableOf(light: (number: number) => number): Buffer {
  const curve = Buffer.alloc(12 + tableEntries * 2);
  curve.write('curv', 'latin1');
  curve.writeUInt32BE(tableEntries, 8);
  for (let at = 0; at < tableEntries; at++) {
    curve.writeUInt16BE(Math.round(65_535 * light(at / (tableEntries - 1))), 12 + at * 2);
  }
  return curve;
}

function profileOf([red, green, blue]: Matrix, curve: Buffer): Buffer {
  return profileFile('mntrRGB XYZ ', [
    ['rXYZ', point(red)],
    ['gXYZ', point(green)],
    ['bXYZ', point(blue)],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
  ]);
}

type Tag = readonly [name: string, data: Buffer];

function profileFile(kind: string, colours: readonly Tag[]): Buffer {
  const tags: readonly Tag[] = [['desc', describe('made')], ['wtpt', point(white)], ...colours];
  const table = Buffer.alloc(4 + tags.length * 12);
  table.writeUInt32BE(tags.length);
  let at = headBytes + table.length;
  for (const [index, [name, data]] of tags.entries()) {
    table.write(name, 4 + index * 12, 'latin1');
    table.writeUInt32BE(at, 8 + index * 12);
    table.writeUInt32BE(data.length, 12 + index * 12);
    at += data.length;
  }
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(at);
  // Of version 4 the library would take black for the one of paper.
  head.writeUInt32BE(0x02400000, 8);
  head.write(kind, 12, 'latin1');
  head.write('acsp', 36, 'latin1');
  head.set(fixed(white), 68);
  return Buffer.concat([head, table, ...tags.map(([, data]) => data)]);
}

/** Writes numbers with 16 bits before the point and 16 after it. */
function fixed(xyz: Point): Buffer {
  const bytes = Buffer.alloc(12);
  for (const [index, value] of xyz.entries()) bytes.writeInt32BE(Math.round(value * 65_536), index * 4);
  return bytes;
}

function point(xyz: Point): Buffer {
  return Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'), fixed(xyz)]);
}

/** Builds a name, which every profile has, in the form of version 2. */
function describe(name: string): Buffer {
  const bytes = Buffer.alloc(12 + name.length + 1 + 12 + 67);
  bytes.write('desc', 'latin1');
  bytes.writeUInt32BE(name.length + 1, 8);
  bytes.write(name, 12, 'latin1');
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
