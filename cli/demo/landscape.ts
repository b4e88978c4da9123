/**
 * The picture the demo pushes when nobody gives one: a mountain lake at dusk, marched through a fractal height field.
 * Made here, so that it may be shipped; long gradients, fine texture and strong colours are what panels find hard.
 */
import sharp from 'sharp';

type Colour = readonly [red: number, green: number, blue: number];

const width = 1600;
const height = 1067;
const horizon = height * 0.44;
const waterLevel = 0.33;
const cameraHeight = 0.95;
const farthest = 22;
const sun = { x: width * 0.66, y: horizon - 128 };
const toSun = normalize([0.55, 0.38, 0.74]);

/** Draws the landscape and encodes it as a JPEG, with the same bytes every time. */
export async function drawLandscape(): Promise<Buffer> {
  const pixels = new Uint8Array(width * height * 3);
  for (let x = 0; x < width; x++) drawColumn(pixels, x);
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
}

/** Draws one column of the picture, from the feet to the sky: a nearer point hides the points behind it. */
function drawColumn(pixels: Uint8Array, x: number): void {
  const slope = (x / width - 0.5) * 1.15;
  let top = height;
  for (let distance = 0.7; distance < farthest && top > 0; distance *= 1.0045) {
    const east = slope * distance + 40;
    const north = distance + 3.1;
    const ground = terrain(east, north);
    const isWater = ground < waterLevel;
    const level = isWater ? waterLevel : ground;
    const y = Math.max(0, Math.round(horizon + ((cameraHeight - level) / distance) * height * 0.78));
    if (y >= top) continue;
    const surface = isWater ? water(x, (y + top) / 2, distance) : land(east, north, ground, distance);
    const haze = 0.8 * (1 - Math.exp(-((distance / 19) ** 2)));
    const colour = mix(surface, sky(x, horizon - 8), isWater ? haze * 0.5 : haze);
    for (let row = y; row < top; row++) put(pixels, x, row, colour);
    top = y;
  }
  for (let y = 0; y < top; y++) put(pixels, x, y, sky(x, y));
}

function sky(x: number, y: number): Colour {
  const up = Math.min(1, Math.max(0, 1 - y / horizon));
  let colour = mix([252, 190, 122], [222, 108, 96], smooth(0, 0.28, up));
  colour = mix(colour, [92, 84, 148], smooth(0.2, 0.62, up));
  colour = mix(colour, [28, 42, 104], smooth(0.55, 1, up));
  const clouds = smooth(0.5, 0.78, fractal(x / 260 + 7, y / 54 + 3, 5)) * smooth(0.05, 0.3, up);
  colour = mix(colour, mix([255, 206, 150], [150, 82, 110], up), clouds * 0.75);
  const away = Math.hypot(x - sun.x, (y - sun.y) * 1.1);
  colour = mix(colour, [255, 226, 150], 0.85 * Math.exp(-away / 95));
  return away < 34 ? [255, 246, 206] : colour;
}

function water(x: number, y: number, distance: number): Colour {
  const ripple = (noise(x / 26, (y * y) / 900) - 0.5) * (26 / Math.sqrt(distance));
  const mirrored = sky(x + ripple, Math.max(0, 2 * horizon - y - ripple * 1.4));
  const path = Math.exp(-((x - sun.x + ripple * 5) ** 2) / 2600) * (0.35 + 0.65 * noise(x / 9, y / 3));
  return mix(mix(mirrored, [18, 44, 74], 0.34), [255, 214, 128], path * 0.8);
}

function land(east: number, north: number, ground: number, distance: number): Colour {
  const step = 0.006 * Math.max(1, distance / 3);
  const light = lightAt([
    terrain(east - step, north) - terrain(east + step, north),
    2 * step,
    terrain(east, north - step) - terrain(east, north + step),
  ]);
  const grain = fractal(east * 21, north * 21, 3);
  let colour = mix([46, 74, 38], [112, 104, 52], grain);
  colour = mix(colour, [124, 96, 82], smooth(0.62, 1.05, ground + (grain - 0.5) * 0.18));
  colour = mix(colour, [236, 232, 238], smooth(1.75, 2.2, ground + (grain - 0.5) * 0.22));
  colour = mix([186, 158, 112], colour, smooth(waterLevel, waterLevel + 0.03, ground));
  const warm = light * 1.3;
  return [colour[0] * (0.42 + warm * 1.2), colour[1] * (0.44 + warm * 0.96), colour[2] * (0.58 + warm * 0.7)];
}

function lightAt(slope: Colour): number {
  const [x, y, z] = normalize(slope);
  return Math.max(0, x * toSun[0] + y * toSun[1] + z * toSun[2]);
}

/** Returns the height of the ground: low hills around a basin, and mountains behind them. */
function terrain(east: number, north: number): number {
  const hills = ridge(east * 0.5, north * 0.5, 5) ** 2 * 0.2;
  const basin = 0.34 * fractal(east * 0.2 + 9, north * 0.2, 3) + 0.02;
  const mountains = 3.1 * smooth(8, 20, north) * ridge(east * 0.17 + 3, north * 0.17 + 1, 6) ** 2.2;
  return hills + basin + mountains;
}

/** Returns 1 along crests, 0 in valleys. */
function ridge(x: number, y: number, octaves: number): number {
  return 1 - Math.abs(2 * fractal(x, y, octaves) - 1);
}

function fractal(x: number, y: number, octaves: number): number {
  let sum = 0;
  let weight = 0.5;
  let total = 0;
  for (let octave = 0; octave < octaves; octave++) {
    sum += weight * noise(x * 2 ** octave + octave * 17.3, y * 2 ** octave - octave * 9.1);
    total += weight;
    weight *= 0.5;
  }
  return sum / total;
}

/** Returns value noise in 0..1. */
function noise(x: number, y: number): number {
  const column = Math.floor(x);
  const row = Math.floor(y);
  const across = (x - column) ** 2 * (3 - 2 * (x - column));
  const down = (y - row) ** 2 * (3 - 2 * (y - row));
  const upper = lattice(column, row) * (1 - across) + lattice(column + 1, row) * across;
  const lower = lattice(column, row + 1) * (1 - across) + lattice(column + 1, row + 1) * across;
  return upper * (1 - down) + lower * down;
}

function lattice(column: number, row: number): number {
  let hash = Math.imul(column, 374_761_393) ^ Math.imul(row, 668_265_263);
  hash = Math.imul(hash ^ (hash >>> 13), 1_274_126_177);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Returns 0 at `from`, 1 at `to`, without a corner between them. */
function smooth(from: number, to: number, value: number): number {
  const at = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return at * at * (3 - 2 * at);
}

function mix(from: Colour, to: Colour, share: number): Colour {
  return [
    from[0] + (to[0] - from[0]) * share,
    from[1] + (to[1] - from[1]) * share,
    from[2] + (to[2] - from[2]) * share,
  ];
}

function normalize([x, y, z]: Colour): Colour {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}

function put(pixels: Uint8Array, x: number, y: number, colour: Colour): void {
  const at = (y * width + x) * 3;
  for (let channel = 0; channel < 3; channel++) {
    pixels[at + channel] = Math.min(255, Math.max(0, Math.round(colour[channel] as number)));
  }
}
