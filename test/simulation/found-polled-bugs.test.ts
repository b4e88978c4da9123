/** The simulation must find bugs that are planted in what is believed of frames that poll. */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { testFound } from './plant.ts';

const found = suite('planted bugs of polled frames');

testFound(['the echo alone proves', 'a covered picture is not announced again'], longTest(found));

found.run();
