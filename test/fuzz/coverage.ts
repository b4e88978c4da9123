/** Blocks of our sources that ran, by V8's own counters: nothing is compiled in another way for it. */
import { Session } from 'node:inspector';
import { pathToFileURL } from 'node:url';

/** Watches which blocks run. */
export interface Coverage {
  /** Returns the blocks that ran since the last call, each with how often, in steps of powers of two. */
  take(): Set<string>;
  stop(): void;
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Counted {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

/** Counts up to this are told apart: more rounds of a loop are no new behaviour. */
const mostSteps = 8;

/**
 * Returns how often the block at a place ran. V8 leaves out a block that ran as often as the one around it: the code behind
 * an early return is named only while it does not run.
 */
function countAt(ranges: readonly Range[], place: number): number {
  let count = 0;
  for (const range of ranges) {
    if (range.startOffset > place) break;
    if (place < range.endOffset) count = range.count;
  }
  return count;
}

/**
 * Starts to watch, before the sources are loaded.
 * @param guides the beginnings of their paths, below the checkout
 */
export function watchCoverage(root: string, guides: readonly string[]): Coverage {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const folder = pathToFileURL(`${root}/`).href;
  /** The places at which a block of each function was seen to begin. */
  const starts = new Map<string, Set<number>>();
  const places = new Map<string, string | undefined>();
  const placeOf = (url: string): string | undefined => {
    if (!places.has(url)) {
      const path = url.startsWith(folder) ? url.slice(folder.length).replace(/\?.*/, '') : '';
      places.set(url, guides.some((guide) => path.startsWith(guide)) ? path : undefined);
    }
    return places.get(url);
  };
  return {
    take() {
      const blocks = new Set<string>();
      let counted: Counted | undefined;
      session.post('Profiler.takePreciseCoverage', (error, found) => {
        if (error !== null) throw new Error(error.message);
        counted = found;
      });
      for (const { url, functions } of counted?.result ?? []) {
        const place = placeOf(url);
        if (place === undefined) continue;
        for (const { ranges } of functions) {
          const [{ startOffset, endOffset } = { startOffset: 0, endOffset: 0 }] = ranges;
          const name = `${place}:${startOffset}-${endOffset}`;
          const known = starts.get(name) ?? new Set<number>();
          starts.set(name, known);
          for (const range of ranges) known.add(range.startOffset);
          for (const start of known) {
            const count = countAt(ranges, start);
            if (count > 0) blocks.add(`${name}:${start}x${Math.min(mostSteps, 32 - Math.clz32(count))}`);
          }
        }
      }
      return blocks;
    },
    stop: () => session.disconnect(),
  };
}

/** Counts the blocks of a set, whatever their number of runs. */
export const blocksIn = (seen: ReadonlySet<string>): number =>
  new Set([...seen].map((block) => block.slice(0, block.lastIndexOf('x')))).size;
