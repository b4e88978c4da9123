/** The wakes of frames whose pictures change more often than they may wake: spread over the day, at every density. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expectedChanges, keptOf, type PlannedChange, plannedAfter } from '../../gateway/frames/planned-changes.ts';
import { noSleepFacts, type SleepColumns, type ToldSleep, tellSleep } from '../../gateway/frames/tell-sleep.ts';
import { reasonOf } from '../../reasons/reason.ts';

const test = suite('spread wakes');
const start = Date.UTC(2027, 0, 15, 10, 11, 7);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Changes that follow each other at these gaps, again and again; so many reasons take turns. */
function changesOf(gaps: readonly number[], reasons: number, until: number): readonly PlannedChange[] {
  const changes: PlannedChange[] = [];
  for (let at = start - day; at < until; at += gaps[changes.length % gaps.length] ?? minute) {
    changes.push({ at, reason: reasonOf('change-entry-first', { to: `Paper ${changes.length % reasons}` }) });
  }
  return changes;
}

interface Played {
  readonly wakes: readonly number[];
  readonly told: readonly ToldSleep[];
}

/** Plays a frame from wake to wake, whose stored list is written again as late as planning does. */
function play(
  changes: readonly PlannedChange[],
  settings: Pick<SleepColumns, 'sleep_seconds' | 'max_wakes_per_day'>,
  { until, before = [] }: { readonly until: number; readonly before?: readonly number[] },
): Played {
  const told: ToldSleep[] = [];
  const wakes = [...before, start];
  let stored: string | null = null;
  for (let now = start; now < until; wakes.push(now)) {
    const left = plannedAfter({ planned_changes: stored }, 'planned_changes', now);
    const last = left.at(-1);
    if (last === undefined || (last.goesOn ? left.length < 72 : last.at < now + day)) {
      const coming = keptOf(changes.filter(({ at }) => at > now && at <= now + 26 * hour));
      stored = coming.length === 0 ? null : JSON.stringify(coming);
    }
    const frame: SleepColumns = { update_schedule: null, planned_changes: stored, ...settings };
    const ofDay = wakes.filter((wake) => wake > now - day).toReversed();
    const sent = tellSleep(
      frame,
      { ...noSleepFacts, model: { ...noSleepFacts.model, isLearned: true }, wakes: ofDay },
      now,
    );
    told.push(sent);
    now += sent.seconds * 1000;
  }
  return { wakes, told };
}

const gapsOf = (wakes: readonly number[]): readonly number[] =>
  wakes.slice(1).map((wake, index) => wake - (wakes[index] ?? wake));

function inAnyDay(wakes: readonly number[]): number {
  return Math.max(...wakes.map((from) => wakes.filter((wake) => wake >= from && wake < from + day).length));
}

test('a frame that wakes twelve times a day at most wakes each two hours for a playlist of minutes, at every age of its list', () => {
  const changes = changesOf([minute], 2, start + 4 * day);
  for (const sleep_seconds of [3600, 10_800, 86_400]) {
    const { wakes, told } = play(changes, { sleep_seconds, max_wakes_per_day: 12 }, { until: start + 2 * day });
    const gaps = gapsOf(wakes).map((gap) => gap / hour);
    assert.ok(
      gaps.every((gap) => gap >= 1.4 && gap <= 2.2),
      `${sleep_seconds}: ${gaps}`,
    );
    assert.ok(
      told.every(({ leftOut = 0 }) => leftOut > 50),
      'what is left out is said',
    );
    assert.ok(inAnyDay(wakes) <= 12);
  }
});

test('without a bound such a playlist wakes its frame 48 times a day, spread evenly', () => {
  const changes = changesOf([minute], 2, start + 4 * day);
  const { wakes } = play(changes, { sleep_seconds: 10_800, max_wakes_per_day: null }, { until: start + 2 * day });
  const gaps = gapsOf(wakes).map((gap) => gap / minute);
  assert.ok(
    gaps.every((gap) => gap >= 22 && gap <= 42),
    `${gaps}`,
  );
  assert.ok(wakes.length >= 94 && wakes.length <= 97, `${wakes.length} wakes in two days`);
});

