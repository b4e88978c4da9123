/** Pictures of the kinds that phones, cameras and programs make, for benches that are given no folder. */
import sharp, { type Sharp } from 'sharp';
import { heifFile, tile } from '../rendering/heif-files.ts';
import { pngChunk } from '../rendering/hostile-images.ts';

// The service's settings may be in force, and they read no drawings.
sharp.unblock({ operation: ['VipsForeignLoadSvg'] });

const size = { width: 3000, height: 2000 } as const;

/** Hills under a sky with a sun, dark woods with fine light between their leaves, and the grain of a sensor. */
async function landscape(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const grain = await sharp({ create: { ...size, channels: 3, background: '#808080', noise } })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const scene = `<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="2000">
    <defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="#2b5f9e"/><stop offset="1" stop-color="#f2c48a"/></linearGradient>
    <pattern id="leaves" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" fill="#101c0c"/>
    <rect width="2" height="2" fill="#e8f0c0"/></pattern></defs>
    <rect width="3000" height="2000" fill="url(#sky)"/><circle cx="2100" cy="600" r="160" fill="#fff4d0"/>
    <path d="M0 1300 Q700 800 1500 1250 T3000 1100 V2000 H0Z" fill="#4c6b3a"/>
    <rect y="1400" width="1400" height="600" fill="url(#leaves)"/><path d="M1400 2000 L2200 1400 L3000 2000Z" fill="#8a4a2a"/></svg>`;
  return sharp(Buffer.from(scene))
    .flatten()
    .composite([{ input: grain, blend: 'soft-light' }])
    .png({ compressionLevel: 1 })
    .toBuffer();
}

const endOfHeader = 33;
const insert = (bytes: Buffer, at: number, more: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);

/** The parameters of the scan as Samsung's phones write them. */
function asSamsung(jpeg: Buffer): Buffer {
  const odd = Buffer.from(jpeg);
  const at = jpeg.indexOf(Buffer.from([0xff, 0xda]));
  odd[at + jpeg.readUInt16BE(at + 2)] = 0;
  return odd;
}

/** A gamma chunk that says that the numbers are the light itself. */
function linearGamma(): Buffer {
  const data = Buffer.alloc(4);
  data.writeUInt32BE(100_000);
  return pngChunk('gAMA', data);
}

/** Makes the pictures, by their names. The last one is damaged and is to be refused. */
export async function madePhotographs(): Promise<ReadonlyMap<string, Buffer>> {
  const drawn = await landscape();
  const from = (): Sharp => sharp(drawn);
  const jpeg = await from().jpeg({ quality: 90 }).toBuffer();
  const half = await from().resize(1500).png().toBuffer();
  return new Map([
    ['plain.jpg', jpeg],
    ['progressive.jpg', await from().jpeg({ quality: 90, progressive: true }).toBuffer()],
    ['turned.jpg', await from().jpeg({ quality: 90 }).withMetadata({ orientation: 6 }).toBuffer()],
    ['samsung.jpg', asSamsung(jpeg)],
    ['no-end.jpg', jpeg.subarray(0, -2)],
    ['film-behind.jpg', Buffer.concat([jpeg, Buffer.alloc(5_000, 'film')])],
    ['wide.png', await sharp(half).withIccProfile('p3').png().toBuffer()],
    ['linear.png', insert(half, endOfHeader, linearGamma())],
    ['sixteen-bit.png', await sharp(half).toColourspace('rgb16').png().toBuffer()],
    ['gray.png', await sharp(half).grayscale().png().toBuffer()],
    ['inks.jpg', await sharp(half).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer()],
    ['panorama.jpg', await from().resize(9000, 900).jpeg({ quality: 90 }).toBuffer()],
    ['photo.webp', await from().webp({ quality: 90, effort: 0 }).toBuffer()],
    ['phone.avif', await sharp(half).avif({ quality: 80, effort: 0 }).toBuffer()],
    ['phone.heic', heifFile([tile(1)])],
    ['cut.jpg', jpeg.subarray(0, jpeg.length / 2)],
  ]);
}
