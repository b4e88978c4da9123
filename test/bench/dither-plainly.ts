import type { PanelColour } from '../../firmware-protocol/panels.ts';

/**
 * The peer of the dithering bench: Floyd-Steinberg on sRGB bytes, left to right, nearest measured colour by squared
 * difference. What most dithering libraries do, written without their overhead.
 */
export function ditherPlainly(
  rgb: Uint8Array,
  width: number,
  height: number,
  colours: readonly PanelColour[],
): Uint8Array {
  const inks = Float64Array.from(
    colours.flatMap(({ measured }) => [1, 3, 5].map((at) => Number.parseInt(measured.slice(at, at + 2), 16))),
  );
  const light = Float64Array.from(rgb);
  const indices = new Uint8Array(width * height);
  const spread = (at: number, error: number): void => {
    if (at < light.length) light[at] = (light[at] as number) + error;
  };
  for (let pixel = 0; pixel < indices.length; pixel++) {
    const at = pixel * 3;
    let best = 0;
    let bestDistance = Number.POSITIVE_INFINITY;
    for (let ink = 0; ink < inks.length; ink += 3) {
      const r = (light[at] as number) - (inks[ink] as number);
      const g = (light[at + 1] as number) - (inks[ink + 1] as number);
      const b = (light[at + 2] as number) - (inks[ink + 2] as number);
      const distance = r * r + g * g + b * b;
      if (distance < bestDistance) {
        bestDistance = distance;
        best = ink;
      }
    }
    indices[pixel] = best / 3;
    const x = pixel % width;
    for (let c = 0; c < 3; c++) {
      const error = ((light[at + c] as number) - (inks[best + c] as number)) / 16;
      if (x + 1 < width) spread(at + c + 3, error * 7);
      if (x > 0) spread(at + c + (width - 1) * 3, error * 3);
      spread(at + c + width * 3, error * 5);
      if (x + 1 < width) spread(at + c + (width + 1) * 3, error);
    }
  }
  return indices;
}
