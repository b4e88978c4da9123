/**
 * Random draws that a seed reproduces. Each subject forks its own draws, so that one more draw in it changes nothing in
 * another.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';

/** The draws of one subject. */
export interface Chance {
  /** Draws a number in [0, 1). */
  number(): number;
  /** Draws a whole number, both ends included. */
  whole(least: number, most: number): number;
  /** Draws whether something of this probability happens. */
  hits(probability: number): boolean;
  /** Draws one item of a list that is not empty. */
  pick<Item>(list: readonly Item[]): Item;
  /** Opens the draws of a part of this subject; they depend on the seed and the name alone. */
  fork(name: string): Chance;
}

/** Opens the draws of a seed (sfc32, seeded by SHA-256). */
export function chanceOf(seed: string): Chance {
  const state = new Uint32Array(createHash('sha256').update(seed).digest().buffer.slice(0, 16));
  let [a = 0, b = 0, c = 0, d = 0] = state;
  const draw = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round++) draw();
  const whole = (least: number, most: number): number => least + Math.floor(draw() * (most - least + 1));
  return {
    number: draw,
    whole,
    hits: (probability) => draw() < probability,
    pick: (list) => list[whole(0, list.length - 1)] as (typeof list)[number],
    fork: (name) => chanceOf(`${seed}/${name}`),
  };
}

/** Makes the service's source of randomness out of the draws of a subject. */
export function randomOf(chance: Chance, clock: Pick<Clock, 'now'>): Random {
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => chance.whole(0, 255)));
  return {
    id: () => (Math.floor(clock.now() / 1000) >>> 0).toString(16).padStart(8, '0') + bytes(8).toString('hex'),
    secret: (length) => bytes(length).toString('base64url'),
    jitter: () => chance.number(),
  };
}
