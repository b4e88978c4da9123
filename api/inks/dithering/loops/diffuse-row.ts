// biome-ignore-all lint/complexity/useMaxParams: compiled functions take numbers alone; a value with names would lie in memory that nobody frees.
/**
 * The longest loop of the service. Red, green and blue go through one vector; its fourth lane carries luminance where
 * that is free. The debts to the row below stand in one row of memory: each place is read before it is written.
 */
import {
  bitsPerStep,
  fixed,
  flatFrom,
  gamutAt,
  inksAt,
  lightOfBlueAt,
  lightOfGreenAt,
  lightOfRedAt,
  lightPerStepShift,
  limitsAt,
  mayBeNominalAt,
  nearestAt,
  noiseAcross,
  noiseAt,
  noiseDown,
  nominalAt,
  remaindersAt,
  stepsAt,
  tableNodes,
  twiceInksAt,
} from './places.ts';

/** The ink that a colour 0xrrggbb names, or -1. */
function inkNamed(colour: u32, count: i32): i32 {
  for (let ink = 0; ink < count; ink++) if (load<u32>(nominalAt + (ink << 2)) === colour) return ink;
  return -1;
}

/** Returns the disturbance of the choice at a place, in 256ths of the wish: half of the noise at most, up or down. */
function disturbanceAt(x: i32, y: i32, noise: i32): i32 {
  return (((x * <i32>noiseAcross + y * <i32>noiseDown) >> 24) * noise) >> 8;
}

/**
 * Dithers row `y`. `rgb`, `indices` and `lightness` point to the row; `owed` to the debt to its first pixel, 16 bytes a
 * pixel, with a spare one at either end.
 */
export function diffuseRow(
  rgb: usize,
  indices: usize,
  lightness: usize,
  owed: usize,
  width: i32,
  y: i32,
  inks: i32,
): void {
  const backwards = (y & 1) !== 0;
  const step = backwards ? -1 : 1;
  const end = backwards ? -1 : width;
  const remainders = remaindersAt + ((y & 1) << 2);
  const limits = v128.load(limitsAt);
  const noise = load<i32>(noiseAt);
  const above = y > 0 ? width * 3 : 0;
  let last: u32 = 0xffffffff;
  let run = 0;
  const nothing = i32x4.splat(0);
  const half = i32x4.splat(2);
  let error = nothing;
  // Twice the error before is `lit` less `paid`: only the last of them has to wait for the ink to be known.
  let lit = nothing;
  let paid = nothing;
  for (let x = backwards ? width - 1 : 0; x !== end; x += step) {
    const from = rgb + x * 3;
    const r = <i32>load<u8>(from);
    const g = <i32>load<u8>(from, 1);
    const b = <i32>load<u8>(from, 2);
    const colour = load<u32>(from) & 0xffffff;
    run = colour === last ? run + 1 : 0;
    last = colour;
    const place = owed + (x << 4);
    const due = i32x4.add(i32x4.add(v128.load(place), half), lit);
    let ink = -1;
    if (load<u8>(((r & 0xf0) << 4) | (g & 0xf0) | (b >> 4), mayBeNominalAt) !== 0) {
      ink = inkNamed((r << 16) | (g << 8) | b, inks);
    }
    let left: v128;
    if (ink >= 0) {
      // an ink asked for by name is that ink and adds no error; what its neighbours owe passes through it.
      store<u8>(indices + x, ink | fixed);
      store<i32>(lightness + (x << 2), 0);
      left = i32x4.shr_s(i32x4.sub(due, paid), 2);
      lit = i32x4.shl(left, 1);
      paid = nothing;
    } else {
      const more = <i32>load<u8>(remainders + (x & 3));
      const node = (((r + more) >> 3) * tableNodes + ((g + more) >> 3)) * tableNodes + ((b + more) >> 3);
      const wished = i32x4.add(
        i32x4.add(v128.load(r << 4, lightOfRedAt), v128.load(g << 4, lightOfGreenAt)),
        i32x4.add(v128.load(b << 4, lightOfBlueAt), v128.load(node << 4, gamutAt)),
      );
      // In quarters: one step less that has to wait for the pixel before.
      const sum = i32x4.sub(i32x4.add(due, i32x4.shl(wished, 2)), paid);
      const light = i32x4.min_s(i32x4.max_s(sum, nothing), limits);
      // an even area settles into stripes and patches of them, unless its choices differ a little. Errors stay true.
      let seen = light;
      if (run >= flatFrom && colour === (load<u32>(from - above) & 0xffffff)) {
        const disturbance = i32x4.shr_s(i32x4.mul(wished, i32x4.splat(disturbanceAt(x, y, noise))), 8);
        seen = i32x4.min_s(i32x4.max_s(i32x4.add(sum, i32x4.shl(disturbance, 2)), nothing), limits);
      }
      const entries = i32x4.shr_s(seen, lightPerStepShift + 2);
      const drawn = <i32>(
        load<u8>(
          ((<i32>load<u8>(i32x4.extract_lane(entries, 0), stepsAt)) << (2 * bitsPerStep)) |
            <i32>load<u8>(i32x4.extract_lane(entries, 2), stepsAt) |
            ((<i32>load<u8>(i32x4.extract_lane(entries, 1), stepsAt)) << bitsPerStep),
          nearestAt,
        )
      );
      store<u8>(indices + x, drawn >> 4);
      store<i32>(lightness + (x << 2), load<i32>(drawn, inksAt + 12) - (i32x4.extract_lane(wished, 3) >> 8));
      const whole = i32x4.shr_s(light, 2);
      left = i32x4.sub(whole, v128.load(drawn, inksAt));
      lit = i32x4.shl(whole, 1);
      paid = v128.load(drawn, twiceInksAt);
    }
    v128.store(place - (step << 4), i32x4.add(error, left));
    error = left;
  }
  v128.store(owed + ((end - step) << 4), error);
}
