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
  const drawn = new Uint8Array(equal.length);
  equal.forEach((count, square) => {
    if (count > drawnFrom * (seen[square] as number)) drawn[square] = 1;
  });
  return { drawn, columns };
}

/** How many pixels from `first` to before `end` are equal to the next one. */
function countEqual(rgb: Uint8Array, first: number, end: number): number {
  let count = 0;
  let colour = colourAt(rgb, first * 3);
  for (let at = first * 3 + 3; at <= end * 3; at += 3) {
    const next = colourAt(rgb, at);
    if (next === colour) count++;
    colour = next;
  }
  return count;
}

/** The colour 0xrrggbb of the pixel that begins at a byte. */
const colourAt = (rgb: Uint8Array, at: number): number =>
  ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);

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

/** What is done to one kind of square: the level that a byte of a colour becomes, as a number and rounded. */
interface Plan {
  readonly tone: Tone;
  readonly isIdle: boolean;
  /** 256 levels for each spread of a colour's channels from `grayWithin` to `colourFrom`. */
  readonly levels: Float64Array;
  readonly bytes: Uint8Array;
}

function buildPlan(tone: Tone): Plan {
  const [curve, grayCurve] = [curveOf(tone, false), curveOf(tone, true)];
  const levels = Float64Array.from({ length: (colourFrom - grayWithin + 1) * 256 }, (_, at) => {
    const grayness = 1 - (at >> 8) / (colourFrom - grayWithin);
    return between(curve[at & 0xff] as number, grayCurve[at & 0xff] as number, grayness);
  });
  return { tone, isIdle: isAsItIs(tone), levels, bytes: Uint8Array.from(levels, clampByte) };
}

const plans = new WeakMap<Tone, Plan>();

function planOf(tone: Tone): Plan {
  const plan = plans.get(tone) ?? buildPlan(tone);
  plans.set(tone, plan);
  return plan;
}

/** Prepares a picture; without anything to do it is the same array. */
export function prepareTone(rgb: Uint8Array, width: number, height: number, { photo, drawn }: Recipe): Uint8Array {
  if (isAsItIs(photo) && isAsItIs(drawn)) return rgb;
  const found = findDrawn(rgb, width, height);
  const [ofPhoto, ofDrawn] = [planOf(photo), planOf(drawn)];
  const planAt = (square: number): Plan => (found.drawn[square] === 1 ? ofDrawn : ofPhoto);
  if (found.drawn.every((_, square) => planAt(square).isIdle)) return rgb;
  const out = rgb.slice();
  for (let y = 0; y < height; y++) {
    const first = (y >> 4) * found.columns;
    for (let column = 0; column < found.columns; ) {
      const from = column * tile;
      const plan = planAt(first + column);
      do column++;
      while (column < found.columns && planAt(first + column) === plan);
      if (!plan.isIdle) toneRun(rgb, out, width, height, y, from, Math.min(column * tile, width), plan);
    }
  }
  return out;
}

/** Prepares the pixels of row `y` from `from` to before `to`. */
function toneRun(
  rgb: Uint8Array,
  out: Uint8Array,
  width: number,
  height: number,
  y: number,
  from: number,
  to: number,
  plan: Plan,
): void {
  const { sharpness } = plan.tone;
  let last = -1;
  let toned = 0;
  for (let pixel = y * width + from, at = pixel * 3, x = from; x < to; x++, pixel++, at += 3) {
    let colour = colourAt(rgb, at);
    if (sharpness !== 0) colour = sharpened(colour, edgeOf(rgb, pixel, x, y, width, height, sharpness));
    // What is drawn repeats itself: a pixel like the one before becomes what that became.
    if (colour !== last) toned = tonedColour(colour, plan);
    last = colour;
    out[at] = toned >> 16;
    out[at + 1] = toned >> 8;
    out[at + 2] = toned;
  }
}

/** A colour 0xrrggbb with `edge` added to its bytes. */
function sharpened(colour: number, edge: number): number {
  const red = clampByte((colour >> 16) + edge);
  const green = clampByte(((colour >> 8) & 0xff) + edge);
  return (red << 16) | (green << 8) | clampByte((colour & 0xff) + edge);
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
  if (x === 0 || y === 0 || x === width - 1 || y === height - 1) return 0;
  const around =
    greenAt(rgb, pixel - 1) + greenAt(rgb, pixel + 1) + greenAt(rgb, pixel - width) + greenAt(rgb, pixel + width);
  return sharpness * (greenAt(rgb, pixel) - around / 4);
}

// No function is made inside the loops: the TypeScript loader names each one anew, which costs more than the pixel.
const greenAt = (rgb: Uint8Array, pixel: number): number => rgb[pixel * 3 + 1] as number;

const between = (from: number, to: number, share: number): number => from + share * (to - from);

const clampByte = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : Math.round(value));

/** What a colour 0xrrggbb becomes by a plan's levels and colourfulness. */
function tonedColour(colour: number, { tone: { saturation }, levels, bytes }: Plan): number {
  const r = colour >> 16;
  const g = (colour >> 8) & 0xff;
  const b = colour & 0xff;
  const spread = Math.max(r, g, b) - Math.min(r, g, b);
  const first = (Math.min(Math.max(spread, grayWithin), colourFrom) - grayWithin) << 8;
  if (saturation === 0) {
    return ((bytes[first + r] as number) << 16) | ((bytes[first + g] as number) << 8) | (bytes[first + b] as number);
  }
  const red = levels[first + r] as number;
  const green = levels[first + g] as number;
  const blue = levels[first + b] as number;
  const luma = (54 * red + 183 * green + 19 * blue) / 256;
  return (
    (clampByte(red + saturation * (red - luma)) << 16) |
    (clampByte(green + saturation * (green - luma)) << 8) |
    clampByte(blue + saturation * (blue - luma))
  );
}
