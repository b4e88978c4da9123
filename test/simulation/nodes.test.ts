/** Several nodes in the simulation: fresh seeds keep every promise, and a seed is a run. */
import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDisk } from '../../testbed/offline/machine/disk.ts';
import { play } from '../../testbed/offline/play.ts';
import { runSeed } from '../../testbed/offline/run-seed.ts';
import { longTest, manyTimes } from '../some-times.ts';

const test = suite('simulation of several nodes');

/** The number of fresh seeds that several nodes play; each takes three times as long. */
const maxNodeSeeds = manyTimes('fresh seeds of several nodes', 60, 2);

test(`up to ${maxNodeSeeds} seeds that nobody saw before keep every promise among several nodes`, async () => {
  const problems: string[] = [];
  const endsAt = Date.now() + 1000 * maxNodeSeeds;
  const seed = `fresh-${randomBytes(4).toString('hex')}`;
  const { runs } = await play({
    seed,
    runs: maxNodeSeeds,
    nodes: 'drawn',
    stopAtFirst: true,
    goesOn: () => Date.now() < endsAt,
    ended({ broken, seed: of, lastLines }) {
      if (broken === undefined) return;
      const command = `./papergate simulate --offline --seed ${of} --nodes drawn --trace`;
      problems.push(`${lastLines.join('\n')}\n${broken.rule}: ${broken.sentence}\n  ${command}`);
    },
  });
  assert.is(problems.join('\n'), '');
  console.log(`${runs} fresh seeds of ${seed} among several nodes`);
});

longTest(test)('one seed of several nodes is one run, and is another one than that of one process', async () => {
  const disk = await createDisk();
  const first = await runSeed('again', disk, { nodes: 3 });
  assert.is((await runSeed('again', disk, { nodes: 3 })).hash, first.hash);
  assert.is.not((await runSeed('again', disk, { nodes: 2 })).hash, first.hash);
});

test.run();
