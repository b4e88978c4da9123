/** The sleep that a frame is sent: it ends just after its next change, within the bounds of its owner. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptOf, type PlannedChange } from '../../gateway/frames/planned-changes.ts';
import { noSleepFacts, type SleepColumns, type SleepFacts, tellSleep } from '../../gateway/frames/tell-sleep.ts';
import type { UpdateWindow } from '../../gateway/frames/update-windows.ts';
import type { WakeModel } from '../../gateway/frames/wake-model.ts';
import { reasonOf } from '../../reasons/reason.ts';

const test = suite('told sleeps');
/** 2027-01-15, 08:00 UTC. */
const now = 1_800_000_000_000;
const minute = 60_000;
const hour = 60 * minute;
const exact: WakeModel = { isLearned: true, offset: 0, drift: 1 };

const planned = (...at: readonly number[]): PlannedChange[] => at.map((after) => ({ at: now + after }));

/** From seven to nine. */
const eachMorning: UpdateWindow = {
  timeZone: 'UTC',
  firstDay: 0,
  lastDay: null,
  startMinutes: 7 * 60,
  durationMinutes: 120,
  every: 'day',
  interval: 1,
  weekStart: 1,
  weekdays: [],
  monthDays: [],
};

interface Plans extends Partial<Omit<SleepColumns, 'planned_changes' | 'planned_deadlines' | 'update_schedule'>> {
  readonly changes?: readonly PlannedChange[];
  readonly deadlines?: readonly PlannedChange[];
  readonly windows?: readonly UpdateWindow[];
}

const frameOf = ({ changes = [], deadlines = [], windows, ...more }: Plans): SleepColumns => ({
  sleep_seconds: 3 * 3600,
  update_schedule: windows === undefined ? null : JSON.stringify(windows),
  planned_changes: changes.length === 0 ? null : JSON.stringify(keptOf(changes)),
  planned_deadlines: deadlines.length === 0 ? null : JSON.stringify(deadlines),
  prove_soon: null,
  max_wakes_per_day: null,
  ...more,
});

/** The sleep, without the change that is next whatever ends it. */
function told(plans: Plans, facts: Partial<SleepFacts> = {}, at = now) {
  const { next: _next, ...sent } = tellSleep(frameOf(plans), { ...noSleepFacts, model: exact, ...facts }, at);
  return sent;
}

test('WK-11: a sleep ends just after the next change, never later than the owner allows, nor sooner than a minute', () => {
  assert.equal(told({}), { seconds: 10_800, end: 'longest', at: null });
  assert.equal(told({ changes: planned(hour) }), { seconds: 3605, end: 'change', at: now + hour });
  assert.equal(told({ changes: planned(10_000) }).seconds, 60);
  assert.equal(told({ changes: planned(7 * hour) }), { seconds: 10_800, end: 'longest', at: null });
  assert.equal(told({ changes: planned(-hour) }).end, 'longest', 'a change of the past is over');
  assert.equal(told({ sleep_seconds: 0 }).seconds, 3600, 'a setting that says nothing');
});

test('WK-12, WK-13: awake time is taken off, drift is divided out, and a clock that is not known is given more time', () => {
  const slow: WakeModel = { isLearned: true, offset: 20, drift: 1.05 };
  // 3605 s, of which the frame is awake for 50 and 20.
  assert.is(told({ changes: planned(hour) }, { model: slow, awakeSeconds: 50 }).seconds, Math.ceil(3535 / 1.05));
  const unknown: WakeModel = { isLearned: false, offset: 0, drift: 1 };
  assert.is(told({ changes: planned(hour) }, { model: unknown }).seconds, 3615, '0.4 % of the hour');
  assert.is(told({ changes: planned(10 * minute) }, { model: unknown }).seconds, 610);
  assert.is(
    told({}, { model: slow, awakeSeconds: 50 }).seconds,
    10_800,
    'a sleep that nothing ends is sent as it was set',
  );
});

