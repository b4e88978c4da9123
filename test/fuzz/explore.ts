/**
 * The loop of guided fuzzing: an input that is known is changed, and one that reaches a block of the sources for the first
 * time, or more often than before, is known from then on.
 */
import type { Coverage } from './coverage.ts';
import { blocksIn } from './coverage.ts';
import { drawsOf } from './draws.ts';
import { mutate } from './mutate.ts';
import type { FuzzTarget } from './target.ts';

/** An input that broke something. */
export interface FoundFault {
  readonly input: Buffer;
  /** The error's words and the place that threw it: the same for the same fault. */
  readonly sign: string;
  readonly stack: string;
}

/** The end of a search. */
export interface Explored {
  readonly executions: number;
  /** Blocks of the sources that the corpus reached, and that were reached at the end. */
  readonly blocks: { readonly first: number; readonly last: number };
  readonly known: readonly Buffer[];
  readonly faults: readonly FoundFault[];
}

/** A search, and how long it goes on. */
export interface ExploreOptions {
  readonly target: FuzzTarget;
  readonly coverage: Coverage;
  readonly seed: string;
  readonly corpus: readonly Buffer[];
  /** Whether to go on, asked between batches. */
  readonly goesOn: (executions: number, faults: readonly FoundFault[]) => boolean;
  /** Hears of each input before it is run, so that one that never ends is known. */
  readonly begins?: (input: Buffer) => void;
  /** Hears of progress. */
  readonly grew?: (executions: number, blocks: number) => void;
}

/** Asking V8 for its counters takes as long as some executions: several inputs share one question. */
const batchSize = 16;
/** How many faults of different signs are kept. */
const mostFaults = 20;

/** Returns the words by which two faults are the same. */
export function signOf(error: unknown): string {
  const { message = String(error), stack = '' } = error instanceof Error ? error : {};
  const [, place = ''] =
    /\n\s+at (?:async )?(?!insist|mustEqual)(.*?)(?::\d+)?\)?(?=\n|$)/.exec(
      stack.replaceAll(/\(?file:\/\/.*?\/(?=[\w-]+\/[\w-]+\/[\w.-]+:)/g, '('),
    ) ?? [];
  return `${message.replaceAll(/\d+/g, '0').slice(0, 200)} | ${place.replace(/:\d+$/, '').slice(0, 120)}`;
}

/** Runs one input; returns what it broke. */
export async function runInput(target: FuzzTarget, input: Buffer): Promise<FoundFault | undefined> {
  // A reader that changes what it was given would be seen by nobody else.
  const given = Buffer.from(input);
  let usedMs = 0;
  for (let tries = 0; tries < 3; tries++) {
    const before = process.cpuUsage();
    try {
      await target.run(given);
    } catch (error) {
      return {
        input,
        sign: signOf(error),
        stack: error instanceof Error ? (error.stack ?? error.message) : String(error),
      };
    }
    const used = process.cpuUsage(before);
    usedMs = (used.user + used.system) / 1_000;
    // A busy machine, or the collector, may have been slow once.
    if (usedMs <= target.maxMs) break;
  }
  if (!given.equals(input)) return { input, sign: 'it changes its input', stack: '' };
  if (usedMs <= target.maxMs) return undefined;
  return {
    input,
    sign: 'it takes too long',
    stack: `${Math.round(usedMs)} ms of processor time for ${input.length} bytes`,
  };
}

/** Searches. */
export async function explore({
  target,
  coverage,
  seed,
  corpus,
  goesOn,
  begins,
  grew,
}: ExploreOptions): Promise<Explored> {
  const draws = drawsOf(seed);
  const known: Buffer[] = [];
  const faults = new Map<string, FoundFault>();
  const [alone, together] = [new Set<string>(), new Set<string>()];
  let executions = 0;

  async function run(input: Buffer): Promise<boolean> {
    begins?.(input);
    executions++;
    const fault = await runInput(target, input);
    if (fault !== undefined && faults.size < mostFaults && !faults.has(fault.sign)) faults.set(fault.sign, fault);
    return fault === undefined;
  }

  /** Runs one input by itself, and keeps it where it reaches anything. */
  async function consider(input: Buffer): Promise<void> {
    coverage.take();
    const isSound = await run(input);
    const reached = coverage.take();
    const isNew = [...reached].some((block) => !alone.has(block));
    for (const block of reached) alone.add(block);
    if (isNew && isSound) known.push(input);
  }

  // The first run of anything loads and compiles what later ones find ready.
  const [first] = corpus;
  if (first !== undefined) await run(first);
  for (const input of corpus) await consider(input);
  for (const block of alone) together.add(block);
  if (known.length === 0) known.push(Buffer.from('a'));
  const firstBlocks = blocksIn(alone);

  while (goesOn(executions, [...faults.values()])) {
    const batch = Array.from({ length: batchSize }, () => {
      // The newest inputs have been changed the least.
      const at =
        draws.below(3) === 0 ? known.length - 1 - draws.below(Math.min(8, known.length)) : draws.below(known.length);
      const made = mutate(known[at] as Buffer, { draws, known, words: target.words, maxBytes: target.maxBytes });
      return target.mend !== undefined && draws.below(2) === 0 ? target.mend(made) : made;
    });
    coverage.take();
    for (const input of batch) await run(input);
    const reached = coverage.take();
    if (![...reached].some((block) => !together.has(block))) continue;
    for (const block of reached) together.add(block);
    const before = alone.size;
    for (const input of batch) await consider(input);
    if (alone.size > before) grew?.(executions, blocksIn(alone));
  }
  return { executions, blocks: { first: firstBlocks, last: blocksIn(alone) }, known, faults: [...faults.values()] };
}
