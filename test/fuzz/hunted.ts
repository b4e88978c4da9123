/** The tests of each target: the corpus is read once, and a hunt is played for some time. */
import * as assert from 'uvu/assert';
import { readCorpus } from './corpora.ts';
import { type FoundFault, runInput } from './explore.ts';
import { hunt } from './hunt.ts';
import { openTarget, type TargetName } from './targets.ts';
import { tellFaults } from './tell-faults.ts';

/** The seconds of a hunt: `make fuzz` gives each target ten minutes. */
export const huntSeconds = Number(process.env.FUZZ_SECONDS ?? 30);

/** Runs every input of the corpus, and some more. */
export async function breaksNothing(name: TargetName, more: readonly Buffer[] = []): Promise<void> {
  const inputs = [...readCorpus(name), ...more];
  assert.ok(inputs.length > 0, 'the corpus is empty');
  const target = await openTarget(name);
  const faults: FoundFault[] = [];
  try {
    for (const input of inputs) {
      const fault = await runInput(target, input);
      if (fault !== undefined) faults.push(fault);
    }
  } finally {
    await target.close?.();
  }
  assert.ok(faults.length === 0, tellFaults(name, faults));
}

/** Hunts for `huntSeconds`, with another seed in each run. */
export async function huntFindsNothing(name: TargetName): Promise<void> {
  const seed = process.env.FUZZ_SEED ?? new Date().toISOString();
  const { executions, blocks, faults } = await hunt({ name, seed, seconds: huntSeconds });
  console.log(
    `${name}: seed ${seed}, ${executions} executions, ${blocks.first} blocks at first and ${blocks.last} at the end`,
  );
  assert.ok(faults.length === 0, tellFaults(name, faults));
  // A loop that reads nothing finds nothing.
  assert.ok(blocks.first > 0 && executions > 0, `${executions} executions, ${blocks.first} blocks`);
}
