/** The frames for which this process is making a picture: one that wakes meanwhile comes back for it soon (WK-17). */
import { serialKey } from '../frames/registry.ts';

/** Pictures under way. Those that another node makes are known there alone. */
export interface PicturesBeingMade {
  readonly isBeingMade: (serial: string) => boolean;
  /** Counts a picture of a frame as being made until the work has ended, whatever comes of it. */
  readonly whileMaking: <Made>(serial: string, work: Promise<Made>) => Promise<Made>;
}

export function picturesBeingMade(): PicturesBeingMade {
  const underWay = new Map<string, number>();
  const count = (serial: string, by: number): void => {
    const left = (underWay.get(serial) ?? 0) + by;
    if (left === 0) underWay.delete(serial);
    else underWay.set(serial, left);
  };
  return {
    isBeingMade: (serial) => underWay.has(serialKey(serial)),
    async whileMaking(serial, work) {
      const key = serialKey(serial);
      count(key, 1);
      try {
        return await work;
      } finally {
        count(key, -1);
      }
    },
  };
}
