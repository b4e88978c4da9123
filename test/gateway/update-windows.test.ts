import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recurring, startAt } from '../../api/devices/recurrence-rule.ts';
import {
  openingDays,
  sleepBetweenWindows,
  type UpdateSchedule,
  type UpdateWindow,
} from '../../gateway/frames/update-windows.ts';
import { zoneOffset } from '../../runtime/local-time.ts';
import { momentOfWallClock } from '../../runtime/wall-clock.ts';

const test = suite('update windows');

const minute = 60;
const hour = 3_600;

/** A window from a moment on, which comes again by the clocks of its zone. */
function window(
  startsAt: string,
  durationMinutes: number,
  every: UpdateWindow['every'] = 'day',
  timeZone = 'Europe/Berlin',
) {
  return { ...recurring(startAt(Date.parse(startsAt), timeZone), every), durationMinutes };
}

/** Returns the sleep of a frame that wakes at a moment, in seconds; normally it is 900. */
const sleepAt = (schedule: UpdateSchedule, at: string): number => sleepBetweenWindows(schedule, 900, Date.parse(at));

/** From 8 to 17 o'clock in Berlin. */
const workingHours = window('2026-06-01T06:00:00Z', 9 * 60);

test('C-59: inside a window sleep is normal, outside it lasts until the next one', () => {
  const cases: [at: string, seconds: number][] = [
    ['2026-06-02T06:00:00Z', 900],
    ['2026-06-02T14:59:59.999Z', 900],
    ['2026-06-02T15:00:00Z', 15 * hour],
    ['2026-06-02T05:59:59.500Z', 1],
    ['2026-06-02T05:00:00.001Z', hour],
    ['2026-06-02T05:00:00Z', hour],
    // Before the first of all.
    ['2026-06-01T05:00:00Z', hour],
    ['2026-05-31T05:59:00Z', 24 * hour],
  ];
  for (const [at, seconds] of cases) assert.is(sleepAt([workingHours], at), seconds, at);
});

test('C-59: with no window within a day the sleep is a day; so it is without any', () => {
  assert.is(sleepAt([], '2026-06-02T05:00:00Z'), 86_400);
  const weekly = window('2026-06-01T06:00:00Z', 60, 'week');
  assert.is(sleepAt([weekly], '2026-06-03T05:00:00Z'), 86_400);
  assert.is(sleepAt([weekly], '2026-06-08T05:00:00Z'), hour);
  const once = { ...window('2026-06-01T06:00:00Z', 60), lastDay: workingHours.firstDay };
  assert.is(sleepAt([once], '2026-06-01T06:30:00Z'), 900);
  assert.is(sleepAt([once], '2026-06-02T06:30:00Z'), 86_400);
});

test('C-59: windows reach over midnight, over days, and into each other', () => {
  const night = window('2026-06-01T20:00:00Z', 4 * 60);
  assert.is(sleepAt([night], '2026-06-02T23:30:00Z'), 900);
  assert.is(sleepAt([night], '2026-06-03T00:00:00Z'), 20 * hour);
  assert.is(sleepAt([workingHours, night], '2026-06-02T15:00:00Z'), 5 * hour);
  assert.is(sleepAt([night, workingHours], '2026-06-02T15:00:00Z'), 5 * hour);
  const threeDays = window('2026-06-01T06:00:00Z', 3 * 24 * 60, 'month');
  assert.is(sleepAt([threeDays], '2026-07-04T05:59:00Z'), 900);
  assert.is(sleepAt([threeDays], '2026-07-04T06:00:00Z'), 86_400);
  const always = window('2026-05-31T22:00:00Z', 24 * 60);
  for (const at of ['2026-06-05T21:59:59.999Z', '2026-06-05T22:00:00Z', '2026-10-24T22:30:00Z']) {
    assert.is(sleepAt([always], at), 900, at);
  }
});

