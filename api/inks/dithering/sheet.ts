/** A picture on its way to the panel. */
import { loops, type Places, placePicture } from './loops.ts';
import type { PaletteTables } from './palette.ts';

/** The pixels of a picture. */
export interface Pixels {
  /** sRGB, three bytes a pixel, row by row. */
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The parts of a picture that is being dithered. They lie in the memory of the loops until the next one is opened. */
export interface Sheet extends Pixels {
  /** The chosen inks, one a pixel, `fixed` set where one may not be moved. */
  readonly indices: Uint8Array;
  /** The luminance by which each pixel came out lighter than it was wished, in units. */
  readonly lightness: Int32Array;
  readonly places: Places;
}

/** Opens a sheet with a copy of a picture, and the palette it will be dithered to. */
export function openSheet({ rgb, width, height }: Pixels, tables: PaletteTables): Sheet {
  const places = placePicture(width, height, tables);
  const { buffer } = loops.memory;
  const sheet = {
    rgb: new Uint8Array(buffer, places.rgb, width * height * 3),
    width,
    height,
    indices: new Uint8Array(buffer, places.indices, width * height),
    lightness: new Int32Array(buffer, places.lightness, width * height),
    places,
  };
  sheet.rgb.set(rgb);
  return sheet;
}

/** Takes the inks from a sheet, without marks. */
export function takeInks({ indices, places }: Sheet): Uint8Array {
  loops.dropMarks(places.indices, indices.length);
  return indices.slice();
}