test('a change that comes seldom is not left out for those that come each minute, however old their list is', () => {
  for (let after = 1; after < 90; after += 4) {
    const rare: PlannedChange = { at: start + after * minute + 30_000, reason: reasonOf('change-day') };
    const changes = [...changesOf([minute], 2, start + 4 * day), rare].sort((one, other) => one.at - other.at);
    const { wakes } = play(changes, { sleep_seconds: 10_800, max_wakes_per_day: null }, { until: start + 3 * hour });
    const shown = wakes.find((wake) => wake >= rare.at) ?? Infinity;
    assert.ok(shown - rare.at <= 6 * minute, `${after}: ${(shown - rare.at) / minute} minutes late`);
  }
});

test('whatever the density, the wakes of a day stay within the bound and are spread', () => {
  const gap = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 20, max: 400 }));
  const density = fc.tuple(
    gap,
    fc.array(fc.double({ min: 0.5, max: 1.5, noNaN: true }), { minLength: 1, maxLength: 7 }),
  );
  const bound = fc.option(fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 200 })));
  const pressed = fc.array(fc.integer({ min: 1, max: 1439 }), { maxLength: 60 });
  fc.assert(
    fc.property(
      density,
      fc.integer({ min: 1, max: 80 }),
      bound,
      fc.integer({ min: 600, max: 86_400 }),
      pressed,
      ([each, factors], reasons, max_wakes_per_day, sleep_seconds, minutes) => {
        const gaps = factors.map((factor) => Math.max(minute, Math.round(each * factor) * minute));
        const perDay = max_wakes_per_day ?? Math.max(48, Math.ceil(86_400 / sleep_seconds));
        const before = [...new Set(minutes)].slice(0, perDay - 1).sort((one, other) => other - one);
        const until = start + 2 * day;
        const { wakes } = play(
          changesOf(gaps, reasons, until + 2 * day),
          { sleep_seconds, max_wakes_per_day },
          { until, before: before.map((ago) => start - ago * minute) },
        );
        if (max_wakes_per_day !== null) assert.ok(inAnyDay(wakes) <= perDay, `${inAnyDay(wakes)} wakes`);
        const set = sleep_seconds * 1000;
        const spread = (2 * day) / perDay + Math.max(...gaps) + 6 * minute;
        const longest = max_wakes_per_day === null ? Math.min(set + minute, spread) : Math.max(set + minute, spread);
        // The wakes of the day before count until they are a day old.
        const found = gapsOf(wakes.filter((wake) => wake >= start + (before.length === 0 ? 0 : day)));
        assert.ok(Math.max(...found) <= longest, `${Math.max(...found) / minute} of ${longest / minute} minutes`);
      },
    ),
    { numRuns: 40 },
  );
});

test('a list that was cut is taken to go on as it begins, and another one as on the day before', () => {
  const each = Array.from({ length: 200 }, (_, index) => ({ at: start + (index + 1) * 10 * minute }));
  const expected = (list: readonly PlannedChange[], until?: number) =>
    expectedChanges({ planned_changes: JSON.stringify(keptOf(list)) }, start, until).map(
      ({ at }) => (at - start) / hour,
    );
  assert.equal(
    expected(each),
    Array.from({ length: 144 }, (_, index) => (index + 1) / 6),
  );
  const two = [{ at: start + 3 * hour }, { at: start + 25 * hour }];
  assert.equal(expected(two), [3, 25]);
  assert.equal(expected(two, start + 2 * day), [3, 25, 27]);
  assert.equal(expected([{ at: start + 60 * hour }], start + 2 * day), [60], 'a single one that is far away');
  const dense = Array.from({ length: 97 }, (_, index) => ({ at: start + index + 1 }));
  assert.ok(expected(dense).length <= 6000, 'hostile lists stay short');
});

test.run();
