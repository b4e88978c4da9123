/** Keeps what each glass of a fleet shows as files, a few at a time, and the newest picture of each only. */
import type { AnyFrame } from './behaviours.ts';
import { glassIndices, glassPng, writeGlass } from './glass.ts';

/** So many pictures are made at the same time. */
const workers = 2;

/** The files of a fleet's glasses. */
export interface KeptGlasses {
  /** Writes what the frame shows, soon. */
  keep(frame: AnyFrame): void;
  /** Waits until everything is written. */
  settled(): Promise<void>;
}

/**
 * Keeps glasses in a folder as `<serial>.png`.
 * @param failed is told of the first file that could not be written, and again after one that could
 */
export function keepGlasses(dir: string, failed: (serial: string, error: Error) => void): KeptGlasses {
  const waiting = new Map<string, AnyFrame>();
  const working = new Set<Promise<void>>();
  let hasFailed = false;
  const write = async ({ serial, panel, orientation, glass }: AnyFrame): Promise<void> => {
    try {
      await writeGlass(dir, serial, await glassPng(panel, orientation, glassIndices(panel, glass)));
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) failed(serial, error as Error);
      hasFailed = true;
    }
  };
  const work = async (): Promise<void> => {
    for (let [next] = waiting.values(); next !== undefined; [next] = waiting.values()) {
      waiting.delete(next.serial);
      await write(next);
    }
  };
  return {
    keep(frame) {
      waiting.set(frame.serial, frame);
      if (working.size >= workers) return;
      const worker = work().finally(() => working.delete(worker));
      working.add(worker);
    },
    async settled() {
      while (working.size > 0) await Promise.all(working);
    },
  };
}
