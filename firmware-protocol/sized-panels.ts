/**
 * Panels of which no more is known than what they show and how large they are: `mono-960x540` is black and white,
 * `gray16-1236x1648` has sixteen grays. Their pictures are PNGs, as frames that poll over HTTP take them.
 */
import { grays, numbered, spectra6, withRed, withRedAndYellow } from './palettes.ts';
import { type Panel, panelOfFacts } from './panel-record.ts';

const looks = {
  mono: { title: 'black and white', colours: grays(2) },
  gray4: { title: 'four grays', colours: grays(4) },
  gray16: { title: 'sixteen grays', colours: grays(16) },
  bwr: { title: 'black, white and red', colours: numbered(withRed) },
  bwry: { title: 'black, white, red and yellow', colours: numbered(withRedAndYellow) },
  spectra6: { title: 'six colours', colours: numbered(spectra6) },
} as const;

/** The kinds of looks, as they begin the name of such a panel. */
export const sizedLooks = Object.keys(looks) as readonly (keyof typeof looks)[];

/** The pixels of a side. The longest is that of the largest panel with a record: uploads are kept for no larger one. */
const sides = { least: 64, most: 1872 };

const pattern = /^([a-z0-9]+)-(\d{2,4})x(\d{2,4})$/;

/** The panel with such a name; undefined when the name says no looks or sizes that there are. */
export function sizedPanel(name: string): Panel | undefined {
  const [, look = '', ...digits] = pattern.exec(name) ?? [];
  if (!Object.hasOwn(looks, look)) return undefined;
  const { title, colours } = looks[look as keyof typeof looks];
  const [width = 0, height = 0] = digits.map(Number);
  if (digits.some((text) => text.startsWith('0'))) return undefined;
  if (Math.min(width, height) < sides.least || Math.max(width, height) > sides.most) return undefined;
  return panelOfFacts({
    name,
    title: `${width}x${height}, ${title}`,
    width,
    height,
    packing: 'png',
    colours,
    source: 'what the frame says of itself',
    // Boards that draw sixteen grays have room for larger files than the others.
    maxFileBytes: look === 'gray16' ? 750_000 : 90_000,
  });
}
