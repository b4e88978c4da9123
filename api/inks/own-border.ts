/** Puts a whole picture in the middle of a panel, with the colour of its own edge next to it. */

interface Size {
  readonly width: number;
  readonly height: number;
}

const toLight = (value: number): number => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);

const toNumber = (light: number): number =>
  Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));

/** Returns the mean light of the outermost pixels, as sRGB. */
function edgeColour(rgb: Uint8Array, { width, height }: Size): readonly number[] {
  const sums = [0, 0, 0];
  let count = 0;
  for (let y = 0; y < height; y++) {
    const step = y === 0 || y === height - 1 || width === 1 ? 1 : width - 1;
    for (let x = 0; x < width; x += step, count++) {
      for (let channel = 0; channel < 3; channel++) {
        sums[channel] = (sums[channel] ?? 0) + toLight(rgb[(y * width + x) * 3 + channel] ?? 0);
      }
    }
  }
  return sums.map((sum) => toNumber(sum / count));
}

/** Lays pixels (sRGB, three bytes each), which are no larger than the view, in its middle. */
export function withOwnBorder(rgb: Uint8Array, size: Size, view: Size): Uint8Array {
  const laid = new Uint8Array(view.width * view.height * 3);
  const colour = edgeColour(rgb, size);
  for (let at = 0; at < laid.length; at++) laid[at] = colour[at % 3] ?? 0;
  const [left, top] = [Math.floor((view.width - size.width) / 2), Math.floor((view.height - size.height) / 2)];
  for (let y = 0; y < size.height; y++) {
    const row = rgb.subarray(y * size.width * 3, (y + 1) * size.width * 3);
    laid.set(row, ((y + top) * view.width + left) * 3);
  }
  return laid;
}
