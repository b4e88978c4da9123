/** Draws that a seed repeats. */
import { createHash } from 'node:crypto';

/** The draws of a seed. */
export interface Draws {
  /** Draws a whole number from 0 up to, and without, `end`. */
  below(end: number): number;
  /** Draws one item of a list that is not empty. */
  pick<Item>(list: readonly Item[]): Item;
}

/** Opens the draws of a seed (xorshift128, seeded by SHA-256). */
export function drawsOf(seed: string): Draws {
  const state = new Uint32Array(createHash('sha256').update(seed).digest().buffer.slice(0, 16));
  let [a = 1, b = 2, c = 3, d = 4] = state;
  const next = (): number => {
    let t = d;
    [d, c, b] = [c, b, a];
    t ^= t << 11;
    t ^= t >>> 8;
    a = (t ^ a ^ (a >>> 19)) >>> 0;
    return a / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return { below, pick: (list) => list[below(list.length)] as (typeof list)[number] };
}
