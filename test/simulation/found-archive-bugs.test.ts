/** The simulation must find bugs that are planted in what an archive holds, and in what comes back from it. */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { testFound } from './plant.ts';

const found = suite('planted bugs of archives');

testFound(['files are archived at the start alone', 'a moment is all that began before it'], longTest(found));

found.run();
