import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dayBegin, nextBy } from '../../api/deadlines/deadline-times.ts';

const test = suite('deadlines/deadline-times');
const zone = 'Europe/Berlin';
const all = [1, 2, 3, 4, 5, 6, 7];
const weekdays = [1, 2, 3, 4, 5];

const next = (rule: Parameters<typeof nextBy>[0], after: string, timeZone = zone): string =>
  new Date(nextBy(rule, timeZone, Date.parse(after))).toISOString();

test('weekdays pass over the weekend, by the clocks of the zone', () => {
  assert.is(next({ weekdays, time: '07:00' }, '2026-01-09T05:59:59Z'), '2026-01-09T06:00:00.000Z');
  assert.is(next({ weekdays, time: '07:00' }, '2026-01-09T06:00:00Z'), '2026-01-12T06:00:00.000Z');
  assert.is(next({ weekdays, time: '07:00' }, '2026-01-09T06:00:00Z', 'America/New_York'), '2026-01-09T12:00:00.000Z');
  assert.is(
    next({ weekdays: [7], time: '23:30' }, '2026-01-05T00:00:00Z', 'Pacific/Auckland'),
    '2026-01-11T10:30:00.000Z',
  );
});

test('the time of day stays when the clocks are moved', () => {
  assert.is(next({ weekdays: all, time: '07:00' }, '2026-03-28T06:00:00Z'), '2026-03-29T05:00:00.000Z');
  assert.is(next({ weekdays: all, time: '07:00' }, '2026-10-24T05:00:00Z'), '2026-10-25T06:00:00.000Z');
});

test('a time that is skipped is the first one after it, and of two the first (WK-20)', () => {
  assert.is(next({ weekdays: all, time: '02:30' }, '2026-03-28T12:00:00Z'), '2026-03-29T01:00:00.000Z');
  assert.is(next({ weekdays: all, time: '02:30' }, '2026-10-24T12:00:00Z'), '2026-10-25T00:30:00.000Z');
  // The second half past two of that night is none of this rule.
  assert.is(next({ weekdays: all, time: '02:30' }, '2026-10-25T00:30:00Z'), '2026-10-26T01:30:00.000Z');
  assert.is(
    next({ weekdays: all, time: '00:15' }, '2026-09-05T12:00:00Z', 'America/Santiago'),
    '2026-09-06T04:00:00.000Z',
  );
});

test('a day begins at midnight, or at the first moment after it', () => {
  assert.is(
    new Date(dayBegin(Date.parse('2026-09-06T12:00:00Z'), 'America/Santiago')).toISOString(),
    '2026-09-06T04:00:00.000Z',
  );
  assert.is(new Date(dayBegin(Date.parse('2026-03-29T12:00:00Z'), zone)).toISOString(), '2026-03-28T23:00:00.000Z');
});

test('two years of a rule are days apart, each with the time on the clocks', () => {
  const rule = { weekdays: all, time: '03:00' };
  let at = Date.parse('2026-01-01T12:00:00Z');
  const shown = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  for (let day = 0; day < 730; day++) {
    const following = nextBy(rule, zone, at);
    assert.is(shown.format(following), '03:00');
    assert.ok(following - at <= 25 * 3_600_000, 'none is left out');
    at = following;
  }
});

test.run();
