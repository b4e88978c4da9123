/** The rules by which esp32-photoframe wakes (WK-6), held against a reading of its own. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configPayload, maxConfigBytes, maxCronRules, rotateCron } from '../../firmware-protocol/plain/rotate-cron.ts';

const test = suite('rules of minute, hour and weekday');
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** The values of a field, as the firmware reads it: `*`, `a`, a list, or each so many. */
function valuesOf(field: string, most: number): readonly number[] {
  const all = Array.from({ length: most + 1 }, (_, at) => at);
  const [, step] = /^\*\/(\d+)$/.exec(field) ?? [];
  if (step !== undefined) return all.filter((value) => value % Number(step) === 0);
  return field === '*' ? all : field.split(',').map(Number);
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

const allHours = Array.from({ length: 24 }, (_, hour) => hour);

test('WK-6: the first changes of the week ahead each have a wake in the minute that begins at them or after them', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1_790_000_000, max: 1_800_000_000 }),
      fc.array(fc.integer({ min: 1, max: 10 * 24 * 60 * 60 }), { maxLength: 12 }),
      fc.constantFrom(60, 300, 1000, 3600, 7200, 86_400),
      (seconds, ahead, everySeconds) => {
        const now = seconds * 1000;
        const times = ahead.map((later) => now + later * 1000).sort((a, b) => a - b);
        const rules = rotateCron({ everySeconds, hours: allHours, minute: 17, times, now });
        assert.ok(rules.length >= 1 && rules.length <= maxCronRules);
        assert.ok(configPayload(rules).length <= maxConfigBytes);
        const minutes = [...new Set(times.filter((at) => at < now + 7 * dayMs).map((at) => Math.ceil(at / minuteMs)))];
        for (const minute of minutes.slice(0, maxCronRules - 1)) {
          assert.ok(
            rules.some((rule) => holds(rule, minute * minuteMs)),
            `${new Date(minute * minuteMs).toISOString()}`,
          );
        }
      },
    ),
  );
});

test('usual wakes come as often as the sleep says, and only in its hours', () => {
  const rule = (everySeconds: number, hours: readonly number[]): string =>
    rotateCron({ everySeconds, hours, minute: 17, times: [], now: 0 })[0] ?? '';
  assert.equal(
    [rule(600, allHours), rule(1000, allHours), rule(3600, [6, 7, 22]), rule(60, [5])],
    ['*/10 * *', '*/15 * *', '17 6,7,22 *', '*/1 5 *'],
  );
  assert.ok(holds(rule(3600, [6]), 6 * hourMs + 17 * minuteMs));
});

test.run();
