/** Guided fuzzing of calendars (test/fuzz/targets/calendars.ts). */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { breaksNothing, huntFindsNothing } from './hunted.ts';

const test = suite('fuzzed calendars');

test('the inputs that are kept break nothing', () => breaksNothing('calendars'));

longTest(test)('inputs that coverage guides break nothing', () => huntFindsNothing('calendars'));

test.run();
