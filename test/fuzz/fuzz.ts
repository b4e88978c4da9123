/**
 * Hunts for faults in what reads bytes from outside.
 *
 * `node --import tsx test/fuzz/fuzz.ts [target ...] [--seconds 60] [--seed words] [--executions n]` hunts; without targets all
 * of them, one after the other. `--first` ends with the first find, `--keep` makes the corpus again of
 * it and of what was reached. `--replay FILE target` runs one
 * input.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { useFastFolder } from '../runner/fast-folder.ts';
import { writeCorpus } from './corpora.ts';
import { runInput } from './explore.ts';
import { hunt } from './hunt.ts';
import { openTarget, type TargetName, targetNames } from './targets.ts';
import { tellFaults } from './tell-faults.ts';

// Restored backups are synced: on a disk that others use, that takes longer than all else.
useFastFolder();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: process.env.FUZZ_SECONDS ?? '60' },
    executions: { type: 'string' },
    seed: { type: 'string' },
    keep: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    replay: { type: 'string' },
  },
});

const isTarget = (name: string): name is TargetName => targetNames.some((one) => one === name);
const unknown = positionals.filter((name) => !isTarget(name));
if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: the targets are ${targetNames.join(', ')}`);
const names = positionals.length === 0 ? targetNames : positionals.filter(isTarget);

async function replay(name: TargetName, file: string): Promise<void> {
  const target = await openTarget(name);
  const fault = await runInput(target, readFileSync(file));
  await target.close?.();
  console.log(fault === undefined ? `${name}: the input breaks nothing` : `${name}: ${fault.sign}\n${fault.stack}`);
  if (fault !== undefined) process.exitCode = 1;
}

async function search(name: TargetName): Promise<void> {
  const seed = values.seed ?? new Date().toISOString().slice(0, 19);
  const bounds =
    values.executions === undefined ? { seconds: Number(values.seconds) } : { executions: Number(values.executions) };
  console.log(`${name}: seed ${seed}`);
  const started = performance.now();
  let told = 0;
  const result = await hunt(
    { name, seed, ...bounds, keeps: values.keep, stopsAtFirst: values.first },
    (run, blocks) => {
      if (performance.now() < told) return;
      told = performance.now() + 10_000;
      console.log(`  ${Math.round((performance.now() - started) / 1_000)} s: ${run} executions, ${blocks} blocks`);
    },
  );
  const { executions, blocks, known, faults, kept } = result;
  const perSecond = Math.round(executions / ((performance.now() - started) / 1_000));
  console.log(
    `${name}: ${executions} executions, ${perSecond} a second, ${blocks.first} blocks at first and ${blocks.last} at the end, ${known} inputs, ${faults.length} finds`,
  );
  if (values.keep)
    writeCorpus(
      name,
      kept.map((input) => Buffer.from(input)),
    );
  if (faults.length === 0) return;
  console.log(tellFaults(name, faults));
  process.exitCode = 1;
}

for (const name of names) await (values.replay === undefined ? search(name) : replay(name, values.replay));
