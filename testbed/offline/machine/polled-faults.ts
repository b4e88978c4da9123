/** The faults of frames that poll, which are drawn from the seed apart from all others. */
import type { Chance } from './chance.ts';

/** The faults of frames that poll. Ratios are in [0, 1], times in milliseconds of virtual time. */
export interface PolledFaults {
  readonly frames: number;
  /** The share of frames whose panel is stuck: no firmware can know. */
  readonly stuck: number;
  /** True where a proxy takes pictures in the frames' place, so that the service sees them taken whatever a frame gets. */
  readonly isProxied: boolean;
  /** How often Wi-Fi is away when a frame wakes. */
  readonly wifiAway: number;
  /** The longest time that it stays away. */
  readonly wifiAwayMs: number;
  /** How often something in front of the service answers an error in its place. */
  readonly answeredFalsely: number;
  /** How often the battery gives in while a frame draws: it restarts at once. */
  readonly brownOut: number;
  /** How often power is lost while a picture is written to flash. */
  readonly tornFlash: number;
}

/** Draws the faults; most seeds have no such frame. With `wanted` frames in all there are no more than that. */
export function drawPolledFaults(chance: Chance, wanted = Number.POSITIVE_INFINITY): PolledFaults {
  const sometimes = (most: number): number => (chance.hits(0.5) ? chance.number() * most : 0);
  const frames = chance.hits(0.4) ? chance.whole(1, 2) : 0;
  return {
    frames: Math.min(frames, wanted),
    stuck: chance.hits(0.15) ? 0.5 : 0,
    isProxied: chance.hits(0.2),
    wifiAway: sometimes(0.5),
    wifiAwayMs: chance.pick([30_000, 300_000, 1_200_000]),
    answeredFalsely: sometimes(0.4),
    brownOut: sometimes(0.4),
    tornFlash: sometimes(0.4),
  };
}

/** The faults of a time without any. What the frames are stays as it was drawn. */
export function withoutPolledFaults(faults: PolledFaults): PolledFaults {
  return { ...faults, wifiAway: 0, answeredFalsely: 0, brownOut: 0, tornFlash: 0 };
}

/** A run without such frames, and without what happens to them. */
export const noPolledFrames: PolledFaults = {
  frames: 0,
  stuck: 0,
  isProxied: false,
  wifiAway: 0,
  wifiAwayMs: 30_000,
  answeredFalsely: 0,
  brownOut: 0,
  tornFlash: 0,
};
