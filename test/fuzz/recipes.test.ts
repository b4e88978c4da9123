/** Guided fuzzing of recipes (test/fuzz/targets/recipes.ts). */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { breaksNothing, huntFindsNothing } from './hunted.ts';

const test = suite('fuzzed recipes');

test('the inputs that are kept break nothing', () => breaksNothing('recipes'));

longTest(test)('inputs that coverage guides break nothing', () => huntFindsNothing('recipes'));

test.run();