test('WK-14: of a change within a minute that was given already nothing is left to wake for', () => {
  const soon = { at: now + 40_000, mayShowEarly: true };
  const changes = [soon, ...planned(hour)];
  const given = { givesNew: true, expectedAt: now + 5_000 };
  assert.is(told({ changes }, given).seconds, 3605);
  assert.is(told({ changes }, { givesNew: false }).seconds, 60, 'the frame was given nothing new');
  const notBefore = [{ at: now + 40_000 }, ...planned(hour)];
  assert.is(told({ changes: notBefore }, given).seconds, 60, 'a picture with a time of its own is never early');
  assert.is(told({ changes }, { ...given, expectedAt: now + hour }).seconds, 60, 'its picture is drawn for later');
  assert.is(told({ changes }, { ...given, expectedAt: now - 30_000 }).seconds, 60, 'its picture was drawn for before');
  assert.is(told({ changes }, { ...given, expectedAt: null }).seconds, 60, 'nobody knew that it comes');
});

test('WK-16: a way that takes two sleeps is halved, unless a half would be shorter than a quarter of an hour', () => {
  assert.equal(told({ changes: planned(5 * hour) }), { seconds: 9000, end: 'half-way', at: now + 5 * hour });
  const day = told({ changes: planned(36 * hour), sleep_seconds: 86_400 });
  assert.is(day.seconds, 18 * 3600);
  assert.equal(told({ changes: planned(25 * minute), sleep_seconds: 900 }).seconds, 900);
});

test('WK-17: a proof that is open shortens one sleep, where the owner asked for that', () => {
  const hurried = { isHurried: true, givesNew: true };
  assert.equal(told({ prove_soon: 1 }, hurried), { seconds: 90, end: 'proof', at: null });
  assert.is(told({ prove_soon: 0 }, hurried).seconds, 10_800);
  assert.is(told({ prove_soon: 1, changes: planned(70_000) }, hurried).end, 'change', 'a change that comes sooner');
  const spent = { ...hurried, wakes: [now, now - hour] };
  assert.not.equal(told({ prove_soon: 1, max_wakes_per_day: 2 }, spent).end, 'proof', 'it may not wake that often');
  const morning = [{ ...eachMorning, durationMinutes: 61 }];
  assert.is(told({ prove_soon: 1, windows: morning }, hurried).end, 'longest', 'its window is over by then');
  assert.is(told({ windows: morning }, { isBeingMade: true }).end, 'longest');
  assert.is(told({ prove_soon: 1, windows: [eachMorning] }, hurried).end, 'proof');
});

test('WK-17: a frame that woke for a change whose picture is not there yet comes back for it, twice at most', () => {
  const changes = planned(2 * hour);
  const wokeFor = (after: number, tries: number) => ({ wokeFor: { at: now - after, tries } });
  const soon = { seconds: 90, end: 'awaited', at: now - 5_000 };
  assert.equal(told({ changes }, wokeFor(5_000, 0)), { ...soon, tries: 1 });
  assert.equal(told({ changes }, wokeFor(5_000, 1)), { ...soon, tries: 2 });
  assert.is(told({ changes }, wokeFor(5_000, 2)).end, 'change', 'it was not the picture that changed');
  assert.is(told({ changes }, { ...wokeFor(5_000, 0), givesNew: true }).end, 'change', 'the picture was there');
  assert.is(told({ changes }, wokeFor(10 * minute, 0)).end, 'change', 'long ago');
  const spent = { ...wokeFor(5_000, 0), wakes: [now, now - hour] };
  assert.not.equal(told({ changes, max_wakes_per_day: 2 }, spent).end, 'awaited', 'it may not wake that often');
});

