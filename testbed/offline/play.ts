/** Plays many runs, one after the other on one disk, and sums up their verdicts, their counts and their hashes. */
import { createHash } from 'node:crypto';
import type { SimulationOptions } from './foundation.ts';
import { createDisk } from './machine/disk.ts';
import { type RunVerdict, runSeed } from './run-seed.ts';

/** The seeds to play, and the callbacks that follow them. */
export interface PlayOptions {
  readonly seed: string;
  /** One run plays the seed itself; more play `seed.1`, `seed.2` and so on. */
  readonly runs: number;
  /** The number of frames of every run; drawn from the seed when absent. */
  readonly frames?: number | undefined;
  /** The number of nodes of every run, see the options of a run. */
  readonly nodes?: SimulationOptions['nodes'];
  /** True to restore a backup in every run. */
  readonly restores?: boolean | undefined;
  /** True to archive the service and to throw its disk away in every run. */
  readonly archives?: boolean | undefined;
  /** The number of frames with the offline firmware besides the others of every run; none when absent. */
  readonly offlineFrames?: number | undefined;
  /** The number of deadlines of every run; none when absent. */
  readonly deadlines?: number | undefined;
  readonly stopAtFirst: boolean;
  /** Returns whether time is left for another run; when absent there always is. */
  readonly goesOn?: (() => boolean) | undefined;
  /** Receives each line of the trace. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Receives the verdict of each run as it ends. */
  readonly ended: (verdict: RunVerdict) => void;
}

/** The result of all runs. `hash` is the hash of the only run, or a hash over the hashes of all. */
export interface Played {
  readonly runs: number;
  readonly broken: number;
  readonly hash: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** Plays the seeds until all are played, time is up, or one breaks a promise and `stopAtFirst` is set. */
export async function play(options: PlayOptions): Promise<Played> {
  const disk = await createDisk();
  const { frames, nodes, restores, archives, offlineFrames, deadlines, trace: print } = options;
  const seeds =
    options.runs === 1 ? [options.seed] : Array.from({ length: options.runs }, (_, at) => `${options.seed}.${at + 1}`);
  const hashes: string[] = [];
  const counts: Record<string, number> = {};
  let broken = 0;
  for (const seed of seeds) {
    if (options.goesOn?.() === false) break;
    const verdict = await runSeed(seed, disk, { frames, nodes, restores, archives, offlineFrames, deadlines, print });
    hashes.push(verdict.hash);
    for (const [name, count] of Object.entries(verdict.counts)) counts[name] = (counts[name] ?? 0) + count;
    if (verdict.broken !== undefined) broken++;
    options.ended(verdict);
    if (verdict.broken !== undefined && options.stopAtFirst) break;
  }
  const all = createHash('sha256').update(hashes.join('\n')).digest('hex');
  return { runs: hashes.length, broken, hash: hashes.length === 1 ? (hashes[0] as string) : all, counts };
}
