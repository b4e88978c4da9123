/** The simulation must find bugs that are planted in what several nodes do over one database. */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { testFound } from './plant.ts';

const found = suite('planted bugs of nodes');

testFound(['a lease is not checked', 'the older session goes on'], longTest(found));

found.run();
