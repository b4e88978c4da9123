/** Picture versions only grow; sleep is how long the frame really sleeps for what it was sent. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limits } from '../../firmware-protocol/limits.ts';
import { clampSleepSeconds, effectiveSleepSeconds, type WakeReason } from '../../firmware-protocol/sleep.ts';
import { isFileVersion, nextFileVersion } from '../../firmware-protocol/versions.ts';

const test = suite('versions and sleep');
const nowMs = 1_760_000_000_999;
const last = limits.fileVersion;

const versionTable: readonly [sentence: string, reported: number, announced: number, next: number][] = [
  ['a frame that never had a picture gets epoch seconds, rounded down', 0, 0, 1_760_000_000],
  ['an older report changes nothing', 5, 0, 1_760_000_000],
  ['a report of this very second is exceeded', 1_760_000_000, 0, 1_760_000_001],
  ['a report from the future is exceeded', 1_900_000_000, 0, 1_900_000_001],
  ['an announcement of this very second is exceeded', 0, 1_760_000_000, 1_760_000_001],
  ['an announcement from the future is exceeded', 3, 1_900_000_000, 1_900_000_001],
  ['the larger of both counts', 1_900_000_000, 1_900_000_007, 1_900_000_008],
  ['the last version there is can be given', last - 1, 0, last],
];
for (const [sentence, reported, announced, next] of versionTable) {
  test(`INV-32: ${sentence}`, () => assert.is(nextFileVersion(reported, announced, nowMs), next));
}

test('INV-32: beyond a signed 32-bit number there is no version, in 2038 neither', () => {
  assert.is(nextFileVersion(last, 0, nowMs), undefined);
  assert.is(nextFileVersion(0, last, nowMs), undefined);
  assert.is(nextFileVersion(0, 0, last * 1000), last);
  assert.is(nextFileVersion(0, 0, (last + 1) * 1000), undefined);
});

test('INV-32: versions strictly increase, whatever the clock and the frame say', () => {
  const clockMs = fc.integer({ min: 0, max: 2_000_000_000_000 });
  const reported = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2_000_000_000 }));
  fc.assert(
    fc.property(fc.array(fc.record({ clockMs, reported }), { minLength: 1, maxLength: 30 }), (offers) => {
      let announced = 0;
      for (const offer of offers) {
        const next = nextFileVersion(offer.reported, announced, offer.clockMs) ?? 0;
        assert.ok(isFileVersion(next));
        assert.ok(next > announced && next > offer.reported && next >= Math.floor(offer.clockMs / 1000));
        announced = next;
      }
    }),
  );
});

test('a version is a whole number from 0 to the end of int32', () => {
  for (const version of [0, 1, 1_760_000_000, last]) assert.is(isFileVersion(version), true);
  for (const other of [-1, 0.5, last + 1, Number.NaN, Number.POSITIVE_INFINITY, '5', null, undefined, true, 5n, {}]) {
    assert.is(isFileVersion(other), false, String(other));
  }
});

/** Frame wire, section 9. */
const sleepTable: readonly [
  sentence: string,
  wake: WakeReason,
  told: number,
  stored: number,
  since: number,
  sleeps: number,
][] = [
  ['after the button the whole timeout', 'button', 3600, 3600, 600, 3600],
  ['after the timer the whole timeout', 'timer', 3600, 3600, 3600, 3600],
  ['after the timer the whole changed timeout', 'timer', 900, 3600, 10, 900],
  ['after a reset the rest of the interval', 'reset', 3600, 3600, 600, 3000],
  ['after a movement the rest of the interval', 'motion', 3600, 3600, 600, 3000],
  ['a movement right after a full wake changes nothing', 'motion', 3600, 3600, 0, 3600],
  ['a rest of 30 s is still slept', 'motion', 3600, 3600, 3570, 30],
  ['a rest of 29 s becomes the whole timeout', 'motion', 3600, 3600, 3571, 3600],
  ['no rest at all becomes the whole timeout', 'reset', 3600, 3600, 3600, 3600],
  ['an interval long past becomes the whole timeout', 'reset', 3600, 3600, 90_000, 3600],
  ['a changed timeout counts in full after a movement', 'motion', 1800, 3600, 600, 1800],
  ['a changed timeout counts in full after a reset', 'reset', 7200, 3600, 600, 7200],
];
for (const [sentence, wake, timeoutSeconds, storedTimeoutSeconds, secondsSinceFullWake, sleeps] of sleepTable) {
  test(`W-29: ${sentence}`, () => {
    const cycle = { wake, timeoutSeconds, storedTimeoutSeconds, secondsSinceFullWake };
    assert.is(effectiveSleepSeconds(cycle), sleeps);
  });
}

test('W-29: no frame sleeps longer than its timeout, and none less than 30 s unless its timeout says so', () => {
  const cycle = fc.record({
    wake: fc.constantFrom<WakeReason>('reset', 'button', 'motion', 'timer'),
    timeoutSeconds: fc.integer({ min: 60, max: 86_400 }),
    storedTimeoutSeconds: fc.integer({ min: 60, max: 86_400 }),
    secondsSinceFullWake: fc.nat(200_000),
    unchanged: fc.boolean(),
  });
  fc.assert(
    fc.property(cycle, ({ unchanged, ...given }) => {
      const settled = unchanged ? { ...given, storedTimeoutSeconds: given.timeoutSeconds } : given;
      const sleeps = effectiveSleepSeconds(settled);
      assert.ok(sleeps >= 30 && sleeps <= settled.timeoutSeconds);
    }),
  );
});

const configured: readonly [sentence: string, value: unknown, seconds: number][] = [
  ['what is sensible stays', 900, 900],
  ['text is read', '900', 900],
  ['seconds are whole', 900.6, 901],
  ['the shortest sleep', 60, 60],
  ['shorter is lengthened', 5, 60],
  ['the longest sleep', 86_400, 86_400],
  ['longer is shortened', 86_401, 86_400],
  ['nothing configured is an hour', undefined, 3600],
  ['null is an hour', null, 3600],
  ['0 is an hour', 0, 3600],
  ['negative is an hour', -5, 3600],
  ['words are an hour', 'often', 3600],
  ['infinity is an hour', Number.POSITIVE_INFINITY, 3600],
  ['an object is an hour', {}, 3600],
];
for (const [sentence, value, seconds] of configured) {
  test(`W-28, C-60: ${sentence}`, () => assert.is(clampSleepSeconds(value), seconds));
}

test.run();
