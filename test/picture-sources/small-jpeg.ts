/** Real small JPEGs of one colour, each seed with its own. */
import { createHash } from 'node:crypto';
import sharp from 'sharp';

const made = new Map<string, Promise<Buffer>>();

/** Makes a JPEG, the same bytes for the same seed and size. */
export function smallJpeg(seed: string, width: number, height: number): Promise<Buffer> {
  const name = `${seed} ${width} ${height}`;
  const known = made.get(name);
  if (known !== undefined) return known;
  const [r = 0, g = 0, b = 0] = createHash('sha1').update(seed).digest();
  const jpeg = sharp({ create: { width, height, channels: 3, background: { r, g, b } } })
    .jpeg({ quality: 60 })
    .toBuffer();
  made.set(name, jpeg);
  return jpeg;
}
