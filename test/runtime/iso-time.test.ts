import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isoTime } from '../../runtime/clock.ts';

const test = suite('times as text');

test('every time is written as a Date writes it, in whatever order they come', () => {
  const farthestMs = 8_640_000_000_000_000;
  fc.assert(
    fc.property(
      fc.integer({ min: -farthestMs, max: farthestMs }),
      fc.integer({ min: 0, max: 4_102_444_800_000 }),
      (far, near) => {
        for (const ms of [far, near, near - (near % 86_400_000), -near]) {
          assert.is(isoTime(ms), new Date(ms).toISOString());
        }
      },
    ),
    { numRuns: 2000 },
  );
  for (const ms of [0, -1, 1, 59_999, 86_399_999, 86_400_000, farthestMs, -farthestMs]) {
    assert.is(isoTime(ms), new Date(ms).toISOString());
  }
});

test('what is not a time has no text', () => {
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => isoTime(ms), /Invalid time value/);
});

test.run();
