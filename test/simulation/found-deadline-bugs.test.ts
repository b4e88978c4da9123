/** The simulation must find a deadline that counts as met without a proof. */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { testFound } from './plant.ts';

const found = suite('planted bugs of deadlines');

testFound(['met when taken'], longTest(found));

found.run();
