/** The longest of the scenarios that come with Papergate: a week. */
import { suite } from 'uvu';
import { longTest } from '../some-times.ts';
import { playsAsExpected } from './play-text.ts';

const test = suite('a week in a scenario');

longTest(test)('a building goes as it expects', () => playsAsExpected('apartment-building.yaml'));

test.run();
