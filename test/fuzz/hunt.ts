/** A hunt for faults of a target, in a thread of its own: an input that never ends, or takes all memory, is a find as well. */
import { Worker } from 'node:worker_threads';
import { typescriptArgs } from '../../runtime/typescript.mjs';
import type { HuntOptions, HuntResult } from './hunt-options.ts';

/** The longest that one input may keep the thread, on a machine that is busy with others. */
const hangMs = 200_000;
const neverEnds = 'it never ends';
const maxInputBytes = 1_048_576;

/**
 * Hunts. An input that never ended is tried once more by itself: a machine may have stood still.
 * @param grew hears of progress
 */
export async function hunt(
  options: HuntOptions,
  grew: (run: number, blocks: number) => void = () => {},
): Promise<HuntResult> {
  const result = await huntOnce(options, grew);
  const [fault] = result.faults;
  if (fault?.sign !== neverEnds) return result;
  const again = await huntOnce(
    { name: options.name, seed: options.seed, executions: 0, inputs: [fault.input] },
    () => {},
  );
  return again.faults.some(({ sign }) => sign === neverEnds) ? result : { ...result, faults: again.faults };
}

async function huntOnce(options: HuntOptions, grew: (run: number, blocks: number) => void): Promise<HuntResult> {
  const shared = new SharedArrayBuffer(8 + maxInputBytes);
  const numbers = new Int32Array(shared, 0, 2);
  const worker = new Worker(new URL('./hunt-thread.ts', import.meta.url), {
    workerData: { options, shared },
    execArgv: [...typescriptArgs],
    resourceLimits: { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 64 },
  });
  /** The find of a thread that is gone, or that never comes back. */
  const lost = (sign: string, stack: string): HuntResult => {
    const input = Buffer.from(new Uint8Array(shared, 8, numbers[1])).subarray();
    return {
      executions: numbers[0] ?? 0,
      blocks: { first: 0, last: 0 },
      known: 0,
      faults: [{ input: Buffer.from(input), sign, stack }],
      kept: [],
    };
  };
  let [run, since] = [0, performance.now()];
  try {
    return await new Promise<HuntResult>((resolve, reject) => {
      const watch = setInterval(() => {
        const now = Atomics.load(numbers, 0);
        if (now !== run) [run, since] = [now, performance.now()];
        else if (now > 0 && performance.now() - since > hangMs) resolve(lost(neverEnds, `after ${hangMs / 1_000} s`));
      }, 1_000);
      worker.on('message', (message: { grew?: { run: number; blocks: number }; done?: HuntResult }) => {
        if (message.grew !== undefined) grew(message.grew.run, message.grew.blocks);
        if (message.done !== undefined) resolve(message.done);
      });
      worker.on('error', (error: Error & { code?: string }) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(lost('it takes all memory', error.message));
        else if (numbers[0] === 0) reject(error);
        else resolve(lost(`outside of its run: ${error.message}`, error.stack ?? ''));
      });
      worker.on('exit', () => {
        clearInterval(watch);
        reject(new Error('the thread of the hunt ended without a word'));
      });
    });
  } finally {
    await worker.terminate();
  }
}
