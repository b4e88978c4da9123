/** Chooses inks for our own pages: one for accents, and one for a colour that somebody chose. */
import { blackAndWhite, type PanelColour } from '../../firmware-protocol/palettes.ts';

/** The contrast that large text needs (WCAG 2.2, 1.4.3). */
const minContrast = 3;

/**
 * Returns the ink of a weekday and of today's mark, by its nominal colour: red if it can be read on this panel's white,
 * else the best other colour, else black.
 */
export function accentOf(colours: readonly PanelColour[]): string {
  const [black, white] = blackAndWhite(colours).map((place) => colours[place]);
  if (black === undefined || white === undefined) return '#000000';
  const readable = colours
    .filter((ink) => !isNeutral(ink.nominal) && contrast(ink.measured, white.measured) >= minContrast)
    .sort((one, other) => contrast(other.measured, white.measured) - contrast(one.measured, white.measured));
  return (readable.find(({ name }) => name === 'red') ?? readable[0] ?? black).nominal;
}

/**
 * Returns the ink nearest to a colour (`#rrggbb`) by their names, so that a chosen red is this panel's red however dark
 * it came out.
 */
export function inkLike(colours: readonly PanelColour[], colour: string): string {
  const wished = channelsOf(colour);
  const distance = ({ nominal }: PanelColour): number =>
    channelsOf(nominal).reduce((sum, part, at) => sum + (part - (wished[at] as number)) ** 2, 0);
  return [...colours].sort((one, other) => distance(one) - distance(other))[0]?.nominal ?? '#000000';
}

function channelsOf(hex: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

function isNeutral(hex: string): boolean {
  return new Set(channelsOf(hex)).size === 1;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(relativeLuminance).sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function relativeLuminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(hex).map((byte) => {
    const part = byte / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
