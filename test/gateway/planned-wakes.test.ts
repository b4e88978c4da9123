/** Frames wake when it matters: households with known changes, drifting clocks and the end of summer time in between. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { meanOf, partOf, playHouseholds } from './planned-households.ts';

const test = suite('planned wakes');

test('known changes hang within minutes, with fewer wakes than a sleep of an hour takes', async () => {
  const asked = { households: 10, days: 5, seed: 44 };
  const planned = await playHouseholds(asked);
  const hourly = await playHouseholds({ ...asked, always: 3600 });
  assert.ok(planned.lateMinutes.length > 100, `${planned.lateMinutes.length} changes`);
  assert.ok(meanOf(planned.lateMinutes) < 2, `${meanOf(planned.lateMinutes)} minutes late`);
  assert.ok(partOf(planned.lateMinutes, 0.95) < 8, `${partOf(planned.lateMinutes, 0.95)} minutes`);
  assert.ok(planned.wakesPerDay < hourly.wakesPerDay * 0.7, `${planned.wakesPerDay} and ${hourly.wakesPerDay} wakes`);
  assert.ok(meanOf(hourly.lateMinutes) > 15, 'a sleep of an hour is half of one late');
  assert.ok(partOf(planned.missedBySeconds, 0.9) < 60, 'frames are expected when they come');
});

test.run();
