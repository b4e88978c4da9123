/** The inks of panels: their names, their codes in the file, and their looks. */

/** One ink: its code in the picture file, its nominal colour, and its looks on paper (`#rrggbb`). */
export interface PanelColour {
  readonly name: string;
  readonly code: number;
  readonly nominal: string;
  /** The measured colour; the nominal one where nobody measured. */
  readonly measured: string;
}

type Ink = readonly [name: string, code: number, nominal: string];

/** Creates inks with their measured colours, in the same order; without a measurement the nominal colours are used. */
function palette(inks: readonly Ink[], measured?: readonly string[]): readonly PanelColour[] {
  return inks.map(([name, code, nominal], at) => ({ name, code, nominal, measured: measured?.[at] ?? nominal }));
}

/**
 * Black, white, then the others by code. Code 4 is never written: firmware before June 2026 draws it red, later ones
 * white.
 */
const spectraInks: readonly Ink[] = [
  ['black', 0, '#000000'],
  ['white', 6, '#ffffff'],
  ['blue', 1, '#0000ff'],
  ['green', 2, '#00ff00'],
  ['red', 3, '#ff0000'],
  ['yellow', 5, '#ffff00'],
];

/** Spectra 6, set A: `aitjcize-spectra6` of the upstream dither library, the vendor service's default. */
export const spectra6 = palette(spectraInks, ['#020202', '#bec8c8', '#05409e', '#27663c', '#871300', '#cdca00']);

/** The same inks with the codes of the controller itself, as hokku_epaper sends them on. */
export const spectra6OfController = spectra6.map((colour) => ({
  ...colour,
  code: { black: 0, white: 1, yellow: 2, red: 3, blue: 5, green: 6 }[colour.name] ?? 1,
}));

/** Sets B (`spectra6` of the same library) and C (the Pimoroni drivers' saturated palette for 7.3 and 13.3 inch). */
const spectra6B = palette(spectraInks, ['#1f2226', '#b9c7c9', '#233f8e', '#35563a', '#62201e', '#c1bb1e']);
const spectra6C = palette(spectraInks, ['#000000', '#a1a4a5', '#3d3b5e', '#3a5b46', '#9c484b', '#d0be47']);

/** Measured palettes by the names that pages and people use; a name that is not here is ignored. */
export const namedPalettes: ReadonlyMap<string, readonly PanelColour[]> = new Map([
  ['aitjcizeSpectra6Palette', spectra6],
  ['aitjcize-spectra6', spectra6],
  ['spectra6Palette', spectra6B],
  ['spectra6', spectra6B],
  ['pimoroniSpectra6', spectra6C],
]);

const sevenInks: readonly Ink[] = [
  ['black', 0, '#000000'],
  ['white', 1, '#ffffff'],
  ['green', 2, '#00ff00'],
  ['blue', 3, '#0000ff'],
  ['red', 4, '#ff0000'],
  ['yellow', 5, '#ffff00'],
  ['orange', 6, '#ff8c00'],
];

/** ACeP of 7.3 and of 5.65 inch, as measured by Pimoroni. */
export const acep7 = palette(sevenInks, ['#000000', '#d9f2ff', '#037c4c', '#1b2ec6', '#f55022', '#ffff44', '#ef792c']);
export const acep5 = palette(sevenInks, ['#393039', '#ffffff', '#3a5b46', '#3d3b5e', '#9c484b', '#d0be47', '#b16a49']);

/**
 * Black, white and one colour in two planes: bit 0 of a code is its bit in the black plane, bit 1 in the colour plane.
 */
export const withRed = palette([
  ['black', 2, '#000000'],
  ['white', 3, '#ffffff'],
  ['red', 1, '#ff0000'],
]);
export const withYellow = palette([
  ['black', 2, '#000000'],
  ['white', 3, '#ffffff'],
  ['yellow', 1, '#ffff00'],
]);

/** Four colours in pairs of bits. The only measurements are raw reflectances of other panels, which are not used. */
export const withRedAndYellow = palette([
  ['black', 0, '#000000'],
  ['white', 1, '#ffffff'],
  ['yellow', 2, '#ffff00'],
  ['red', 3, '#ff0000'],
]);

/** Evenly spaced grays in sRGB; black has code 0. */
export function grays(count: number): readonly PanelColour[] {
  return palette(
    Array.from({ length: count }, (_, at) => {
      const byte = Math.round((at * 255) / (count - 1))
        .toString(16)
        .padStart(2, '0');
      const name = at === 0 ? 'black' : at === count - 1 ? 'white' : `gray${at}`;
      return [name, at, `#${byte}${byte}${byte}`];
    }),
  );
}

/** True for 2, 4 or 16 evenly spaced grays with black first: a PNG of these needs no palette. */
export function isEvenGrays(colours: readonly PanelColour[]): boolean {
  const even = [2, 4, 16].includes(colours.length) ? grays(colours.length) : undefined;
  return (
    even?.every(({ code, nominal }, at) => colours[at]?.code === code && colours[at]?.nominal === nominal) ?? false
  );
}

/** The same inks with their codes in a PNG, which are their positions. */
export function numbered(colours: readonly PanelColour[]): readonly PanelColour[] {
  return colours.map((colour, code) => ({ ...colour, code }));
}

/**
 * The positions of the darkest and the lightest colour: where the strongest channel is weakest, and the weakest
 * strongest. Luminance would not do: the yellow of some panels reflects more light than their white.
 */
export function blackAndWhite(colours: readonly PanelColour[]): readonly [black: number, white: number] {
  const channels = colours.map(channelsOf);
  const strongest = channels.map((parts) => Math.max(...parts));
  const weakest = channels.map((parts) => Math.min(...parts));
  return [strongest.indexOf(Math.min(...strongest)), weakest.indexOf(Math.max(...weakest))];
}

/** Red, green and blue of a colour's looks, 0 to 255. */
function channelsOf({ measured }: PanelColour): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(measured.slice(at, at + 2), 16));
}

/**
 * The least difference between black and white. Light is measured in parts of it, and with a tiny difference every
 * other ink would be immense.
 */
const minContrast = 64;

/** The problem of a palette that somebody wants to save (PANEL-09), or undefined. */
export function problemOfPalette(colours: readonly PanelColour[]): string | undefined {
  if (colours.length < 2) return 'a palette has at least two colours';
  if (!colours.every(({ measured }) => /^#[0-9a-f]{6}$/i.test(measured))) return 'colours are written #rrggbb';
  if (new Set(colours.map(({ code }) => code)).size < colours.length) return 'two colours have the same code';
  if (new Set(colours.map(({ measured }) => measured.toLowerCase())).size < colours.length)
    return 'two colours look the same';
  const [black, white] = blackAndWhite(colours);
  if (colours[white]?.name !== 'white') return 'white is not the lightest colour';
  if (colours[black]?.name !== 'black') return 'black is not the darkest colour';
  const [dark, light] = [black, white].map((at) => channelsOf(colours[at] as PanelColour)) as [number[], number[]];
  if (light.some((part, channel) => part - (dark[channel] as number) < minContrast)) {
    return `white is less than ${minContrast} lighter than black in one of red, green and blue`;
  }
  return undefined;
}
