/** When callbacks are tried again. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventLifetimeMs, nextAttemptAt, retryDelayMs } from '../../api/callbacks/retry-schedule.ts';

const test = suite('retry schedule');
const hourMs = 3_600_000;
const jitters = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('INV-61: delays grow from attempt to attempt until they reach the last step, and never exceed an hour', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), jitters, jitters, (attempts, one, other) => {
      const delay = retryDelayMs(attempts, one);
      assert.ok(delay >= 2_500 && delay <= hourMs);
      if (attempts < 10) assert.ok(retryDelayMs(attempts + 1, other) >= delay);
      else if (attempts > 11) assert.ok(delay >= hourMs / 2);
    }),
  );
  assert.equal(
    [1, 2, 3, 4].map((attempts) => retryDelayMs(attempts, 0)),
    [2_500, 5_000, 10_000, 20_000],
  );
});

test('INV-61: jitter spreads the attempts of equal age', () => {
  assert.is(new Set([0, 0.25, 0.5, 0.75].map((jitter) => retryDelayMs(3, jitter))).size, 4);
});

test('INV-61: no attempt is later than seven days after creation, and many happen before', () => {
  fc.assert(
    fc.property(fc.array(jitters, { minLength: 1, maxLength: 20 }), (draws) => {
      let now = 1_000;
      let attempts = 0;
      for (;;) {
        attempts += 1;
        const next = nextAttemptAt({ createdAt: 1_000, attempts, now, jitter: draws[attempts % draws.length] ?? 0 });
        if (next === undefined) break;
        assert.ok(next > now && next <= 1_000 + eventLifetimeMs);
        now = next;
      }
      assert.ok(now > 1_000 + eventLifetimeMs - hourMs, 'the last attempt is near the end');
      assert.ok(attempts > 160);
    }),
  );
});

test.run();
