/** Guided fuzzing of frames (test/fuzz/targets/frames.ts). */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { breaksNothing, huntFindsNothing } from './hunted.ts';

const test = suite('fuzzed frames');

test('the inputs that are kept break nothing', () => breaksNothing('frames'));

longTest(test)('inputs that coverage guides break nothing', () => huntFindsNothing('frames'));

test.run();
