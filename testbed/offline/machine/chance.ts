/**
 * Random draws that a seed reproduces. Each subject forks its own draws, so that one more draw in it changes nothing in
 * another.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { EventLog, RunEvent } from './run-events.ts';

/** The draws of one subject. */
export interface Chance {
  /** Draws a number in [0, 1). */
  number(): number;
  /** Draws a whole number, both ends included. */
  whole(least: number, most: number): number;
  /** Draws whether something of this probability happens. */
  hits(probability: number): boolean;
  /**
   * Draws whether a fault of this probability happens. Unlike what `hits` draws it is an event of the run, which can be left out:
   * what else is drawn of it has to be drawn after it.
   */
  happens(probability: number, what: string): boolean;
  /** Returns whether something happens that nothing is drawn for; an event of the run, too. */
  occurs(what: string): boolean;
  /**
   * Begins an act, an event of the run that was due at this time of the events; one that was noted before goes on from the draws
   * that it had then.
   */
  begin(what: string, at: number, noted?: RunEvent): void;
  /** Draws one item of a list that is not empty. */
  pick<Item>(list: readonly Item[]): Item;
  /** Opens the draws of a part of this subject; they depend on the seed and the name alone. */
  fork(name: string): Chance;
}

/** The draws of a seed, which can be counted and moved to a place that they had before. */
interface Draws {
  draw(): number;
  /** The number of draws so far. */
  place(): number;
  moveTo(place: number): void;
}

/** Opens the draws of a seed (sfc32, seeded by SHA-256). */
function drawsOf(seed: string): Draws {
  const state = new Uint32Array(createHash('sha256').update(seed).digest().buffer.slice(0, 16));
  let [a = 0, b = 0, c = 0, d = 0] = state;
  let drawn = -12;
  const draw = (): number => {
    drawn++;
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  while (drawn < 0) draw();
  return {
    draw,
    place: () => drawn,
    moveTo(place) {
      if (place < drawn) {
        [a = 0, b = 0, c = 0, d = 0] = state;
        drawn = -12;
      }
      while (drawn < place) draw();
    },
  };
}

/**
 * Opens the chance of a seed.
 * @param events decides which events happen; without it all do that are drawn
 * @param who the name of the player that these draws belong to, for the events
 */
export function chanceOf(seed: string, events?: EventLog, who = ''): Chance {
  const { draw, place, moveTo } = drawsOf(seed);
  const whole = (least: number, most: number): number => least + Math.floor(draw() * (most - least + 1));
  return {
    number: draw,
    whole,
    hits: (probability) => draw() < probability,
    happens(probability, what) {
      const isDrawn = draw() < probability;
      if (events === undefined) return isDrawn;
      const event = events.decide({ who, what, draw: place(), isDrawn, isPossible: probability > 0 });
      if (event !== undefined) moveTo(event.draw);
      return event !== undefined;
    },
    occurs(what) {
      if (events === undefined) return true;
      const event = events.decide({ who, what, draw: place(), isDrawn: true, isPossible: true });
      if (event !== undefined) moveTo(event.draw);
      return event !== undefined;
    },
    begin(what, at, noted) {
      if (noted !== undefined) moveTo(noted.draw);
      events?.began(noted ?? { at, who, what, draw: place() });
    },
    pick: (list) => list[whole(0, list.length - 1)] as (typeof list)[number],
    fork: (name) => chanceOf(`${seed}/${name}`, events, who === '' ? name : `${who}, ${name}`),
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
