/** Diffusion and settling as they are defined, plain and slow: what the compiled loops have to do, bit by bit. */
import { remainderAt, writeWishedLight } from '../../api/inks/dithering/diffuse.ts';
import { fixed, flatFrom, noiseAcross, noiseDown } from '../../api/inks/dithering/loops/places.ts';
import { nearestInk, within } from '../../api/inks/dithering/nearest-table.ts';
import { inkNamed, type PaletteTables } from '../../api/inks/dithering/palette.ts';

/** A picture and what became of it; as a sheet has it, in ordinary arrays. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly indices: Uint8Array;
  readonly lightness: Int32Array;
}

/** The colour 0xrrggbb of a pixel. */
const colourAt = (rgb: Uint8Array, pixel: number): number =>
  rgb.subarray(pixel * 3, pixel * 3 + 3).reduce((colour, byte) => (colour << 8) | byte, 0);

/**
 * Sierra's small kernel, serpentine: half of an error ahead, a quarter below, a quarter below and behind. Where a colour has
 * lasted for some pixels and is the one above, its choices are disturbed.
 */
export function diffuseByDefinition(rgb: Uint8Array, width: number, height: number, tables: PaletteTables): Drawing {
  const indices = new Uint8Array(width * height);
  const lightness = new Int32Array(width * height);
  // In quarters; there is a place on either side of a row and below the last.
  const owed = new Int32Array((width + 2) * (height + 1) * 3);
  const place = (x: number, y: number, channel: number): number => (y * (width + 2) + x + 1) * 3 + channel;
  const owe = (at: number, quarters: number): void => {
    owed[at] = (owed[at] as number) + quarters;
  };
  const light = new Int32Array(4);
  for (let y = 0; y < height; y++) {
    const ahead = y % 2 === 0 ? 1 : -1;
    let before = 0;
    for (let turn = 0; turn < width; turn++) {
      const x = ahead === 1 ? turn : width - 1 - turn;
      const pixel = y * width + x;
      const colour = colourAt(rgb, pixel);
      before = turn > 0 && colour === colourAt(rgb, pixel - ahead) ? before + 1 : 0;
      const isFlat = before >= flatFrom && (y === 0 || colour === colourAt(rgb, pixel - width));
      const due = [0, 1, 2].map((channel) => ((owed[place(x, y, channel)] as number) + 2) >> 2);
      const named = inkNamed(tables, colour);
      let errors = due;
      if (named >= 0) indices[pixel] = named | fixed;
      else {
        writeWishedLight(tables, colour, remainderAt(x, y), light);
        const [red = 0, green = 0, blue = 0] = due.map((part, channel) =>
          within(tables.scale, (light[channel] as number) + part),
        );
        const noise = isFlat ? (((Math.imul(x, noiseAcross) + Math.imul(y, noiseDown)) >> 24) * tables.noise) >> 8 : 0;
        const seen = due.map((part, channel) => {
          const wished = light[channel] as number;
          return within(tables.scale, wished + part + (((wished - tables.scale.least) * noise) >> 8));
        });
        const ink = nearestInk(tables, seen[0] as number, seen[1] as number, seen[2] as number);
        indices[pixel] = ink;
        lightness[pixel] = (tables.luminances[ink] as number) - (light[3] as number);
        errors = [red, green, blue].map((part, channel) => part - (tables.inks[ink * 3 + channel] as number));
      }
      errors.forEach((error, channel) => {
        owe(place(x + ahead, y, channel), 2 * error);
        owe(place(x, y + 1, channel), error);
        owe(place(x - ahead, y + 1, channel), error);
      });
    }
  }
  return { width, height, indices, lightness };
}

const weights = [1, 4, 10, 16, 19, 16, 10, 4, 1] as const;

/** The error of luminance at a pixel, as the eye blurs it. */
function blurredAt({ width, height, lightness }: Drawing, x: number, y: number): number {
  let sum = 0;
  weights.forEach((down, row) => {
    weights.forEach((across, column) => {
      const [px, py] = [x + column - 4, y + row - 4];
      if (px < 0 || py < 0 || px >= width || py >= height) return;
      sum += down * across * (lightness[py * width + px] as number);
    });
  });
  return sum;
}

/** Every pixel in turn changes places with the one on its right, or else with the one below, where that pays. */
export function settleByDefinition(drawing: Drawing, { moves, luminances }: PaletteTables): void {
  const { width, height, indices, lightness } = drawing;
  const move = (from: number, to: number, slope: () => number): boolean => {
    const [ink, other] = [indices[from] as number, indices[to] as number];
    if (ink === other || ink >= fixed || other >= fixed) return false;
    const step = (luminances[other] as number) - (luminances[ink] as number);
    if (step === 0 || Math.sign(step) * slope() <= (moves.payingSlope[(ink << 5) | other] as number)) return false;
    indices[from] = other;
    indices[to] = ink;
    lightness[from] = (lightness[from] as number) + step;
    lightness[to] = (lightness[to] as number) - step;
    return true;
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const slopeTo = (toX: number, toY: number) => () => blurredAt(drawing, toX, toY) - blurredAt(drawing, x, y);
      const hasMoved = x + 1 < width && move(at, at + 1, slopeTo(x + 1, y));
      if (!hasMoved && y + 1 < height) move(at, at + width, slopeTo(x, y + 1));
    }
  }
}
