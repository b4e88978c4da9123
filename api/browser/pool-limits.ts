/** The limits of what rendering does at once, of a browser's resources and of its use. */
import { availableParallelism } from 'node:os';
import { isSmallMachine } from '../../runtime/machine-memory.ts';

/** The limits at which a browser is replaced between visits, or ended. */
export interface PoolLimits {
  /** The visits at once, and those of patient pages that may stand aside meanwhile. */
  readonly visitsAtOnce: number;
  readonly visitsAside: number;
  readonly visitsPerBrowser: number;
  /** The MB of the browser without its pages up to which it gets another visit. */
  readonly keptMb: number;
  readonly pageMb: number;
  readonly browserMb: number;
  /** The time for which it may leave a question unanswered while there are visits. */
  readonly answerMs: number;
  /** The time without visits after which it ends; `Infinity` for one that stays. */
  readonly idleMs: number;
}

/** The pages and images that a service draws and decodes at once. */
export interface RenderingLimits {
  readonly pool: PoolLimits;
  /** The images from outside that are given to the process that decodes, which works on two at once. */
  readonly images: number;
  /** The threads that dither. */
  readonly threads: number;
}

const cores = Math.min(2, availableParallelism());

/** The limits of a pool when nothing is known about the machine. */
export const defaultLimits: PoolLimits = {
  visitsAtOnce: cores,
  visitsAside: 4,
  visitsPerBrowser: 200,
  keptMb: 400,
  pageMb: 512,
  browserMb: 1_536,
  answerMs: 20_000,
  idleMs: 600_000,
};

const usual: RenderingLimits = { pool: defaultLimits, images: Number.POSITIVE_INFINITY, threads: cores };

/** One page, one image and one thread at a time, and a browser that leaves the service a good half of a gigabyte (T-96). */
const small: RenderingLimits = {
  pool: {
    ...defaultLimits,
    visitsAtOnce: 1,
    visitsAside: 1,
    visitsPerBrowser: 100,
    keptMb: 250,
    pageMb: 256,
    browserMb: 450,
  },
  images: 1,
  threads: 1,
};

/** Returns the limits for a machine, or a container, with so much memory. */
export function limitsFor(memoryBytes: number): RenderingLimits {
  return isSmallMachine(memoryBytes) ? small : usual;
}
