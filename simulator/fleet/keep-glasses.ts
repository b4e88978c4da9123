/** Keeps the newest picture of each glass of a fleet as a file; a few are written at a time. */
import type { AnyFrame } from '../dialects/any-frame.ts';
import { glassIndices, glassPng, writeGlass } from '../frame/glass.ts';

/** The number of pictures that are made at the same time. */
const workers = 2;

/** The files of a fleet's glasses. */
export interface KeptGlasses {
  /** Writes what the device of this name shows, soon. */
  keep(name: string, frame: AnyFrame): void;
  /** Waits until everything is written. */
  settled(): Promise<void>;
}

/**
 * Keeps glasses in a folder as `<name>.png`.
 * @param failed is called for the first file that could not be written, and again after one that could
 */
export function keepGlasses(dir: string, failed: (name: string, error: Error) => void): KeptGlasses {
  const waiting = new Map<string, AnyFrame>();
  const working = new Set<Promise<void>>();
  let hasFailed = false;
  const write = async (name: string, { panel, orientation, glass }: AnyFrame): Promise<void> => {
    try {
      await writeGlass(dir, name, await glassPng(panel, orientation, glassIndices(panel, glass)));
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) failed(name, error as Error);
      hasFailed = true;
    }
  };
  const work = async (): Promise<void> => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      waiting.delete(next[0]);
      await write(...next);
    }
  };
  return {
    keep(name, frame) {
      waiting.set(name, frame);
      if (working.size >= workers) return;
      const worker = work().finally(() => working.delete(worker));
      working.add(worker);
    },
    async settled() {
      while (working.size > 0) await Promise.all(working);
    },
  };
}
