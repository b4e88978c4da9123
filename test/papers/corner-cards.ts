/** Pictures with another ink in each corner, so that every turn shows; and how the vendor's editor sends one. */
import sharp from 'sharp';
import { epd7, type Orientation, type Panel, viewSize } from '../../firmware-protocol/panels.ts';
import { must, type Part, pixels } from './images-world.ts';

/** The two colours of inks: the one they are called by, and the one they look like. */
export type Colours = 'nominal' | 'measured';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The inks in the corners: top left, top right, bottom left, bottom right. */
export const corners: readonly string[] = ['red', 'green', 'blue', 'yellow'];

/** An ink of the fielded panels as `#rrggbb`. */
export function ink(name: string, colours: Colours): string {
  return must(epd7.colours.find((colour) => colour.name === name))[colours];
}

/** A PNG of one colour. */
export function plain({ width, height }: Size, background: string): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
}

/** White, with these inks in its corners. */
export async function card({ width, height }: Size, colours: Colours, inks = corners): Promise<Buffer> {
  const [wide, high] = [Math.round(width / 5), Math.round(height / 5)];
  const parts = inks.map(async (name, at) => ({
    input: await plain({ width: wide, height: high }, ink(name, colours)),
    left: at % 2 === 0 ? 0 : width - wide,
    top: at < 2 ? 0 : height - high,
  }));
  return sharp(await plain({ width, height }, ink('white', colours)))
    .composite(await Promise.all(parts))
    .png()
    .toBuffer();
}

/** The image turned clockwise. */
export const turned = (image: Buffer, degrees: number): Promise<Buffer> =>
  sharp(image).rotate(degrees).png().toBuffer();

/** Degrees by which the vendor's editor turns, read in its source; whatever is not its larger panel is the smaller one to it. */
export function editorRotation(panel: Panel, orientation: Orientation): number {
  if (orientation === 'portrait') return 90;
  return panel.name === 'openpaper13' ? 0 : 180;
}

/** The fields of a form as the vendor's editor fills them: turned in inks, upright as the inks look, and the canvas. */
export async function editorParts(panel: Panel, orientation: Orientation, inks = corners): Promise<readonly Part[]> {
  const size = viewSize(panel, orientation);
  return [
    ['picture', await turned(await card(size, 'nominal', inks), editorRotation(panel, orientation))],
    ['picture', await card(size, 'measured', inks)],
    ['pictureEditable', '{"version":"5.3.0","objects":[{"type":"image"}]}'],
  ];
}

/** Names of the inks that somebody sees in the corners of a glass. */
export async function cornersSeen(panel: Panel, glass: Buffer): Promise<readonly (string | undefined)[]> {
  const { size, at } = await pixels(glass);
  const [width = 0, height = 0] = size.split('x').map(Number);
  const name = (x: number, y: number) => panel.colours.find(({ measured }) => measured === `#${at(x, y)}`)?.name;
  const [right, low] = [width - 20, height - 20];
  return [name(20, 20), name(right, 20), name(20, low), name(right, low)];
}
