/** The scenarios that come with Papergate; the longest of them is in a file of its own. */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { exampleFiles, playsAsExpected } from './play-text.ts';

const test = suite('examples of scenarios');

for (const file of exampleFiles()) {
  if (file !== 'apartment-building.yaml') longTest(test)(`${file} goes as it expects`, () => playsAsExpected(file));
}

test.run();
