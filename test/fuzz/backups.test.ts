/** Guided fuzzing of backups (test/fuzz/targets/backups.ts). */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { breaksNothing, huntFindsNothing } from './hunted.ts';

const test = suite('fuzzed backups');

test('the inputs that are kept break nothing', () => breaksNothing('backups'));

longTest(test)('inputs that coverage guides break nothing', () => huntFindsNothing('backups'));

test.run();
