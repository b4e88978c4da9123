import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays, localDate, localTime, startOfDate } from '../../gateway/runtime/local-time.ts';

const test = suite('local time');

test('a day begins at its first moment, also where midnight is skipped or comes twice', () => {
  const days: [zone: string, date: string, begins: string][] = [
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
    // Clocks go from 0:00 to 1:00, and from 24:00 back to 23:00.
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
    ['America/Santiago', '2026-04-05', '2026-04-05T04:00:00.000Z'],
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z'],
    // A whole day was left out here: what it begins with is the next one.
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z'],
  ];
  for (const [zone, date, begins] of days) {
    assert.is(new Date(startOfDate(date, zone)).toISOString(), begins, `${date} ${zone}`);
  }
});

test('for every date and zone, the moment before the beginning is another day', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const anyDate = fc.integer({ min: 0, max: 366 * 30 }).map((days) => addDays('2012-01-01', days));
  fc.assert(
    fc.property(anyDate, fc.constantFrom(...zones), (date, zone) => {
      const begins = startOfDate(date, zone);
      assert.is(localDate(begins, zone), date, zone);
      assert.ok(localDate(begins - 1, zone) < date, zone);
    }),
    { numRuns: 300 },
  );
});

test('clocks and weekdays as people see them', () => {
  const at = Date.parse('2026-03-29T22:30:00Z');
  assert.equal(localTime(at, 'Europe/Berlin'), { year: 2026, month: 3, day: 30, hour: 0, minute: 30, weekday: 1 });
  assert.is(localTime(at, 'America/New_York').weekday, 7);
});

test.run();