test('C-59: a window opens by the clocks on the wall, on both sides of a change of the clocks', () => {
  // 8:00 is 7:00 UTC in winter and 6:00 UTC in summer; clocks change on 29 March and on 25 October.
  assert.is(sleepAt([workingHours], '2027-03-27T16:00:00Z'), 14 * hour, 'the short night');
  assert.is(sleepAt([workingHours], '2027-03-28T06:00:00Z'), 900);
  assert.is(sleepAt([workingHours], '2026-10-25T06:59:00Z'), minute);
  assert.is(sleepAt([workingHours], '2026-10-24T15:00:00Z'), 16 * hour, 'the long night');
  assert.is(sleepAt([workingHours], '2027-03-27T15:59:00Z'), 900);
  assert.is(sleepAt([workingHours], '2027-03-27T17:00:00Z'), 13 * hour);
  // 2:30 is skipped on the one day: it is 3:30 then; on the other it comes twice: the first counts.
  const early = window('2026-06-01T00:30:00Z', 15);
  assert.is(sleepAt([early], '2027-03-28T01:00:00Z'), 30 * minute);
  assert.is(sleepAt([early], '2027-03-28T01:30:00Z'), 900);
  assert.is(sleepAt([early], '2026-10-25T00:29:00Z'), minute);
  assert.is(sleepAt([early], '2026-10-25T00:30:00Z'), 900);
  assert.is(sleepAt([early], '2026-10-25T01:30:00Z'), 24 * hour, 'and not again an hour later');
  // The same window elsewhere, at other times.
  const far = window('2026-06-01T06:00:00Z', 60, 'day', 'Pacific/Kiritimati');
  assert.is(sleepAt([far], '2026-06-04T05:00:00Z'), hour);
});

test('C-59, T-21: the most windows that may be set are weighed in milliseconds, however long ago they began', () => {
  const many = Array.from({ length: 50 }, (_, index) => ({
    ...window('2000-01-01T06:00:00Z', 31 * 24 * 60, 'month', 'Pacific/Kiritimati'),
    monthDays: [31],
    startMinutes: index,
    weekdays: [{ weekday: 1, nth: -5 }],
  }));
  sleepAt(many, '2099-02-01T00:00:00Z');
  const began = process.cpuUsage().user;
  assert.is(sleepAt(many, '2099-02-01T00:00:00Z'), 86_400);
  assert.ok(process.cpuUsage().user - began < 250_000, 'less than a quarter of a second');
});

/** The rule as it reads: of all openings near enough, whether one still lasts, and else the first to come. */
function sleepByDefinition(schedule: UpdateSchedule, now: number): number {
  let next = now + 86_400_000;
  for (const window of schedule) {
    const lastsMs = window.durationMinutes * 60_000;
    const [from, to] = [now - lastsMs, now].map((at) => Math.floor(at / 86_400_000));
    for (const day of openingDays(window, (from ?? 0) - 2, (to ?? 0) + 3)) {
      const naive = day * 86_400_000 + window.startMinutes * 60_000;
      const opensAt = momentOfWallClock(naive, zoneOffset(window.timeZone));
      if (opensAt > now) next = Math.min(next, opensAt);
      else if (now < opensAt + lastsMs) return 900;
    }
  }
  return Math.ceil((next - now) / 1000);
}

test('C-59: whatever the windows, a frame sleeps as the definition says', () => {
  const zones = ['Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe', 'Pacific/Kiritimati', 'UTC'];
  const anyWindow = fc.record({
    timeZone: fc.constantFrom(...zones),
    firstDay: fc.integer({ min: 20_000, max: 20_700 }),
    lastDay: fc.option(fc.integer({ min: 20_500, max: 20_800 })),
    startMinutes: fc.integer({ min: 0, max: 1439 }),
    durationMinutes: fc.integer({ min: 1, max: 44_640 }),
    every: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
    interval: fc.integer({ min: 1, max: 4 }),
    weekStart: fc.integer({ min: 1, max: 7 }),
    weekdays: fc.array(fc.record({ weekday: fc.integer({ min: 1, max: 7 }), nth: fc.integer({ min: -5, max: 5 }) }), {
      maxLength: 3,
    }),
    monthDays: fc.array(fc.constantFrom(1, 15, 28, 30, 31, -1, -31), { maxLength: 2 }),
  });
  const anyMoment = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2026, 11) });
  fc.assert(
    fc.property(fc.array(anyWindow, { maxLength: 3 }), anyMoment, (schedule, now) => {
      assert.is(sleepBetweenWindows(schedule, 900, now), sleepByDefinition(schedule, now));
    }),
    { numRuns: 300 },
  );
});

test.run();