test('WK-17: a frame that wakes while its picture is being made comes back soon, within the bounds of its owner', () => {
  const isBeingMade = true;
  const soon = { seconds: 90, end: 'awaited', at: null };
  assert.equal(told({}, { isBeingMade }), { ...soon, tries: 1 });
  assert.equal(told({}, { isBeingMade, wokeFor: { tries: 1 } }), { ...soon, tries: 2 });
  assert.is(told({}, { isBeingMade, wokeFor: { tries: 2 } }).end, 'longest', 'twice at most');
  assert.is(told({}, { isBeingMade, givesNew: true }).end, 'longest', 'it is given one');
  assert.is(told({ sleep_seconds: 60 }, { isBeingMade }).end, 'longest', 'it comes sooner by itself');
  assert.is(told({ changes: planned(70_000) }, { isBeingMade }).end, 'change', 'a change that comes sooner');
  const spent = { isBeingMade, wakes: [now, now - hour] };
  assert.not.equal(told({ max_wakes_per_day: 2 }, spent).end, 'awaited', 'it may not wake that often');
  const changes = planned(2 * hour);
  const { next, at } = tellSleep(frameOf({ changes }), { ...noSleepFacts, isBeingMade }, now);
  assert.equal([at, next], [null, now + 2 * hour], 'the change stays the next one');
});

test('WK-18: the reason of the change is kept with the sleep', () => {
  const reason = reasonOf('picture-of-nobody');
  const { reason: kept, at } = told({ changes: [{ at: now + hour, reason }] });
  assert.equal(kept, reason);
  assert.is(at, now + hour);
});

test('WK-19: changes within five minutes are one wake, at the last of them; what comes later is not waited for', () => {
  assert.is(
    told({ changes: planned(hour, hour + 2 * minute, hour + 5 * minute, hour + 6 * minute) }).at,
    now + hour + 5 * minute,
  );
  assert.is(
    told({ changes: planned(3 * hour - minute, 3 * hour + minute) }).at,
    now + 3 * hour - minute,
    'within reach',
  );
  const deadlines = planned(hour + 3 * minute);
  assert.is(
    told({ changes: planned(hour, hour + 2 * minute, hour + 4 * minute), deadlines }).at,
    now + hour + 2 * minute,
  );
});

test('WK-19: the sleep told by the wake ends at the same moment, whenever it is asked for', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 170 }), fc.integer({ min: 0, max: 60 }), (minutes, later) => {
      const changes = planned(minutes * minute);
      const ends = [now, now + later * 1000].map((at) => at + told({ changes }, {}, at).seconds * 1000);
      assert.ok(ends[0] === ends[1] || told({ changes }, {}, now + later * 1000).seconds === 60);
    }),
  );
});

test('a frame wakes before each time by which a wake has to begin for a deadline (DL-22)', () => {
  const deadlines = planned(hour);
  assert.equal(told({ deadlines }), { seconds: 3595, end: 'deadline', at: now + hour });
  const later = { awakeSeconds: 10 };
  assert.is(told({ deadlines }, { ...later, givesNew: true }).seconds, 3585, 'with a new picture or without one');
  const both = planned(hour - 80_000, hour);
  const first = told({ deadlines: both }, later);
  assert.equal([first.seconds, first.at], [3600 - 80 - 5 - 10, now + hour - 80_000], 'the wake that takes the picture');
  const after = now + (first.seconds + 10) * 1000;
  const second = told({ deadlines: both }, { ...later, givesNew: true }, after);
  assert.equal([second.seconds, second.end, second.at], [70, 'deadline', now + hour], 'the one that proves it');
  assert.equal(told({ deadlines: planned(50_000) }).end, 'longest', 'one that no sleep can meet any more');
  assert.equal(
    told({ deadlines: planned(hour), changes: planned(hour - 2000) }).end,
    'change',
    'its change comes just before',
  );
});

test('update windows stay stronger: what changes outside them waits for the next one', () => {
  const windows = [eachMorning];
  assert.is(told({ windows, changes: planned(30 * minute) }).at, now + 30 * minute);
  assert.is(told({ windows, changes: planned(2 * hour), deadlines: planned(2 * hour) }).end, 'longest');
  const evening = now + 4 * hour;
  const morning = { seconds: 19 * 3600 + 5, end: 'window', at: now + 23 * hour };
  assert.equal(told({ windows, changes: planned(5 * hour) }, {}, evening), morning);
  assert.equal(told({ windows, sleep_seconds: 86_400 }).at, now + 23 * hour, 'never beyond the next window');
});

