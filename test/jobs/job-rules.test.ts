import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  allowedByProof,
  isGrowthStuck,
  isStopReached,
  type JobCounts,
  type JobGrowth,
  rateSince,
  roomOfRate,
} from '../../api/jobs/job-rules.ts';

const test = suite('rules of jobs');

const unseen = { failed: 0, handed: 0 };
const counts = (given: Partial<JobCounts>): JobCounts => ({
  total: 100,
  handed: 0,
  proven: 0,
  failed: 0,
  seen: unseen,
  ...given,
});

/** A number below a bound, from a seed that it moves on. */
function chance(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) >>> 0;
    return state % below;
  };
}

const someGrowth = (next: (below: number) => number): JobGrowth => {
  const steps = new Set(Array.from({ length: 1 + next(4) }, () => 1 + next(99)));
  return { steps: [...steps].sort((a, b) => a - b), provenPercent: 1 + next(100) };
};

test('ten percent, then all when 95 % of those are proven', () => {
  const growth = { steps: [10], provenPercent: 95 };
  const allowed = (total: number, proven: number) => allowedByProof({ total, proven, seen: unseen }, growth);
  assert.is(allowed(1000, 0), 100);
  assert.is(allowed(1000, 94), 100);
  assert.is(allowed(1000, 95), 1000);
  assert.is(allowed(1, 0), 1, 'one frame is the whole step');
  assert.is(allowed(5, 0), 1, 'a step has one frame at least');
});

test('growth never hands more frames than the first step allows that is not proven, however proofs and failures fall', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const next = chance(seed);
    const growth = someGrowth(next);
    const total = 1 + next(300);
    let [handed, proven, failed] = [0, 0, 0];
    for (let turn = 0; turn < 400; turn++) {
      const at = counts({ total, handed, proven, failed });
      const allowed = allowedByProof(at, growth);
      const bound = growth.steps.find(
        (step) => proven < Math.ceil((Math.ceil((total * step) / 100) * growth.provenPercent) / 100),
      );
      assert.ok(allowed <= (bound === undefined ? total : Math.ceil((total * bound) / 100)), `seed ${seed}`);
      assert.ok(handed <= allowed, `seed ${seed}: ${handed} of ${allowed}`);
      if (handed < allowed && next(3) > 0) handed++;
      else if (proven + failed < handed) {
        if (next(4) === 0) failed++;
        else proven++;
      } else if (handed >= allowed) {
        assert.is(
          isGrowthStuck(at, growth),
          handed < total,
          `seed ${seed}: it ends with all, or says that it is stuck`,
        );
        break;
      }
    }
  }
});

test('more proofs never allow fewer frames, and growth that is not asked for allows all', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const next = chance(seed);
    const growth = someGrowth(next);
    const total = 1 + next(200);
    let before = 0;
    for (let proven = 0; proven <= total; proven++) {
      const allowed = allowedByProof({ total, proven, seen: unseen }, growth);
      assert.ok(allowed >= before);
      before = allowed;
    }
    assert.is(before, total);
  }
  assert.is(allowedByProof({ total: 7, proven: 0, seen: unseen }, null), 7);
});

test('a person who has a stuck job go on answers for its failures', () => {
  const growth = { steps: [10], provenPercent: 100 };
  const stuck = counts({ handed: 10, proven: 8, failed: 2 });
  assert.ok(isGrowthStuck(stuck, growth));
  const seen = { ...stuck, seen: { failed: 2, handed: 10 } };
  assert.not.ok(isGrowthStuck(seen, growth));
  assert.is(allowedByProof(seen, growth), 100);
});

test('a share of failures stops a job, though not the one or two that fail on any day', () => {
  assert.not.ok(isStopReached(counts({ handed: 2, failed: 2 }), 20));
  assert.ok(isStopReached(counts({ handed: 3, failed: 3 }), 20));
  assert.ok(isStopReached(counts({ handed: 15, failed: 3 }), 20));
  assert.not.ok(isStopReached(counts({ handed: 16, failed: 3 }), 20));
  assert.not.ok(isStopReached(counts({ handed: 16, failed: 16 }), null), 'unless failures do not stop it');
  assert.ok(isStopReached(counts({ total: 4, handed: 1, failed: 1 }), 20), 'of few frames one is a share');
  const seen = { failed: 3, handed: 15 };
  assert.not.ok(isStopReached(counts({ handed: 15, failed: 3, seen }), 20), 'what a person saw stops it no more');
  assert.ok(isStopReached(counts({ handed: 20, failed: 6, seen }), 20));
});

test('a job that looks before each frame never has more failures than its share and the fewest together', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const next = chance(seed);
    const [total, stop] = [20 + next(300), 1 + next(60)];
    let [handed, failed] = [0, 0];
    while (handed < total && !isStopReached(counts({ total, handed, failed }), stop)) {
      handed++;
      if (next(100) < 50) failed++;
    }
    assert.ok(failed <= Math.max(3, Math.ceil((stop * handed) / 100) + 1), `seed ${seed}: ${failed} of ${handed}`);
  }
});

test('no minute has more frames than the rate, wherever it begins', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const next = chance(seed);
    const perMinute = 1 + next(30);
    const given: number[] = [];
    for (let now = 1_000_000; now < 1_400_000; now += 1 + next(5_000)) {
      const recent = given.filter((at) => at > rateSince(now));
      const room = Math.min(next(10), roomOfRate(recent, perMinute, now));
      for (let one = 0; one < room; one++) given.push(now);
    }
    for (const from of given) {
      const within = given.filter((at) => at >= from && at < from + 60_000).length;
      assert.ok(within <= perMinute, `seed ${seed}: ${within} of ${perMinute}`);
    }
    assert.ok(given.length > perMinute, 'it goes on');
  }
  assert.is(roomOfRate([1, 2, 3], null, 4), Number.POSITIVE_INFINITY);
});

test.run();
