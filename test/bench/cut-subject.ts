/** Cuts a picture whose subject is known, and measures how much of that is left. */
import sharp from 'sharp';
import { openImage } from '../../api/images/configure-sharp.ts';
import { reduceLight } from '../../api/images/linear-light.ts';
import type { DrawnSubject } from './drawn-subjects.ts';

/** Returns the share of one length that lies in the other. */
const within = (from: number, length: number, cutFrom: number, cutLength: number): number =>
  Math.max(0, Math.min(from + length, cutFrom + cutLength) - Math.max(from, cutFrom)) / length;

/** Cuts, and returns the visible share of the subject, from 0 to 1, and the milliseconds. */
export async function cutSubject(
  { image, subject }: DrawnSubject,
  [width, height]: readonly [number, number],
  position: string | number,
) {
  const { autoOrient } = await sharp(image).metadata();
  const scale = Math.max(width / autoOrient.width, height / autoOrient.height);
  const began = performance.now();
  const upright = openImage(image).autoOrient().flatten({ background: '#ffffff' });
  const { info } = await reduceLight(upright, width, height, { fit: 'cover', position })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const ms = performance.now() - began;
  const [whole, high] = [autoOrient.width * scale, autoOrient.height * scale];
  const left = info.cropOffsetLeft === undefined ? (whole - width) / 2 : -info.cropOffsetLeft;
  const top = info.cropOffsetTop === undefined ? (high - height) / 2 : -info.cropOffsetTop;
  const across = within(subject.left, subject.width, left / whole, width / whole);
  return { ms, seen: across * within(subject.top, subject.height, top / high, height / high) };
}
