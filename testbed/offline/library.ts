/**
 * The exports of `papergate/simulator`: the live frames of `simulator/library.ts`, and the offline simulation, of which
 * nothing is loaded before it is called. These exports change as the package's version says; nothing else of the simulator
 * does.
 */
export * from '../../simulator/library.ts';

/** The seeds to play. */
export interface OfflineOptions {
  readonly seed: string;
  /** One run plays the seed itself; more play `seed.1`, `seed.2` and so on. 1 unless given. */
  readonly runs?: number;
  /** The number of frames of every run; drawn from the seed unless given. */
  readonly frames?: number;
  /** The number of processes that share the database: up to 3, or `drawn` from the seed. 1 unless given. */
  readonly nodes?: number | 'drawn';
  /** Whether every run restores a backup; drawn from the seed unless given. */
  readonly restores?: boolean;
  /** Whether the disk of every run is lost and comes back from an archive; no run's unless given. */
  readonly archives?: boolean;
  /** Whether the first run that breaks a promise is the last. */
  readonly stopAtFirst?: boolean;
  /** Is given each verdict as its run ends. */
  readonly ended?: (verdict: OfflineVerdict) => void;
  /** Is given each line of what happens. */
  readonly trace?: (line: string) => void;
}

/** The outcome of one run. */
export interface OfflineVerdict {
  readonly seed: string;
  /** The SHA-256 of everything that happened: the same seed has the same one everywhere. */
  readonly hash: string;
  /** The promise that was broken first, by its id in docs/rules.md; undefined when all were kept. */
  readonly broken: { readonly rule: string; readonly sentence: string } | undefined;
  /** The last lines of what happened. */
  readonly lastLines: readonly string[];
  /** How often what happened. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The outcome of all runs. */
export interface OfflineResult {
  readonly verdicts: readonly OfflineVerdict[];
  /** How many runs broke a promise. */
  readonly broken: number;
  /** The hash of the only run, or one over the hashes of all. */
  readonly hash: string;
  /** The counts of all runs together. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The last call. Calls wait for each other: a run sees by rounds of the event loop that all has settled, and takes a core whole. */
let last: Promise<unknown> = Promise.resolve();

const maxRuns = 1_000_000;
const maxFrames = 10_000;
const maxNodes = 3;

/**
 * Plays the whole service and its frames under virtual time, from a seed. Calls of one process follow each other.
 * @throws RangeError for numbers of runs, frames or nodes that cannot be played
 */
export async function offline(options: OfflineOptions): Promise<OfflineResult> {
  const { runs = 1, frames, nodes } = options;
  requireWhole('runs', runs, maxRuns);
  if (frames !== undefined) requireWhole('frames', frames, maxFrames);
  if (nodes !== undefined && nodes !== 'drawn') requireWhole('nodes', nodes, maxNodes);
  const own = last.catch(() => undefined).then(() => playAlone({ ...options, runs }));
  last = own;
  return own;
}

async function playAlone(options: OfflineOptions & { readonly runs: number }): Promise<OfflineResult> {
  const { seed, runs, frames, nodes, restores, archives, stopAtFirst = false, ended, trace } = options;
  const { play } = await import('./play.ts');
  const verdicts: OfflineVerdict[] = [];
  const { broken, hash, counts } = await play({
    seed,
    runs,
    frames,
    nodes,
    restores,
    archives,
    stopAtFirst,
    trace,
    ended({ seed: played, hash: own, broken: rule, lastLines, counts: found }) {
      const verdict = { seed: played, hash: own, broken: rule, lastLines, counts: found };
      verdicts.push(verdict);
      ended?.(verdict);
    },
  });
  return { verdicts, broken, hash, counts };
}

function requireWhole(name: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new RangeError(`${name} is ${value}: give a whole number from 1 to ${most}`);
  }
}
