/**
 * Prints how good and how fast dithering is: `PICTURES=folder node --import tsx test/bench/dither.ts`.
 * Time is given as a ratio to two peers measured in the same run, because absolute times belong to a machine: copying
 * the bytes, and plain Floyd-Steinberg on sRGB bytes as most libraries do it.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { buildPaletteTables, ditherPicture } from '../../api/rendering/dither.ts';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { measurePicture } from '../rendering/measure.ts';
import { ditherPlainly } from './dither-plainly.ts';

const width = 800;
const height = 480;
const folder = process.env.PICTURES;
if (folder === undefined) {
  console.error('Set PICTURES to a folder of pictures, for example PICTURES=./pictures');
  process.exit(2);
}

/** Median of eleven runs after three to warm up, in milliseconds. */
function medianMs(run: () => unknown): number {
  for (let warm = 0; warm < 3; warm++) run();
  const times = Array.from({ length: 11 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[5] as number;
}

const started = performance.now();
const tables = buildPaletteTables(epd7.colours);
console.log(`tables ${(performance.now() - started).toFixed(0)} ms`);
let copied = new Uint8Array();
for (const name of (await readdir(folder)).filter((file) => /\.(jpg|png|webp)$/.test(file)).sort()) {
  const rgb = new Uint8Array(
    await sharp(path.join(folder, name))
      .autoOrient()
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .resize(width, height, { fit: 'cover' })
      .raw()
      .toBuffer(),
  );
  const copyMs = medianMs(() => {
    copied = rgb.slice();
  });
  const plainMs = medianMs(() => ditherPlainly(rgb, width, height, epd7.colours));
  const ourMs = medianMs(() => packPicture(epd7, 'landscape', ditherPicture(rgb, width, height, tables)));
  const ours = measurePicture(rgb, ditherPicture(rgb, width, height, tables), width, height, epd7.colours);
  const plain = measurePicture(rgb, ditherPlainly(rgb, width, height, epd7.colours), width, height, epd7.colours);
  console.log(
    `${name.padEnd(16)} oklab ${ours.oklab.toFixed(2)} ssim ${ours.ssim.toFixed(3)}` +
      ` (plain sRGB ${plain.oklab.toFixed(2)} ${plain.ssim.toFixed(3)})` +
      `  ${ourMs.toFixed(1)} ms with packing = ${(ourMs / plainMs).toFixed(2)} x plain, ${(ourMs / copyMs).toFixed(0)} x copy`,
  );
}
if (copied.length === 0) console.error(`no pictures in ${folder}`);
