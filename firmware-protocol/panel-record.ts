/** The record of a panel, and how the record of a board's panel follows from a few facts. */
import type { PanelColour } from './palettes.ts';

/** The orientation in which a picture hangs, as a person sees it. */
export type Orientation = 'portrait' | 'landscape';

/** The rotation from the person's view to the raster as stored, in clockwise degrees. */
export type Rotation = 0 | 90 | 180 | 270;

/**
 * The packings of pixels into bytes. The leftmost pixel takes the highest bits; rows are filled up to whole bytes with
 * white. `nibble`, `pairs` and `bits` give each pixel 4, 2 and 1 bits; `planes` is a plane of bits 0 of all codes, then
 * one of bits 1; `halves` is without a header, the left half of the raster before the right one, each pixel 4 bits; `bitmap` is a BMP of 4 bits a pixel whose rows go from top to bottom (firmware-protocol/offline); `png` is a PNG of evenly spaced grays, or an indexed one whose palette is the list of colours.
 */
export const packings = ['nibble', 'pairs', 'bits', 'planes', 'halves', 'bitmap', 'png'] as const;

/**
 * The forms of PNGs that some decoders want. Without one, evenly spaced grays are gray samples of 1, 2 or 4 bits, and all else
 * has a palette. `palette` writes grays with a palette: esp32-photoframe takes a file with one channel for a photograph and
 * dithers it again. `gray8` writes grays as samples of 8 bits, as `eips` on Kindles wants them. `threeGrays` never has exactly
 * two grays: TRMNL's firmware decodes such a file as one of 1 bit, which does not show on boards that it drives by product
 * number.
 */
export type PngForm = 'palette' | 'gray8' | 'threeGrays';

/** A panel, as its picture file is stored. `width` and `height` are pixels of the stored raster. */
export interface Panel {
  readonly name: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly packing: (typeof packings)[number];
  readonly colours: readonly PanelColour[];
  /**
   * The colours that one device's own record gives its inks (PANEL-08), in the order of the inks, as one text.
   */
  readonly ownPalette?: string;
  /** True when the colours' `measured` was really measured; otherwise it repeats the nominal colour. */
  readonly isMeasured: boolean;
  /** The colour that the frame draws for a code outside `colours`, as an index into `colours`. */
  readonly foreignCodeDrawnAs: number;
  readonly rotation: Readonly<Record<Orientation, Rotation>>;
  /** How frames with it are used, where that is not the way in which the raster is stored. */
  readonly usual?: Orientation;
  readonly refreshSeconds: number;
  readonly refreshSource: 'measured' | 'driver' | 'unverified';
  /** The most bytes of a file, where the frame has a limit. */
  readonly maxFileBytes?: number;
  /** The form of its PNGs, where its decoder wants another one than follows from its inks. */
  readonly png?: PngForm;
  /** The fields above that nobody has seen on hardware or read in a source (PANEL-02). */
  readonly unverified: readonly (keyof Panel)[];
  readonly source: string;
}

/** A panel as a source describes it. The rest of its record follows, or is marked as unverified (PANEL-02). */
export interface BoardPanel
  extends Pick<
    Panel,
    'name' | 'title' | 'width' | 'height' | 'packing' | 'colours' | 'source' | 'maxFileBytes' | 'png' | 'usual'
  > {
  /** Left out where no source gives it (PANEL-11). */
  readonly refreshSeconds?: number;
}

/** The record of a panel that nobody has seen on hardware. */
export function panelOfFacts({ refreshSeconds, ...facts }: BoardPanel): Panel {
  return {
    ...facts,
    isMeasured: facts.colours.some(({ nominal, measured }) => nominal !== measured),
    foreignCodeDrawnAs: facts.colours.findIndex((colour) => colour.name === 'white'),
    rotation: facts.height > facts.width ? { portrait: 0, landscape: 90 } : { portrait: 90, landscape: 0 },
    refreshSeconds: refreshSeconds ?? 45,
    refreshSource: refreshSeconds === undefined ? 'unverified' : 'driver',
    unverified: [
      'rotation',
      'foreignCodeDrawnAs',
      ...(refreshSeconds === undefined ? (['refreshSeconds'] as const) : []),
    ],
  };
}
