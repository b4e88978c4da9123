/** Guided fuzzing of images (test/fuzz/targets/images.ts). */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { breaksNothing, huntFindsNothing } from './hunted.ts';

const test = suite('fuzzed images');

test('the inputs that are kept break nothing', () => breaksNothing('images'));

longTest(test)('inputs that coverage guides break nothing', () => huntFindsNothing('images'));

test.run();
