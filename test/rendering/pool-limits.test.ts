/** The limits of drawing and decoding follow the memory of a machine. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limitsFor } from '../../api/browser/pool-limits.ts';
import { bodyLimitsFor } from '../../api/http/body-room.ts';
import { isSmallMachine, machineMemory } from '../../runtime/machine-memory.ts';

const test = suite('limits by memory');
const mebibyte = 1024 * 1024;

test('a machine of one GB does one thing after the other, and one of two does what it always did (T-96)', () => {
  // What Linux leaves of the memory of a Raspberry Pi.
  const [one, two] = [906 * mebibyte, 1_849 * mebibyte];
  assert.ok(isSmallMachine(one));
  assert.not(isSmallMachine(two));
  const small = limitsFor(one);
  assert.equal([small.pool.visitsAtOnce, small.images, small.threads], [1, 1, 1]);
  assert.equal(bodyLimitsFor(one).works, { atOnce: 1, ofOne: 1 });
  assert.ok(small.pool.browserMb <= 450, 'more than half is left to the service and the system');
  assert.equal(limitsFor(two), limitsFor(Number.POSITIVE_INFINITY));
  assert.equal(bodyLimitsFor(two), bodyLimitsFor(Number.POSITIVE_INFINITY));
});

test('a page that may not grow beyond the bound of one fits the bound of the browser, on every machine', () => {
  for (const bytes of [1, Number.POSITIVE_INFINITY]) {
    const { pageMb, keptMb, browserMb } = limitsFor(bytes).pool;
    assert.ok(pageMb < browserMb && keptMb < browserMb);
  }
});

test('the memory that counts is a number of bytes, and no more than the machine has', () => {
  assert.ok(Number.isSafeInteger(machineMemory()) && machineMemory() > 64 * mebibyte);
});

test.run();
