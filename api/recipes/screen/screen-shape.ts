/** The screen that a recipe is drawn on: its size in the recipe's own pixels, and the class names for it (RC-52). */
import type { PanelColour } from '../../../firmware-protocol/palettes.ts';
import type { Layout } from '../package/recipe.ts';

/** The picture that a page is made for. */
export interface ScreenPicture {
  /** Pixels of the picture as a person sees it; of a part of a screen, those of the part. */
  readonly width: number;
  readonly height: number;
  readonly layout: Layout;
  readonly colours: readonly PanelColour[];
}

/** A screen as recipes know it. */
export interface ScreenShape {
  /** Pixels of the recipe: it is laid out in these. */
  readonly width: number;
  readonly height: number;
  /** The panel's pixels for each of them. */
  readonly density: number;
  readonly size: 'sm' | 'md' | 'lg';
  readonly isPortrait: boolean;
  /** Bits of a pixel; undefined on panels with coloured inks. */
  readonly depth: 1 | 2 | 4 | undefined;
  readonly classes: readonly string[];
}

/** The screen that recipes are drawn for, and the larger one that many of them have other sizes for. */
const defaultWidth = 800;
const largeWidth = 1_040;
/** Smaller letters fall apart: a small panel shows less of a recipe instead. */
const minDensity = 0.75;

/** The number of parts of a screen, side by side and above each other. */
const partsOf: Readonly<Record<Layout, readonly [across: number, down: number]>> = {
  full: [1, 1],
  half_horizontal: [1, 2],
  half_vertical: [2, 1],
  quadrant: [2, 2],
};

/** Describes the screen of a picture. A part of a screen is drawn like the whole, which its layout tells. */
export function screenShape({ width, height, layout, colours }: ScreenPicture): ScreenShape {
  const [across, down] = partsOf[layout];
  const [wide, high] = [width * across, height * down];
  const long = Math.max(wide, high);
  const density = densityOf(long);
  const ownLong = long / density;
  const size = ownLong >= 980 ? 'lg' : ownLong >= 740 ? 'md' : 'sm';
  const isPortrait = high > wide;
  const chromatic = colours.filter(({ nominal }) => !isNeutral(nominal)).map(({ name }) => name);
  const depth = chromatic.length > 0 ? undefined : colours.length <= 2 ? 1 : colours.length <= 4 ? 2 : 4;
  const classes = [
    'screen',
    size === 'lg' ? 'screen--v2' : depth === 1 ? 'screen--og' : 'screen--ogv2',
    depth === undefined ? `screen--color-${paletteOf(chromatic)}` : `screen--${depth}bit`,
    `screen--${size}`,
    ...(density >= 1.5 ? ['screen--density-2x'] : []),
    ...(isPortrait ? ['screen--portrait'] : []),
  ];
  return { width: width / density, height: height / density, density, size, isPortrait, depth, classes };
}

/** Returns the panel's pixels for each of a recipe: a whole number where the usual screen fits so. */
function densityOf(long: number): number {
  if (long < defaultWidth) return Math.max(minDensity, long / defaultWidth);
  if (long < 1.5 * defaultWidth) return 1;
  return long % defaultWidth === 0 ? long / defaultWidth : long / largeWidth;
}

/** Returns whether a colour (`#rrggbb`) is black, white or a gray. */
export const isNeutral = (hex: string): boolean =>
  new Set([hex.slice(1, 3), hex.slice(3, 5), hex.slice(5, 7)]).size === 1;

function paletteOf(chromatic: readonly string[]): string {
  if (chromatic.includes('orange')) return '7a';
  if (chromatic.length > 2) return '6a';
  if (chromatic.length === 2) return '4bwry';
  return chromatic.includes('yellow') ? '3bwy' : '3bwr';
}
