/** The simulation must find a deadline that counts as met without a proof, and a miss that was known and is not called so. */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { testFound } from './plant.ts';

const found = suite('planted bugs of deadlines');

testFound(['met when taken', 'every miss is a surprise'], longTest(found));

found.run();
