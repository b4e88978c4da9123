/** How long frames really sleep: awake time is a sum, drift a ratio, and chance is not learned. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fitSleeps, type KnownSleep, learnSleep, reallySleeps, sleepFor } from '../../gateway/frames/wake-model.ts';

const test = suite('wake model');

/** Sleeps of a frame with a drift and an awake time, of the told lengths. */
const played = (told: readonly number[], drift: number, awake: number): readonly KnownSleep[] =>
  told.reduce<readonly KnownSleep[]>((known, length) => learnSleep(known, length, drift * length + awake), []);

const hours = (periods: readonly number[]): readonly KnownSleep[] =>
  periods.map((period) => [3600, 3600 * period] as const);

const table: readonly [
  why: string,
  sleeps: readonly KnownSleep[],
  isLearned: boolean,
  drift: number,
  offset: number,
][] = [
  ['nothing known', [], false, 1, 0],
  ['two sleeps are no pattern', hours([1.05, 1.05]), false, 1, 0],
  ['a clock that is 5 % slow', hours([1.05, 1.051, 1.049]), true, 1.05, 0],
  ['a clock that is 4 % fast', hours([0.96, 0.961, 0.959, 0.96]), true, 0.96, 0],
  ['one sleep cut short hides no pattern', hours([1.05, 0.82, 1.05, 1.05, 1.05]), true, 1.05, 0],
  ['chance', hours([1.1, 0.9, 1, 1.05, 0.95]), false, 1, 0],
  ['never corrected by more than a tenth', hours([1.24, 1.24, 1.24]), true, 1.1, 0],
  ['only the last eight count', hours([0.9, 0.9, 0.9, 0.9, ...Array<number>(8).fill(1.05)]), true, 1.05, 0],
  ['sleeps of several lengths part drift from time awake', played([300, 1800, 7200, 600], 1.03, 35), true, 1.03, 35],
  ['a single other length does not decide', [...hours([1.01, 1.01, 1.01, 1.01]), [300, 600]], true, 1.01, 0],
  [
    'no frame is awake for longer than three minutes',
    [
      [600, 800],
      [1200, 1400],
      [2400, 2600],
    ],
    true,
    1220 / 1200,
    180,
  ],
];
for (const [why, sleeps, isLearned, drift, offset] of table) {
  test(`WK-12: ${why}`, () => {
    const model = fitSleeps(sleeps);
    assert.is(model.isLearned, isLearned);
    assert.ok(Math.abs(model.drift - drift) < 1e-9, `${model.drift}`);
    assert.ok(Math.abs(model.offset - offset) < 0.01, `${model.offset}`);
  });
}

test('WK-12: any steady drift and awake time is found, and a sleep that is sent by it ends at its time', () => {
  const drift = fc.double({ min: 0.91, max: 1.09, noNaN: true });
  const awake = fc.integer({ min: 0, max: 150 });
  const told = fc.array(fc.integer({ min: 600, max: 86_400 }), { minLength: 3, maxLength: 20 });
  fc.assert(
    fc.property(drift, awake, told, fc.integer({ min: 600, max: 86_400 }), (really, seconds, sleeps, wanted) => {
      const known = played(sleeps, really, seconds);
      assert.ok(known.length <= 8);
      const model = fitSleeps(known);
      // Sleeps of one length cannot part the two, and are right at that length.
      const [length] = known[0] ?? [0];
      if (known.every(([other]) => other === length)) {
        assert.is(model.isLearned, true);
        const found = reallySleeps(model, length, 0);
        assert.ok(model.drift === 1.1 || Math.abs(found - really * length - seconds) < 1, `${found}`);
        return;
      }
      const lengths = known.map(([other]) => other);
      if (!isDecidedBySeveral(lengths)) return;
      assert.is(model.isLearned, true);
      const slept = sleepFor(model, wanted, 0) * really + seconds;
      assert.ok(Math.abs(slept - wanted) < wanted * 0.01 + 2, `${slept}`);
    }),
  );
});

/** Whether lengths that differ enough remain when any single one is left out. */
function isDecidedBySeveral(lengths: readonly number[]): boolean {
  return lengths.every((_, left) => {
    const rest = lengths.filter((_length, index) => index !== left);
    return Math.max(...rest) > 1.2 * Math.min(...rest) + 60;
  });
}

test('WK-12: no history whatever leads further astray than a tenth and three minutes', () => {
  const anything = fc.record({ told: fc.integer({ min: -1, max: 1e6 }), real: fc.integer({ min: -1e6, max: 1e6 }) });
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 30 }), fc.integer({ min: 60, max: 86_400 }), (sleeps, told) => {
      const known = sleeps.reduce<readonly KnownSleep[]>(
        (before, sleep) => learnSleep(before, sleep.told, sleep.real),
        [],
      );
      const model = fitSleeps(known);
      assert.ok(model.drift >= 0.9 && model.drift <= 1.1 && Math.abs(model.offset) <= 180 && known.length <= 8);
      const slept = reallySleeps(model, told, 35);
      assert.ok(slept >= told * 0.9 && slept <= told * 1.1 + 180);
    }),
  );
});

test('a sleep that a person ended, and one that was missed, say nothing about the clock', () => {
  const known: readonly KnownSleep[] = [[3600, 3600]];
  for (const real of [600, 2800, 7200]) assert.is(learnSleep(known, 3600, real), known);
  assert.is(learnSleep(known, 0, 0), known);
  assert.is(learnSleep(known, 3600, 3500).length, 2);
});

test.run();
