/**
 * How close a panel picture comes to its source, as an eye at reading distance sees it: both are blurred in linear
 * light, then compared in OKLab (`oklab`, 100 x mean distance, lower is better) and by structural similarity of the
 * lightness (`ssim`, higher is better). A change of dithering is judged by both on all pictures.
 */
import type { PanelColour } from '../../firmware-protocol/panels.ts';

const sigma = 1.5;
const radius = 5;
const kernel = (() => {
  const raw = Array.from({ length: 2 * radius + 1 }, (_, at) => Math.exp(-((at - radius) ** 2) / (2 * sigma * sigma)));
  const sum = raw.reduce((total, weight) => total + weight, 0);
  return Float64Array.from(raw, (weight) => weight / sum);
})();

/** Linear light of an sRGB byte. Written out here again, so that a wrong table in the product cannot hide itself. */
function linear(byte: number): number {
  const encoded = byte / 255;
  return encoded <= 0.04045 ? encoded / 12.92 : ((encoded + 0.055) / 1.055) ** 2.4;
}

function inkLights(colours: readonly PanelColour[]): number[][] {
  const lights = colours.map(({ measured }) =>
    [1, 3, 5].map((at) => linear(Number.parseInt(measured.slice(at, at + 2), 16))),
  );
  const black = lights[colours.findIndex(({ name }) => name === 'black')] as number[];
  const white = lights[colours.findIndex(({ name }) => name === 'white')] as number[];
  return lights.map((light) =>
    light.map((part, c) => (part - (black[c] as number)) / ((white[c] as number) - (black[c] as number))),
  );
}

const mirror = (at: number, size: number): number => (at < 0 ? -at : at >= size ? 2 * size - 2 - at : at);

function blur(plane: Float64Array, width: number, height: number): Float64Array {
  const rows = new Float64Array(plane.length);
  const out = new Float64Array(plane.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let k = -radius; k <= radius; k++) {
        sum += (kernel[k + radius] as number) * (plane[y * width + mirror(x + k, width)] as number);
      }
      rows[y * width + x] = sum;
    }
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let k = -radius; k <= radius; k++) {
        sum += (kernel[k + radius] as number) * (rows[mirror(y + k, height) * width + x] as number);
      }
      out[y * width + x] = sum;
    }
  }
  return out;
}

function oklabPlanes([red, green, blue]: readonly Float64Array[]): Float64Array[] {
  if (red === undefined || green === undefined || blue === undefined) throw new Error('three channels are needed');
  const planes = [new Float64Array(red.length), new Float64Array(red.length), new Float64Array(red.length)] as const;
  for (let at = 0; at < red.length; at++) {
    const r = Math.max(0, red[at] as number);
    const g = Math.max(0, green[at] as number);
    const b = Math.max(0, blue[at] as number);
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    planes[0][at] = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
    planes[1][at] = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
    planes[2][at] = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  }
  return [...planes];
}

function similarity(x: Float64Array, y: Float64Array, width: number, height: number): number {
  const c1 = 6.5025;
  const c2 = 58.5225;
  const product = (a: Float64Array, b: Float64Array) => a.map((value, at) => value * (b[at] as number));
  const [mx, my, xx, yy, xy] = [x, y, product(x, x), product(y, y), product(x, y)].map((p) =>
    blur(p, width, height),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
  let sum = 0;
  let windows = 0;
  // Windows wholly inside only: there the mirrored edge of `blur` is never read.
  for (let row = radius; row < height - radius; row++) {
    for (let column = radius; column < width - radius; column++) {
      const at = row * width + column;
      const a = mx[at] as number;
      const b = my[at] as number;
      const varianceX = (xx[at] as number) - a * a;
      const varianceY = (yy[at] as number) - b * b;
      const covariance = (xy[at] as number) - a * b;
      sum += ((2 * a * b + c1) * (2 * covariance + c2)) / ((a * a + b * b + c1) * (varianceX + varianceY + c2));
      windows++;
    }
  }
  return sum / windows;
}

/**
 * Measures a panel picture against its source.
 * @param rgb the source, already fitted to the panel: sRGB, three bytes a pixel
 * @param indices the panel picture: positions in `colours`, one a pixel
 */
export function measurePicture(
  rgb: Uint8Array,
  indices: Uint8Array,
  width: number,
  height: number,
  colours: readonly PanelColour[],
): { oklab: number; ssim: number } {
  const inks = inkLights(colours);
  const shown = [0, 1, 2].map((c) => Float64Array.from(indices, (ink) => inks[ink]?.[c] as number));
  return measureLight(rgb, shown, width, height);
}

/** The same for any light on the paper: three planes, relative to the panel's black and white. */
function measureLight(
  rgb: Uint8Array,
  shown: readonly Float64Array[],
  width: number,
  height: number,
): { oklab: number; ssim: number } {
  const pixels = width * height;
  const source = [0, 1, 2].map((c) =>
    Float64Array.from({ length: pixels }, (_, at) => linear(rgb[at * 3 + c] as number)),
  );
  const a = oklabPlanes(source.map((plane) => blur(plane, width, height)));
  const b = oklabPlanes(shown.map((plane) => blur(plane, width, height)));
  let sum = 0;
  for (let at = 0; at < pixels; at++) {
    sum += Math.hypot(...[0, 1, 2].map((c) => (a[c]?.[at] as number) - (b[c]?.[at] as number)));
  }
  const lightness = (planes: Float64Array[]) =>
    Float64Array.from(planes[0] ?? [], (l) => Math.min(255, Math.max(0, 255 * l)));
  return { oklab: (100 * sum) / pixels, ssim: similarity(lightness(a), lightness(b), width, height) };
}
