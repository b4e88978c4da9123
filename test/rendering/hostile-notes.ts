/** Notes beside an image's pixels that keep their readers busy: EXIF and colour profiles (T-32). */

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** EXIF of one directory. */
function exifOf(...entries: (readonly [tag: number, type: number, value: number])[]): Buffer {
  const exif = Buffer.alloc(8 + 2 + 12 * entries.length + 4);
  exif.write('MM\0*', 'latin1');
  exif.writeUInt32BE(8, 4);
  exif.writeUInt16BE(entries.length, 8);
  entries.forEach(([tag, type, value], index) => {
    const at = 10 + 12 * index;
    exif.writeUInt16BE(tag, at);
    exif.writeUInt16BE(type, at + 2);
    exif.writeUInt32BE(1, at + 4);
    if (type === 3) exif.writeUInt16BE(value, at + 8);
    else exif.writeUInt32BE(value, at + 8);
  });
  return exif;
}

export const sideways = exifOf([0x0112, 3, 6]);
/** Every entry is a directory, and that is this one again: its readers go round for seconds. */
export const circles = (count: number): Buffer =>
  exifOf(...Array<[number, number, number]>(count).fill([0x8769, 4, 8]));

/** A profile that computes a colour in so many steps, all of them the same few bytes: some thousands take minutes. */
export function computedProfile(steps: number): Buffer {
  const white = bytesOf('XYZ \0\0\0\0\0\0\xf6\xd6\0\x01\0\0\0\0\xd3\x2d');
  return profileOf([
    ['desc', white],
    ['wtpt', white],
    ['D2B0', sameSteps(steps)],
    ['A2B0', white],
  ]);
}

/** Elements of computation, each a matrix that changes nothing, and each the same one. */
function sameSteps(steps: number): Buffer {
  const step = Buffer.concat([bytesOf('matf\0\0\0\0\0\x03\0\x03'), Buffer.alloc(4 * 12)]);
  for (const diagonal of [0, 4, 8]) step.writeFloatBE(1, 12 + 4 * diagonal);
  const table = Buffer.alloc(16 + 8 * steps);
  table.write('mpet\0\0\0\0\0\x03\0\x03', 'latin1');
  table.writeUInt32BE(steps, 12);
  for (let at = 16; at < table.length; at += 8) {
    table.writeUInt32BE(table.length, at);
    table.writeUInt32BE(step.length, at + 4);
  }
  return Buffer.concat([table, step]);
}

function profileOf(tags: readonly (readonly [name: string, data: Buffer])[]): Buffer {
  const head = Buffer.alloc(128 + 4 + 12 * tags.length);
  const words = { 12: 'mntr', 16: 'RGB ', 20: 'XYZ ', 36: 'acsp' };
  for (const [at, word] of Object.entries(words)) head.write(word, Number(at), 'latin1');
  head.writeUInt32BE(0x04400000, 8);
  for (const [index, white] of [0xf6d6, 0x10000, 0xd32d].entries()) head.writeUInt32BE(white, 68 + 4 * index);
  head.writeUInt32BE(tags.length, 128);
  let end = head.length;
  for (const [index, [name, data]] of tags.entries()) {
    head.write(name, 132 + 12 * index, 'latin1');
    head.writeUInt32BE(end, 136 + 12 * index);
    head.writeUInt32BE(data.length, 140 + 12 * index);
    end += data.length;
  }
  head.writeUInt32BE(end, 0);
  return Buffer.concat([head, ...tags.map(([, data]) => data)]);
}
