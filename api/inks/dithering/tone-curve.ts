/** Works out the colour that a tone makes of each colour, once a tone. */
import type { Tone } from './intents.ts';
import { colourFrom, grayWithin } from './loops/places.ts';

/** Returns whether a tone leaves everything as it is. */
export const isAsItIs = (tone: Tone): boolean => Object.values(tone).every((share) => share === 0);

/**
 * Returns the level that a byte becomes: the ends are cut off, and the bytes next to them stretched so that nothing
 * jumps.
 */
function levelOf(byte: number, { black, white, reach }: Tone): number {
  const cut = (depth: number, end: number): number =>
    end === 0 || depth >= end + reach ? depth : (Math.max(depth - end, 0) * (end + reach)) / reach;
  return byte < 128 ? cut(byte, black) : 255 - cut(255 - byte, white);
}

/** Returns the levels that bytes become. */
function curveOf(tone: Tone, withEnds: boolean): Float64Array {
  return Float64Array.from({ length: 256 }, (_, byte) => {
    const level = (withEnds ? levelOf(byte, tone) : byte) / 255;
    // A cubic through black, middle and white, as much steeper in the middle as asked.
    return 255 * Math.min(Math.max(level + tone.contrast * 2 * level * (1 - level) * (2 * level - 1), 0), 1);
  });
}

/** A byte that only a change of all colours changes. */
const middle = 128;

/** The treatment of photographs, or of drawings: the level that a byte of a colour becomes, as a number and rounded. */
export interface Plan {
  readonly tone: Tone;
  readonly isIdle: boolean;
  readonly hasEdges: boolean;
  /** 256 levels for each spread of a colour's channels from `grayWithin` to `colourFrom`. */
  readonly levels: Float64Array;
  readonly bytes: Uint8Array;
  /** 1 for each byte that becomes another in some colour. Without added colourfulness, all others stay as they are. */
  readonly changes: Uint8Array;
  /** The bytes from which and up to which none becomes another; the first is above the second where there are none. */
  readonly calm: readonly [least: number, most: number];
}

function buildPlan(tone: Tone): Plan {
  const [plain, ofGrays] = [curveOf(tone, false), curveOf(tone, true)];
  const levels = Float64Array.from({ length: (colourFrom - grayWithin + 1) * 256 }, (_, at) => {
    const grayness = 1 - (at >> 8) / (colourFrom - grayWithin);
    return between(plain[at & 0xff] as number, ofGrays[at & 0xff] as number, grayness);
  });
  const bytes = Uint8Array.from(levels, clampByte);
  const changes = new Uint8Array(256);
  bytes.forEach((level, at) => {
    if (level !== (at & 0xff) || tone.saturation !== 0) changes[at & 0xff] = 1;
  });
  let [least, most] = [middle, middle - 1];
  while (changes[most + 1] === 0) most++;
  while (most >= middle && changes[least - 1] === 0) least--;
  const hasEdges = tone.strokes + tone.sharpness > 0;
  return { tone, isIdle: isAsItIs(tone), hasEdges, levels, bytes, changes, calm: [least, most] };
}

const plans = new WeakMap<Tone, Plan>();

/** Returns the plan of a tone. */
export function planOf(tone: Tone): Plan {
  const plan = plans.get(tone) ?? buildPlan(tone);
  plans.set(tone, plan);
  return plan;
}

/** Returns the number at a share of the way between two numbers. */
export const between = (from: number, to: number, share: number): number => from + share * (to - from);

/** Returns the byte nearest to a number. */
export const clampByte = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : Math.round(value));

/** Returns the colour that a colour 0xrrggbb becomes by a plan's levels and colourfulness. */
export function tonedColour(colour: number, { tone: { saturation }, levels, bytes }: Plan): number {
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

/** Returns the colour at a share of the way between two colours 0xrrggbb. */
export function mixedColour(one: number, other: number, share: number): number {
  if (one === other) return one;
  return (
    (Math.round(between(one >> 16, other >> 16, share)) << 16) |
    (Math.round(between((one >> 8) & 0xff, (other >> 8) & 0xff, share)) << 8) |
    Math.round(between(one & 0xff, other & 0xff, share))
  );
}

/** Returns a colour 0xrrggbb with `share` of its difference from another added once more, and `more` to every byte. */
export function colourAway(colour: number, from: number, share: number, more: number): number {
  const red = colour >> 16;
  const green = (colour >> 8) & 0xff;
  const blue = colour & 0xff;
  return (
    (clampByte(red + share * (red - (from >> 16)) + more) << 16) |
    (clampByte(green + share * (green - ((from >> 8) & 0xff)) + more) << 8) |
    clampByte(blue + share * (blue - (from & 0xff)) + more)
  );
}
