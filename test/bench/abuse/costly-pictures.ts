/** Pictures that decode for long, and an ordinary large one. */
import sharp from 'sharp';
import { zeroPng } from '../../rendering/hostile-images.ts';

/** PNGs of one pixel in one direction, or pictures of 40 megapixels that come in many passes. */
export async function costlyPictures(which: 'tall' | 'wide'): Promise<readonly Buffer[]> {
  if (which === 'tall') {
    return [
      zeroPng({ width: 1, height: 40_000_000 }),
      zeroPng({ width: 1, height: 39_999_999, depth: 8 }),
      zeroPng({ width: 40_000_000, height: 1 }),
      zeroPng({ width: 2, height: 20_000_000, interlaced: true, inflatesTo: 120_000_000 }),
    ];
  }
  return [
    zeroPng({ width: 6_000, height: 6_666, depth: 8 }),
    zeroPng({ width: 6_000, height: 6_666, interlaced: true, inflatesTo: 6_000_000 }),
    zeroPng({ width: 6_000, height: 6_666, depth: 16 }),
    await manyScans(),
  ];
}

/** A progressive JPEG of 40 megapixels whose last scan comes again and again. */
async function manyScans(): Promise<Buffer> {
  const create = { width: 6_000, height: 6_666, channels: 3, background: '#aabbcc' } as const;
  const jpeg = await sharp({ create }).jpeg({ quality: 90, progressive: true }).toBuffer();
  const last = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
  return Buffer.concat([jpeg.subarray(0, -2), ...Array.from({ length: 60 }, () => last), jpeg.subarray(-2)]);
}

/** A photograph of 40 megapixels as cameras make them: some noise on soft shapes. */
export async function largePhotograph(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const small = await sharp({ create: { width: 1_000, height: 625, channels: 3, background: '#888', noise } })
    .blur(2)
    .png()
    .toBuffer();
  return sharp(small).resize(8_000, 5_000, { kernel: 'cubic' }).jpeg({ quality: 85 }).toBuffer();
}
