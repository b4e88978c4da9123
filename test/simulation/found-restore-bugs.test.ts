/** The simulation must find bugs that are planted in what a restored backup means. */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { testFound } from './plant.ts';

const found = suite('planted bugs of restores');

testFound(['versions go on where the backup ended', 'evidence of the backup goes on to prove'], longTest(found));

found.run();
