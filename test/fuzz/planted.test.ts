/** Faults that somebody could make, planted into a copy of the sources: the loop finds one in every target. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest } from '../some-times.ts';
import { findFault, plantedFaults } from './planted.ts';
import { targetNames } from './targets.ts';

const test = suite('planted faults');

/** More than each of them needs. */
const executions = 30_000;

test('there is one for each target', () => {
  assert.equal([...new Set(plantedFaults.map(({ target }) => target))].sort(), [...targetNames].sort());
});

for (const fault of plantedFaults) {
  longTest(test)(`found in ${fault.target}: ${fault.name}`, async () => {
    const said = await findFault(fault, executions);
    assert.ok(said.includes(`\n${fault.target}: ${fault.sign}`), said.slice(0, 4_000));
  });
}

test.run();
