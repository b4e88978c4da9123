/** What a panel's record says; the records are in `panels`. */
import type { PanelColour } from './palettes.ts';

/** How a picture hangs, as a person sees it. */
export type Orientation = 'portrait' | 'landscape';

/** Clockwise degrees from the person's view to the raster as stored. */
export type Turn = 0 | 90 | 180 | 270;

/**
 * How pixels become bytes; the leftmost pixel takes the highest bits, rows are filled up to whole bytes with white.
 * `nibble`, `pairs` and `bits` give each pixel 4, 2 and 1 bits; `planes` is a plane of bits 0 of all codes, then one of
 * bits 1; `png` is an indexed PNG whose palette is the list of colours.
 */
export const packings = ['nibble', 'pairs', 'bits', 'planes', 'png'] as const;

/** A panel, as its picture file is stored. `width` and `height` are pixels of the stored raster. */
export interface Panel {
  readonly name: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly packing: (typeof packings)[number];
  readonly colours: readonly PanelColour[];
  /** What its inks look like by the record of one device, where that says so (PN-08): their colours in order, as one text. */
  readonly ownPalette?: string;
  /** Whether the colours' `measured` was measured, or is the nominal colour again. */
  readonly isMeasured: boolean;
  /** What the frame draws for a code outside `colours`: an index into `colours`. */
  readonly foreignCodeDrawnAs: number;
  readonly turn: Readonly<Record<Orientation, Turn>>;
  readonly refreshSeconds: number;
  readonly refreshSource: 'measured' | 'driver' | 'unverified';
  /** The most bytes a file may have, where the frame has a limit. */
  readonly maxFileBytes?: number;
  /** The fields above that nobody has seen on hardware or read in a source (PN-02). */
  readonly unverified: readonly (keyof Panel)[];
  readonly source: string;
}
