/** The simulation must find bugs that are planted in what is believed of frames with the offline firmware, and in their answers. */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { testFound } from './plant.ts';

const found = suite('planted bugs of the offline firmware');

testFound(['a tag that was replaced is not found'], found);
testFound(['a picture under an error text keeps its tag'], longTest(found));

found.run();
