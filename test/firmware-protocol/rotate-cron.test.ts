/** The rules by which esp32-photoframe wakes (WK-6), held against a reading of its own. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configPayload, maxConfigBytes, maxCronRules, rotateCron } from '../../firmware-protocol/plain/rotate-cron.ts';

const test = suite('rules of minute, hour and weekday');
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** The values of a field, as the firmware reads it: `*`, numbers, ranges, steps, and lists of those; 31 characters at most. */
function valuesOf(field: string, most: number): readonly number[] {
  assert.ok(field.length > 0 && field.length <= 31, `${field} is not read`);
  return field.split(',').flatMap((term) => {
    const [, star, first, last, step = '1'] = /^(?:(\*)|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(term) ?? [];
    assert.ok(star ?? first, `${term} is not read`);
    const [from, to] = star === undefined ? [Number(first), Number(last ?? first)] : [0, most];
    assert.ok(from <= to && to <= most, term);
    return Array.from({ length: most + 1 }, (_, at) => at).filter(
      (at) => at >= from && at <= to && (at - from) % Number(step) === 0,
    );
  });
}

/** True when a rule has the frame awake in a minute. */
function holds(rule: string, at: number): boolean {
  const [minute = '', hour = '', weekday = ''] = rule.split(' ');
  const time = new Date(at);
  return (
    valuesOf(minute, 59).includes(time.getUTCMinutes()) &&
    valuesOf(hour, 23).includes(time.getUTCHours()) &&
    valuesOf(weekday, 6).includes(time.getUTCDay())
  );
}

/** The moments of a week that some rules hold at. */
function heldIn(rules: readonly string[], from: number, days: number): readonly number[] {
  const minutes = Array.from(
    { length: days * 24 * 60 },
    (_, at) => Math.ceil(from / minuteMs) * minuteMs + at * minuteMs,
  );
  return minutes.filter((at) => rules.some((rule) => holds(rule, at)));
}

test('WK-6: the first changes of the week ahead each have a wake in their minute', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 29_800_000, max: 30_000_000 }),
      fc.array(fc.integer({ min: 1, max: 10 * 24 * 60 }), { maxLength: 12 }),
      (minute, ahead) => {
        const now = minute * minuteMs;
        const times = [...new Set(ahead)].map((later) => now + later * minuteMs).sort((a, b) => a - b);
        const rules = rotateCron({ usual: [now + hourMs], each: 'day', times, now });
        assert.ok(rules.length >= 1 && rules.length <= maxCronRules);
        assert.ok(configPayload(rules).length <= maxConfigBytes);
        for (const at of times.filter((time) => time < now + 7 * dayMs).slice(0, maxCronRules - 1)) {
          assert.ok(
            rules.some((rule) => holds(rule, at)),
            `${new Date(at).toISOString()}`,
          );
        }
      },
    ),
  );
});

test('usual wakes of a day are the same each day, whatever hours and minutes they are at', () => {
  const begin = 20_000 * dayMs;
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1 }),
      fc.constantFrom([17], [0, 15, 30, 45], [0], [30, 45], [10, 20, 50]),
      (hours, minutes) => {
        const usual = hours
          .flatMap((hour) => minutes.map((minute) => begin + hour * hourMs + minute * minuteMs))
          .sort((a, b) => a - b);
        const rules = rotateCron({ usual, each: 'day', times: [], now: begin });
        const held = heldIn(rules, begin, 1);
        assert.ok(
          held.every((at) => usual.includes(at)),
          'none more',
        );
        // Hours without any order take more characters than a field has.
        if (hours.length <= 12) assert.is(held.length, usual.length, rules.join('; '));
      },
    ),
  );
  const every = (step: number) =>
    rotateCron({
      usual: Array.from({ length: dayMs / step }, (_, at) => begin + at * step),
      each: 'day',
      times: [],
      now: begin,
    });
  assert.equal([every(hourMs), every(hourMs / 4), every(minuteMs)], [['0 * *'], ['*/15 * *'], ['* * *']]);
});

test('usual wakes of a week keep their days; those that are other ones each day are taken for those of the first', () => {
  // A Monday.
  const begin = 20_003 * dayMs;
  const weekdays = [0, 1, 2, 3, 4].map((day) => begin + day * dayMs + 7 * hourMs);
  assert.equal(rotateCron({ usual: weekdays, each: 'week', times: [], now: begin }), ['0 7 1-5']);
  const odd = Array.from({ length: 7 }, (_, day) => begin + day * dayMs + day * hourMs);
  assert.equal(rotateCron({ usual: odd, each: 'week', times: [], now: begin }), ['0 0 *']);
});

test.run();
