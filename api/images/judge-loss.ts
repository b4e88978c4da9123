/**
 * Estimates how much of a picture's pixels a file holds that the image library complains of. Most complaints are about
 * bytes that no pixel needs; a picture whose lower part is missing is damaged.
 */
import { constants, createInflate } from 'node:zlib';
import type { PlainFormat } from './bare-image/bare-image.ts';
import { continuedJpeg, countScans } from './bare-image/bare-jpeg.ts';
import { shareOfWebp } from './bare-image/bare-webp.ts';
import { openImage, readImageHeader } from './configure-sharp.ts';

/** Bytes that continue a scan, always the same and without a marker: a linear congruential sequence. */
const continuation = Buffer.alloc(4_096);
for (let at = 0, value = 1; at < continuation.length; at++) {
  value = (value * 1_103_515_245 + 12_345) % 0x8000_0000;
  continuation[at] = (value >> 16) % 0xff;
}

/**
 * Returns the share of the picture's rows that the file holds, from the top: 0 to 1.
 * @param bare the picture as `bareImage` leaves it
 */
export async function shareOfRows(bare: Buffer, format: PlainFormat): Promise<number> {
  if (format === 'jpeg') return shareOfJpeg(bare);
  if (format === 'png') return shareOfPng(bare);
  return format === 'webp' ? shareOfWebp(bare) : 0;
}

/**
 * Decodes the picture as it is, and with other bytes after its scans: rows that differ are not in the file. After a
 * whole first scan of several, every pixel has a colour, and only sharpness is missing.
 */
async function shareOfJpeg(bare: Buffer): Promise<number> {
  const { isProgressive } = await readImageHeader(bare);
  if (isProgressive === true && countScans(bare) > 1) return 1;
  const [plain, continued] = [await grayRows(bare), await grayRows(continuedJpeg(bare, continuation))];
  const differs = plain.data.findIndex((value, at) => value !== continued.data[at]);
  return differs < 0 ? 1 : Math.floor(differs / plain.width) / (plain.data.length / plain.width);
}

/** The height, in pixels, to which rows are compared: a hundredth of the picture is seen. */
const comparedRows = 200;

async function grayRows(jpeg: Buffer): Promise<{ readonly data: Buffer; readonly width: number }> {
  const { data, info } = await openImage(jpeg, { isForgiving: true })
    .grayscale()
    .resize(undefined, comparedRows, { withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width };
}

const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The seven passes of an interlaced PNG: first column and row, and how far apart they are. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Returns the bytes that the pixels of a PNG take before they are compressed. */
function pixelBytes(header: Buffer): number {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const bits = (header[8] ?? 0) * (channelsOf[header[9] ?? 0] ?? 1);
  const ofRows = (columns: number, rows: number): number =>
    columns <= 0 || rows <= 0 ? 0 : rows * (1 + Math.ceil((columns * bits) / 8));
  if (header[12] === 0) return ofRows(width, height);
  return passes.reduce(
    (sum, [left, top, right, down]) =>
      sum + ofRows(Math.ceil((width - left) / right), Math.ceil((height - top) / down)),
    0,
  );
}

async function shareOfPng(bare: Buffer): Promise<number> {
  const expected = pixelBytes(bare.subarray(16, 29));
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
  let found = 0;
  const ended = new Promise<void>((resolve) => {
    inflate.on('data', (data: Buffer) => {
      found += data.length;
      // The data after the last pixel may have any length.
      if (found >= expected) resolve();
    });
    // Bytes that cannot be inflated end the picture where they stand.
    inflate.once('error', () => resolve());
    inflate.once('end', () => resolve());
  });
  for (let at = 8; at + 8 <= bare.length; ) {
    const end = Math.min(at + 12 + bare.readUInt32BE(at), bare.length);
    if (bare.toString('latin1', at + 4, at + 8) === 'IDAT') inflate.write(bare.subarray(at + 8, end - 4));
    at = end;
  }
  inflate.end();
  await ended;
  inflate.destroy();
  return Math.min(1, found / expected);
}
