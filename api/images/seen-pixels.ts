/** Turns, mirrors and crops decoded pixels, in one pass over those that are seen. */
import type { Transform } from './heif-items.ts';

/** RgbPixels in rows, three bytes each. */
export interface RgbPixels {
  readonly rgb: Buffer;
  readonly width: number;
  readonly height: number;
}

/** The part of a picture that is seen: where its first pixel lies, and how far its neighbours are, in pixels. */
interface View {
  readonly first: number;
  readonly across: number;
  readonly down: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the pixels as a person sees them. `scale` is that of the pixels, 1 for as many as the file has. */
export function seenPixels(pixels: RgbPixels, transforms: readonly Transform[], scale: number): RgbPixels {
  if (transforms.length === 0) return pixels;
  const { rgb, width, height } = pixels;
  const whole: View = { first: 0, across: 1, down: width, width, height };
  const view = transforms.reduce((seen, transform) => transformed(seen, transform, scale), whole);
  const seen = Buffer.allocUnsafe(view.width * view.height * 3);
  for (let y = 0, to = 0; y < view.height; y++) {
    let from = (view.first + y * view.down) * 3;
    for (let x = 0; x < view.width; x++, from += view.across * 3, to += 3) {
      seen[to] = rgb[from] as number;
      seen[to + 1] = rgb[from + 1] as number;
      seen[to + 2] = rgb[from + 2] as number;
    }
  }
  return { rgb: seen, width: view.width, height: view.height };
}

function transformed(view: View, transform: Transform, scale: number): View {
  const { first, across, down, width, height } = view;
  const [right, bottom] = [first + (width - 1) * across, first + (height - 1) * down];
  if (transform.kind === 'mirror') {
    return transform.leftRight ? { ...view, first: right, across: -across } : { ...view, first: bottom, down: -down };
  }
  if (transform.kind === 'turn') {
    if (transform.quarters === 0) return view;
    if (transform.quarters === 2) return { ...view, first: right + bottom - first, across: -across, down: -down };
    const turned = { width: height, height: width };
    return transform.quarters === 1
      ? { ...turned, first: right, across: down, down: -across }
      : { ...turned, first: bottom, across: -down, down: across };
  }
  const [left, columns] = cropped(width, transform.width * scale, transform.right * scale);
  const [top, rows] = cropped(height, transform.height * scale, transform.down * scale);
  return { ...view, first: first + left * across + top * down, width: columns, height: rows };
}

/** Returns where a crop begins and how long it is, within a side of the picture. */
function cropped(side: number, length: number, offset: number): readonly [start: number, length: number] {
  const start = Math.min(Math.max(0, Math.floor((side - length) / 2 + offset)), side - 1);
  return [start, Math.min(Math.max(1, Math.round(length)), side - start)];
}
