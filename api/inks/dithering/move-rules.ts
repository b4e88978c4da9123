/** Decides which dots may change places when a picture settles, and what a move has to bring. */
import { one } from './colour.ts';
import { fixed } from './loops/places.ts';

/** The weights of the blur that `settle` uses: all of them, a pixel's own, its neighbour's. */
const weightOfAll = 81 * 81;
const weightOfSelf = 19 * 19;
const weightOfNeighbour = 19 * 16;

/**
 * The gain that a move has to bring for each unit of colour it moves: moves that only shuffle colours make a picture
 * restless.
 */
const gainPerColour = 0.003;

/**
 * The rules for each pair of inks, `from << 5 | to`: the luminance that moves, and the slope of the error at which
 * moving it pays.
 */
export interface MoveRules {
  readonly moved: Int32Array;
  readonly payingSlope: Int32Array;
}

/** Builds the rules of a palette: `inks` and `luminances` in units, at most sixteen. */
export function buildMoveRules(inks: Int32Array, luminances: Int32Array): MoveRules {
  const moved = new Int32Array(fixed * 2 * fixed * 2);
  // An ink that was asked for by name has no entry here and never pays.
  const payingSlope = new Int32Array(moved.length).fill(0x7fffffff);
  for (let from = 0; from < luminances.length; from++) {
    for (let to = 0; to < luminances.length; to++) {
      const step = (luminances[to] as number) - (luminances[from] as number);
      if (step === 0) continue;
      const light = step / one;
      const red = ((inks[to * 3] as number) - (inks[from * 3] as number)) / one - light;
      const blue = ((inks[to * 3 + 2] as number) - (inks[from * 3 + 2] as number)) / one - light;
      const price =
        light * light * (weightOfSelf - weightOfNeighbour) +
        (gainPerColour / 2) * (red * red + (blue * blue) / 2) * weightOfAll;
      moved[(from << 5) | to] = step;
      payingSlope[(from << 5) | to] = Math.min(Math.round((price / Math.abs(light)) * one), 0x7fffffff);
    }
  }
  return { moved, payingSlope };
}
