import type { PanelColour } from '../../firmware-protocol/panels.ts';

/**
 * The part of image-q that is used. It is not a dependency: anyone who wants it in the bench installs it or sets IMAGE_Q to
 * where it lies.
 */
interface ImageQ {
  readonly utils: {
    readonly Point: { createByRGBA(r: number, g: number, b: number, a: number): unknown };
    readonly Palette: new () => { add(point: unknown): void };
    readonly PointContainer: { fromUint8Array(bytes: Uint8Array, width: number, height: number): unknown };
  };
  applyPaletteSync(
    points: unknown,
    palette: unknown,
    options: { colorDistanceFormula: string; imageQuantization: string },
  ): { toUint8Array(): Uint8Array };
}

/** Floyd-Steinberg of image-q with Euclidean distance and the panel's measured colours; undefined without image-q. */
export async function ditherWithImageQ(
  rgb: Uint8Array,
  width: number,
  height: number,
  colours: readonly PanelColour[],
): Promise<Uint8Array | undefined> {
  const name = process.env.IMAGE_Q ?? 'image-q';
  const library = await import(name).then(
    (module: ImageQ) => module,
    () => undefined,
  );
  if (library === undefined) return undefined;
  const palette = new library.utils.Palette();
  const inks = colours.map(({ measured }) => Number.parseInt(measured.slice(1), 16));
  for (const ink of inks) {
    palette.add(library.utils.Point.createByRGBA(ink >> 16, (ink >> 8) & 0xff, ink & 0xff, 255));
  }
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) rgba.set(rgb.subarray(pixel * 3, pixel * 3 + 3), pixel * 4);
  const points = library.utils.PointContainer.fromUint8Array(rgba, width, height);
  const options = { colorDistanceFormula: 'euclidean', imageQuantization: 'floyd-steinberg' };
  const out = library.applyPaletteSync(points, palette, options).toUint8Array();
  return Uint8Array.from({ length: width * height }, (_, pixel) =>
    inks.indexOf(
      ((out[pixel * 4] as number) << 16) | ((out[pixel * 4 + 1] as number) << 8) | (out[pixel * 4 + 2] as number),
    ),
  );
}
