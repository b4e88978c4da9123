/**
 * Builds a colour profile (ICC.1) for a picture that says how light its numbers are in another way: the image library
 * follows profiles and nothing else.
 */

/** The primaries of sRGB as a profile has them: XYZ under its own white (D50), as fixed-point numbers of 16.16 bits. */
const primaries = {
  rXYZ: [0x6fa2, 0x38f5, 0x0390],
  gXYZ: [0x6299, 0xb785, 0x18da],
  bXYZ: [0x24a0, 0x0f84, 0xb6cf],
} as const;
const white = [0xf6d6, 0x10000, 0xd32d] as const;

const headBytes = 128;

/**
 * Returns a profile of sRGB's primaries whose numbers stand for light by a power.
 * @param power the exponent from number to light: 1 for linear light, 2.2 for most screens
 */
export function gammaProfile(power: number): Buffer {
  const curve = Buffer.alloc(16);
  curve.write('curv', 'latin1');
  curve.writeUInt32BE(1, 8);
  curve.writeUInt16BE(Math.round(power * 256), 12);
  const tags: (readonly [name: string, data: Buffer])[] = [
    ['desc', describe('gamma')],
    ['wtpt', point(white)],
    ...Object.entries(primaries).map(([name, xyz]) => [name, point(xyz)] as const),
    ...['rTRC', 'gTRC', 'bTRC'].map((name) => [name, curve] as const),
  ];
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
  head.writeUInt32BE(0x02400000, 8);
  head.write('mntrRGB XYZ ', 12, 'latin1');
  head.write('acsp', 36, 'latin1');
  head.set(fixed(white), 68);
  return Buffer.concat([head, table, ...tags.map(([, data]) => data)]);
}

function fixed(xyz: readonly number[]): Buffer {
  const bytes = Buffer.alloc(12);
  for (const [index, value] of xyz.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function point(xyz: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'), fixed(xyz)]);
}

/** Builds a name, which every profile has, in the form of version 2. */
function describe(name: string): Buffer {
  const bytes = Buffer.alloc(12 + name.length + 1 + 12 + 67 + 3);
  bytes.write('desc', 'latin1');
  bytes.writeUInt32BE(name.length + 1, 8);
  bytes.write(name, 12, 'latin1');
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
