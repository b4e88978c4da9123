/** The simulation must find bugs that are planted in what is believed of frames that poll. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest } from '../some-times.ts';
import { findBug } from './plant.ts';
import { plantedBugs } from './planted-bugs.ts';

const found = suite('planted bugs of polled frames');
const test = longTest(found);

for (const name of ['the echo alone proves', 'a covered picture is not told again']) {
  test(`found: ${name}`, async () => {
    const bug = plantedBugs.find((one) => one.name === name);
    assert.ok(bug);
    const { rule, seeds } = await findBug(bug, 'control', 300);
    assert.ok(rule !== undefined && bug.breaks.includes(rule), `${rule} after ${seeds} seeds`);
  });
}

found.run();
