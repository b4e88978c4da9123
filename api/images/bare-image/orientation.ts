/** The orientation of a photograph, the one thing in EXIF that changes its pixels. */

const upright = 1;
const orientationTag = 0x0112;
const short = 3;

/** The text that EXIF begins with inside of JPEG, and sometimes elsewhere. */
export const exifMark = Buffer.from('Exif\0\0', 'latin1');

/** Reads the orientation from EXIF, 1 to 8; 1 when it has none. Only the first directory is read, once. */
export function readOrientation(given: Buffer): number {
  const exif = given.subarray(0, exifMark.length).equals(exifMark) ? given.subarray(exifMark.length) : given;
  const order = exif.toString('latin1', 0, 4);
  if (exif.length < 8 || (order !== 'MM\0*' && order !== 'II*\0')) return upright;
  const isBig = order === 'MM\0*';
  const two = (at: number): number => (isBig ? exif.readUInt16BE(at) : exif.readUInt16LE(at));
  const directory = isBig ? exif.readUInt32BE(4) : exif.readUInt32LE(4);
  if (directory + 2 > exif.length) return upright;
  const entries = two(directory);
  for (let entry = 0, at = directory + 2; entry < entries && at + 12 <= exif.length; entry++, at += 12) {
    if (two(at) !== orientationTag) continue;
    const orientation = two(at + 8);
    return two(at + 2) === short && orientation >= 1 && orientation <= 8 ? orientation : upright;
  }
  return upright;
}

/** Builds EXIF with an orientation and nothing else; undefined for an image that is upright anyway. */
export function exifOf(orientation: number): Buffer | undefined {
  if (orientation === upright) return undefined;
  const exif = Buffer.alloc(26);
  exif.write('MM\0*', 'latin1');
  exif.writeUInt32BE(8, 4);
  exif.writeUInt16BE(1, 8);
  exif.writeUInt16BE(orientationTag, 10);
  exif.writeUInt16BE(short, 12);
  exif.writeUInt32BE(1, 14);
  exif.writeUInt16BE(orientation, 18);
  return exif;
}
