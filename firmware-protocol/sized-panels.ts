/**
 * Panels of which only the inks and the size are known: `mono-960x540` is black and white, `gray16-1236x1648` has
 * sixteen grays. Their pictures are PNGs, as frames that poll over HTTP take them.
 */
import { boardBytes } from './board-bytes.ts';
import { grays, numbered, spectra6, withRed, withRedAndYellow } from './palettes.ts';
import { type Panel, panelOfFacts } from './panel-record.ts';

const looks = {
  mono: { title: 'black and white', colours: grays(2) },
  gray4: { title: 'four grays', colours: grays(4) },
  gray16: { title: 'sixteen grays', colours: grays(16) },
  kindle: { title: 'Kindle, sixteen grays of 8 bits each', colours: grays(16), png: 'gray8', usual: 'landscape' },
  bwr: { title: 'black, white and red', colours: numbered(withRed) },
  bwry: { title: 'black, white, red and yellow', colours: numbered(withRedAndYellow) },
  spectra6: { title: 'six colours', colours: numbered(spectra6) },
} as const;

/** The kinds of looks, as they begin the name of such a panel. */
export const sizedLooks = Object.keys(looks) as readonly (keyof typeof looks)[];

/** The pixels of a side: the longest is that of the largest screen which a client is known for, 42 inches across. */
const sides = { least: 64, most: 2880 };

/**
 * The most pixels of a panel, those of the largest such screen: drawing and dithering take memory for each. A Kindle Scribe
 * has three quarters of them.
 */
const maxPixels = 2880 * 2160;

/** The pixels up to which a board may be one with little memory: the largest of those has 792x528. */
const smallPixels = 800 * 600;

const pattern = /^([a-z0-9]+)-(\d{2,4})x(\d{2,4})$/;

/** The panel with such a name; undefined when the name says no looks or sizes that there are. */
export function sizedPanel(name: string): Panel | undefined {
  const [, look = '', ...digits] = pattern.exec(name) ?? [];
  if (!Object.hasOwn(looks, look)) return undefined;
  const { title, ...facts } = looks[look as keyof typeof looks];
  const [width = 0, height = 0] = digits.map(Number);
  if (digits.some((text) => text.startsWith('0')) || width * height > maxPixels) return undefined;
  if (Math.min(width, height) < sides.least || Math.max(width, height) > sides.most) return undefined;
  return panelOfFacts({
    name,
    title: `${width}x${height}, ${title}`,
    width,
    height,
    packing: 'png',
    ...facts,
    source: 'what the frame says of itself',
    // A Kindle keeps the file in its file system, which has room for every one.
    ...(look !== 'kindle' && { maxFileBytes: limitOf(look, width * height) }),
  });
}

/** Boards that draw sixteen grays or have many pixels have room for larger files than the others. */
function limitOf(look: string, pixels: number): number {
  return look === 'gray16' || pixels > smallPixels ? boardBytes.withMemory : boardBytes.small;
}
