/** The thread of a hunt: it searches, and shrinks what it finds. Its host watches over it. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { readCorpus, smallest } from './corpora.ts';
import { watchCoverage } from './coverage.ts';
import { explore, runInput } from './explore.ts';
import type { HuntOptions, HuntResult } from './hunt-options.ts';
import { shrink } from './shrink.ts';
import { openTarget } from './targets.ts';

const { options, shared } = workerData as { options: HuntOptions; shared: SharedArrayBuffer };
const { name, seed, executions, seconds, stopsAtFirst, keeps, inputs } = options;
const numbers = new Int32Array(shared, 0, 2);
const bytes = new Uint8Array(shared, 8);

/** Puts the input that is about to be run where the host finds it when this thread is gone. */
function begins(input: Buffer): void {
  bytes.set(input.subarray(0, bytes.length));
  Atomics.store(numbers, 1, Math.min(input.length, bytes.length));
  Atomics.add(numbers, 0, 1);
}

/** The sources of which the coverage is watched are those of this checkout, or of a copy of it. */
const root = join(import.meta.dirname, '../..');

// V8 counts blocks of what is loaded from now on.
const guides: string[] = [];
const coverage = watchCoverage(root, guides);
const target = await openTarget(name);
guides.push(...target.guides);
const corpus = [...readCorpus(name), ...(inputs ?? []).map((input) => Buffer.from(input))];
const end = seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1_000;
const explored = await explore({
  target,
  coverage,
  seed,
  corpus,
  begins,
  goesOn: (run, { length }) =>
    run < (executions ?? Number.POSITIVE_INFINITY) && performance.now() < end && !(stopsAtFirst && length > 0),
  grew: (run, blocks) => parentPort?.postMessage({ grew: { run, blocks } }),
});
const faults = [];
for (const { input, sign, stack } of explored.faults) {
  // What is too slow is run three times for each try.
  const least = sign === 'it takes too long' ? input : await shrink(target, input, sign);
  begins(least);
  faults.push({ input: least, sign, stack: (await runInput(target, least))?.stack ?? stack });
}
const kept = keeps === true ? await smallest(target, coverage, [...corpus, ...explored.known]) : [];
coverage.stop();
await target.close?.();
parentPort?.postMessage({
  done: {
    executions: explored.executions,
    blocks: explored.blocks,
    known: explored.known.length,
    faults,
    kept,
  } satisfies HuntResult,
});