test('T-21: the most windows and the most changes that there may be are weighed in milliseconds', () => {
  const windows: UpdateWindow[] = Array.from({ length: 50 }, (_, index) => ({
    timeZone: 'Pacific/Kiritimati',
    firstDay: 0,
    lastDay: null,
    startMinutes: index,
    durationMinutes: 31 * 24 * 60,
    every: 'day',
    interval: 1,
    weekStart: 1,
    weekdays: [],
    monthDays: [],
  }));
  const changes = planned(...Array.from({ length: 200 }, (_, index) => (index + 1) * minute));
  told({ windows, changes });
  const began = process.cpuUsage().user;
  assert.is(told({ windows, changes }).end, 'change');
  assert.ok(process.cpuUsage().user - began < 250_000, 'less than a quarter of a second');
});

const everyMinute = Array.from({ length: 1440 }, (_, index) => ({
  at: now + (index + 1) * minute,
  reason: reasonOf('picture-of-nobody'),
}));

test('a picture that changes each minute wakes its frame each half an hour, and a rare change is not left out for it', () => {
  const first = told({ changes: everyMinute });
  assert.ok(first.seconds >= 27 * 60 && first.seconds <= 36 * 60, `${first.seconds}`);
  assert.ok((first.leftOut ?? 0) > 20, 'what is left out is said');
  const rare: PlannedChange = { at: now + 12 * minute + 30_000, reason: reasonOf('did-not-come-back') };
  const changes = [...everyMinute, rare].sort((one, other) => one.at - other.at);
  assert.is(told({ changes }).at, rare.at);
  assert.ok(told({ changes: everyMinute, sleep_seconds: 60 }).seconds === 60, 'the owner’s own sleep asks for more');
});

test('an owner’s bound of wakes holds in any 24 hours, whatever changes', () => {
  const reasons = [reasonOf('picture-of-nobody'), reasonOf('did-not-come-back')];
  const gaps = fc.array(fc.tuple(fc.integer({ min: 1, max: 200 }), fc.constantFrom(0, 1)), {
    minLength: 1,
    maxLength: 80,
  });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 2, max: 40 }), fc.integer({ min: 60, max: 20_000 }), (list, perDay, sleep) => {
      const changes = list.map(([, reason], index) => ({
        at: now + list.slice(0, index + 1).reduce((sum, [each]) => sum + each, 0) * minute,
        reason: reasons[reason] as (typeof reasons)[0],
      }));
      const wakes = [now];
      for (let clock = now; clock < now + 50 * hour; ) {
        const plans = { changes, sleep_seconds: sleep, max_wakes_per_day: perDay };
        clock +=
          told(plans, { wakes: wakes.filter((wake) => wake > clock - 24 * hour).toReversed() }, clock).seconds * 1000;
        wakes.push(clock);
      }
      for (const wake of wakes) {
        const inDay = wakes.filter((other) => other > wake - 24 * hour && other <= wake).length;
        assert.ok(inDay <= perDay, `${inDay} wakes`);
      }
    }),
  );
});

test('whatever is planned, a sleep is within the wire’s limits and ends after its change and before its deadline', () => {
  const times = fc.array(fc.integer({ min: -hour, max: 40 * hour }), { maxLength: 12 });
  const model = fc.record({
    isLearned: fc.constant(true),
    offset: fc.integer({ min: 0, max: 100 }),
    drift: fc.double({ min: 0.91, max: 1.09, noNaN: true }),
  });
  fc.assert(
    fc.property(times, times, model, fc.integer({ min: 60, max: 86_400 }), (changes, deadlines, known, sleep) => {
      const sorted = (list: readonly number[]) => planned(...list.toSorted((one, other) => one - other));
      const plans = { changes: sorted(changes), deadlines: sorted(deadlines), sleep_seconds: sleep };
      const found = told(plans, { model: known });
      assert.ok(Number.isInteger(found.seconds) && found.seconds >= 60 && found.seconds <= 86_400);
      const wakesAt = now + (known.offset + found.seconds * known.drift) * 1000;
      if (found.end === 'change') assert.ok(wakesAt >= Math.min(found.at ?? 0, now + 86_400_000 * known.drift));
      if (found.end === 'deadline') assert.ok(wakesAt <= (found.at ?? 0));
    }),
  );
});

test.run();
