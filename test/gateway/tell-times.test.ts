/** The times of a frame that takes no sleep, within the same bounds as the sleeps of others (WK-6). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type TimedColumns, timesFor } from '../../gateway/dialects/plain/tell-times.ts';
import { keptOf } from '../../gateway/frames/planned-changes.ts';
import type { UpdateWindow } from '../../gateway/frames/update-windows.ts';
import { reasonOf } from '../../reasons/reason.ts';

const test = suite('times of frames that take no sleep');
/** 2027-01-15, a Friday, 08:00 UTC. */
const now = 1_800_000_000_000;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const window: UpdateWindow = {
  timeZone: 'UTC',
  firstDay: 0,
  lastDay: null,
  startMinutes: 7 * 60 + 30,
  durationMinutes: 150,
  every: 'week',
  interval: 1,
  weekStart: 1,
  weekdays: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, nth: 0 })),
  monthDays: [],
};

/** The rules of a frame in its usual state. */
function rules(more: Partial<TimedColumns>): readonly string[] {
  const frame: TimedColumns = {
    serial: 'plain-kitchen',
    sleep_seconds: 3600,
    update_schedule: null,
    planned_changes: null,
    planned_deadlines: null,
    max_wakes_per_day: null,
    ...more,
  };
  return JSON.parse(timesFor(frame, now)).config.rotate_cron;
}

const planned = (...after: readonly number[]): string =>
  JSON.stringify(keptOf(after.map((later) => ({ at: now + later, reason: reasonOf('did-not-come-back') }))));

/** The minutes of a week, UTC, that a rule names: one day, hours and minutes as numbers, lists and steps of ranges. */
function minutesOf(rule: string): readonly number[] {
  const [minutes = [], hours = [], days = []] = rule.split(' ').map((field, at) =>
    field.split(',').flatMap((term) => {
      const size = [60, 24, 7][at] ?? 0;
      const [range = '', step = '1'] = term.split('/');
      const [from = 0, to = from] = range === '*' ? [0, size - 1] : range.split('-').map(Number);
      return Array.from({ length: size }, (_, value) => value).filter(
        (value) => value >= from && value <= to && (value - from) % Number(step) === 0,
      );
    }),
  );
  return days.flatMap((one) => hours.flatMap((each) => minutes.map((value) => (one * 24 + each) * 60 + value)));
}

test('update windows stay stronger: no rule has the frame awake outside them, whatever is planned', () => {
  for (const sleep_seconds of [60, 300, 900, 3600, 5 * 3600, 86_400]) {
    const found = rules({
      sleep_seconds,
      update_schedule: JSON.stringify([window]),
      planned_changes: planned(hour, 6 * hour, day + hour, 3 * day + hour),
      planned_deadlines: planned(90 * minute, 5 * hour),
    });
    for (const at of found.flatMap(minutesOf)) {
      const [weekday, inDay] = [Math.floor(at / 1440), at % 1440];
      assert.ok(weekday >= 1 && weekday <= 5 && inDay >= 450 && inDay < 600, `${sleep_seconds}: ${found.join('; ')}`);
    }
    assert.ok(found.includes('0 9 5'), 'the change within the window');
    assert.not.ok(found.includes('0 14 5'), 'a change after it waits for the next');
    assert.ok(found.includes('29 9 5'), 'the minute of a deadline begins before its time');
    assert.ok(
      [1, 2, 3, 4, 5].every((weekday) => found.flatMap(minutesOf).some((at) => Math.floor(at / 1440) === weekday)),
      `it wakes on each day with a window: ${found.join('; ')}`,
    );
  }
});

test('without windows its sleep alone says when it wakes, on all days', () => {
  assert.match(rules({})[0] ?? '', /^\d+ \* \*$/);
  assert.equal(rules({ sleep_seconds: 900 }), ['*/15 * *']);
  assert.is(rules({ sleep_seconds: 3 * 3600 }).flatMap(minutesOf).length, 7 * 8);
});

test('a picture that changes each minute has it awake each half an hour, or as often as its owner allows', () => {
  const each = planned(...Array.from({ length: 1440 }, (_, at) => (at + 1) * minute));
  const changes = (more: Partial<TimedColumns>) =>
    rules({ sleep_seconds: 6 * 3600, planned_changes: each, ...more })
      .filter((rule) => rule.endsWith(' 5'))
      .flatMap(minutesOf);
  const all = changes({});
  assert.ok(all.length >= 2 && all.length <= 4, `${all}`);
  assert.ok(all.slice(1).every((at, index) => at - (all[index] ?? 0) >= 28));
  assert.equal(changes({ max_wakes_per_day: 6 }), [], 'four hours is further than is known');
});

test('changes within five minutes are one wake, and a change is never shown before its time', () => {
  const found = rules({ planned_changes: planned(hour, hour + 2.5 * minute, 3 * hour) });
  assert.equal(found.slice(1), ['3 9 5', '0 11 5']);
});

test.run();
