/** Faults that somebody could make, planted into a copy of the sources: the loop finds them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest } from '../some-times.ts';
import { checkout } from '../sources.ts';
import { findFault, plantedFaults } from './planted.ts';

const test = suite('planted faults');

/** More than each of them needs. */
const executions = 30_000;

test('each patch changes one place', () => {
  for (const { name, edits } of plantedFaults) {
    for (const { file, find } of edits) {
      assert.is(readFileSync(join(checkout, file), 'utf8').split(find).length, 2, `${name}: ${file}`);
    }
  }
});

for (const fault of plantedFaults) {
  longTest(test)(`found in ${fault.target}: ${fault.name}`, async () => {
    const said = await findFault(fault, executions);
    assert.ok(said.includes(`\n${fault.target}: ${fault.sign}`), said.slice(0, 4_000));
  });
}

test.run();
