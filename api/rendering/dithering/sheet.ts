/** A picture on its way to the panel. */

/** Set beside the number of an ink that was asked for by name and must stay. */
export const fixed = 0x10;

/** What a picture being dithered consists of. */
export interface Sheet {
  /** sRGB, three bytes a pixel, row by row. */
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** The inks chosen, one a pixel, `fixed` set where one may not be moved. */
  readonly indices: Uint8Array;
  /** How much lighter each pixel came out than it was wished, in units of luminance. */
  readonly lightness: Int32Array;
}
