/**
 * Prepares a picture for paper: tone, colourfulness and edges, differently where it is drawn and where it is a
 * photograph. What is drawn repeats its bytes from pixel to pixel; a photograph's noise never does for long.
 */
import type { Recipe, Tone } from './intents.ts';

/** Side of the squares that are judged, in pixels: about a line of text. */
const tile = 16;
/** The share of pixels equal to their right neighbour above which a square counts as drawn. */
const drawnFrom = 0.4;

/** Which squares are drawn, row by row; `columns` squares a row. */
export function findDrawn(rgb: Uint8Array, width: number, height: number): { drawn: Uint8Array; columns: number } {
  const columns = Math.ceil(width / tile);
  const equal = new Int32Array(columns * Math.ceil(height / tile));
  const seen = new Int32Array(equal.length);
  // Every fourth row is enough to know.
  for (let y = 0; y < height; y += 4) {
    for (let column = 0; column < columns; column++) {
      const square = (y >> 4) * columns + column;
      const first = column * tile;
      const end = Math.min(first + tile, width - 1);
      seen[square] = (seen[square] as number) + end - first;
      equal[square] = (equal[square] as number) + countEqual(rgb, y * width + first, y * width + end);
    }
  }
  return {
    drawn: Uint8Array.from(equal, (count, square) => (count > drawnFrom * (seen[square] as number) ? 1 : 0)),
    columns,
  };
}

/** How many pixels from `first` to before `end` are equal to the next one. */
function countEqual(rgb: Uint8Array, first: number, end: number): number {
  let count = 0;
  for (let at = first * 3; at < end * 3; at += 3) {
    const red = (rgb[at] as number) ^ (rgb[at + 3] as number);
    const green = (rgb[at + 1] as number) ^ (rgb[at + 4] as number);
    const blue = (rgb[at + 2] as number) ^ (rgb[at + 5] as number);
    if ((red | green | blue) === 0) count++;
  }
  return count;
}

const isAsItIs = (tone: Tone): boolean =>
  tone.ends === 0 && tone.contrast === 0 && tone.saturation === 0 && tone.sharpness === 0;

/** The byte that each byte becomes. */
function curveOf({ ends, contrast }: Tone, withEnds: boolean): Uint8Array {
  return Uint8ClampedArray.from({ length: 256 }, (_, byte) => {
    const low = withEnds ? ends : 0;
    const level = Math.min(Math.max((byte - low) / (255 - 2 * low), 0), 1);
    // A cubic through black, middle and white, as much steeper in the middle as asked.
    return 255 * (level + contrast * 2 * level * (1 - level) * (2 * level - 1));
  }) as unknown as Uint8Array;
}

/** `ends` counts wholly for colours whose channels lie this close, in bytes, and not at all from the second on. */
const grayWithin = 16;
const colourFrom = 48;

/** Prepares a picture; without anything to do it is the same array. */
export function prepareTone(rgb: Uint8Array, width: number, height: number, { photo, drawn }: Recipe): Uint8Array {
  if (isAsItIs(photo) && isAsItIs(drawn)) return rgb;
  const out = rgb.slice();
  const found = findDrawn(rgb, width, height);
  const plans = [photo, drawn].map((tone) => ({
    tone,
    isIdle: isAsItIs(tone),
    curve: curveOf(tone, false),
    grayCurve: curveOf(tone, true),
  }));
  // What is drawn repeats itself: a pixel like the last one of its plan becomes what that became.
  let lastPlan: unknown;
  let last = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const plan = plans[found.drawn[(y >> 4) * found.columns + (x >> 4)] as number];
      if (plan === undefined || plan.isIdle) {
        x |= tile - 1; // On to the next square.
        continue;
      }
      const pixel = y * width + x;
      const at = pixel * 3;
      const { sharpness } = plan.tone;
      if (
        sharpness === 0 &&
        plan === lastPlan &&
        rgb[at] === rgb[last] &&
        rgb[at + 1] === rgb[last + 1] &&
        rgb[at + 2] === rgb[last + 2]
      ) {
        out[at] = out[last] as number;
        out[at + 1] = out[last + 1] as number;
        out[at + 2] = out[last + 2] as number;
        continue;
      }
      tonePixel(rgb, out, at, plan.tone, plan, edgeOf(rgb, pixel, x, y, width, height, sharpness));
      lastPlan = plan;
      last = at;
    }
  }
  return out;
}

/** How much lighter a pixel is than its four neighbours, times `sharpness`. */
function edgeOf(
  rgb: Uint8Array,
  pixel: number,
  x: number,
  y: number,
  width: number,
  height: number,
  sharpness: number,
): number {
  if (sharpness === 0 || x === 0 || y === 0 || x === width - 1 || y === height - 1) return 0;
  const around =
    greenAt(rgb, pixel - 1) + greenAt(rgb, pixel + 1) + greenAt(rgb, pixel - width) + greenAt(rgb, pixel + width);
  return sharpness * (greenAt(rgb, pixel) - around / 4);
}

// No function is made inside the loops: the TypeScript loader names each one anew, which costs more than the pixel.
const greenAt = (rgb: Uint8Array, pixel: number): number => rgb[pixel * 3 + 1] as number;

const between = (from: number, to: number, share: number): number => from + share * (to - from);

const clampByte = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : Math.round(value));

function tonePixel(
  rgb: Uint8Array,
  out: Uint8Array,
  at: number,
  { saturation }: Tone,
  { curve, grayCurve }: { curve: Uint8Array; grayCurve: Uint8Array },
  edge: number,
): void {
  const r = clampByte((rgb[at] as number) + edge);
  const g = clampByte((rgb[at + 1] as number) + edge);
  const b = clampByte((rgb[at + 2] as number) + edge);
  const spread = Math.max(r, g, b) - Math.min(r, g, b);
  const grayness = Math.min(Math.max((colourFrom - spread) / (colourFrom - grayWithin), 0), 1);
  const red = between(curve[r] as number, grayCurve[r] as number, grayness);
  const green = between(curve[g] as number, grayCurve[g] as number, grayness);
  const blue = between(curve[b] as number, grayCurve[b] as number, grayness);
  const luma = (54 * red + 183 * green + 19 * blue) / 256;
  out[at] = clampByte(red + saturation * (red - luma));
  out[at + 1] = clampByte(green + saturation * (green - luma));
  out[at + 2] = clampByte(blue + saturation * (blue - luma));
}
