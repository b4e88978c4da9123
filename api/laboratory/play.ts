/** Many runs, one after the other on one disk: what broke first, how often, and a hash over all of them. */
import { createHash } from 'node:crypto';
import { createDisk } from './disk.ts';
import { runSeed, type Verdict } from './run-seed.ts';

/** Which seeds are played. */
export interface PlayWish {
  readonly seed: string;
  /** One run plays the seed itself; more play `seed.1`, `seed.2` and so on. */
  readonly runs: number;
  /** Frames of every run; drawn from the seed when absent. */
  readonly frames?: number | undefined;
  readonly stopAtFirst: boolean;
  /** Whether time is left for another run; there always is when absent. */
  readonly goesOn?: (() => boolean) | undefined;
  /** Sees each line of what happens. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Sees each run as it ends. */
  readonly ended: (verdict: Verdict) => void;
}

/** What became of them. `hash` is that of the only run, or one over the hashes of all. */
export interface Played {
  readonly runs: number;
  readonly broken: number;
  readonly hash: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** Plays them. */
export async function play(wish: PlayWish): Promise<Played> {
  const disk = await createDisk();
  const seeds = wish.runs === 1 ? [wish.seed] : Array.from({ length: wish.runs }, (_, at) => `${wish.seed}.${at + 1}`);
  const hashes: string[] = [];
  const counts: Record<string, number> = {};
  let broken = 0;
  for (const seed of seeds) {
    if (wish.goesOn?.() === false) break;
    const verdict = await runSeed(seed, disk, { frames: wish.frames, print: wish.trace });
    hashes.push(verdict.hash);
    for (const [name, count] of Object.entries(verdict.counts)) counts[name] = (counts[name] ?? 0) + count;
    if (verdict.broken !== undefined) broken++;
    wish.ended(verdict);
    if (verdict.broken !== undefined && wish.stopAtFirst) break;
  }
  const all = createHash('sha256').update(hashes.join('\n')).digest('hex');
  return { runs: hashes.length, broken, hash: hashes.length === 1 ? (hashes[0] as string) : all, counts };
}
