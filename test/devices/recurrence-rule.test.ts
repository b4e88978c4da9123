/** Rules of update windows, compared with their meaning for each day. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RuleProblem, readWindowRule } from '../../api/devices/recurrence-rule.ts';
import { openingDays } from '../../gateway/frames/update-windows.ts';
import { zoneOffset } from '../../runtime/local-time.ts';
import { momentOfWallClock } from '../../runtime/wall-clock.ts';

const test = suite('rules of update windows');

const dayMs = 86_400_000;

/** When a rule opens within some days from its beginning, as ISO times. */
function opens(text: string, days: number, timeZone = 'Europe/Berlin'): string[] {
  const rule = readWindowRule(text, timeZone, undefined);
  return [...openingDays(rule, rule.firstDay - 40, rule.firstDay + days)].map((day) =>
    new Date(momentOfWallClock(day * dayMs + rule.startMinutes * 60_000, zoneOffset(rule.timeZone))).toISOString(),
  );
}

/** The same by the meaning of its parts for each day, read from the text again. */
function opensByDefinition(text: string, days: number): string[] {
  const [, timeZone = '', date = '', hour = '', minute = ''] =
    /^DTSTART;TZID=(.*):(\d{8})T(\d\d)(\d\d)00\n/.exec(text) ?? [];
  const part = (name: string): string | undefined => new RegExp(`[:;]${name}=([^;]*)`).exec(text)?.[1];
  const midnight = (written: string): number => Date.parse(written.replace(/^(....)(..)(..).*$/, '$1-$2-$3'));
  const [first, interval] = [midnight(date), Number(part('INTERVAL'))];
  const [weekdays, monthDays] = ['BYDAY', 'BYMONTHDAY'].map((name) => part(name)?.split(','));
  const weekStart = names.indexOf(part('WKST') ?? 'MO');
  const numbersOf = (at: number) => {
    const [year, month, day] = [new Date(at).getUTCFullYear(), new Date(at).getUTCMonth(), new Date(at).getUTCDate()];
    const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    const week = Math.floor((at / dayMs + 3 - weekStart) / 7);
    return {
      month: year * 12 + month,
      day,
      fromEnd: day - length - 1,
      week,
      weekday: names[(at / dayMs + 3) % 7] ?? '',
    };
  };
  const begins = numbersOf(first);
  const isNamed = (at: number): boolean => {
    const { month, day, fromEnd, week, weekday } = numbersOf(at);
    const frequency = part('FREQ');
    const passed = { DAILY: (at - first) / dayMs, WEEKLY: week - begins.week, MONTHLY: month - begins.month };
    if (passed[frequency as keyof typeof passed] % interval !== 0) return false;
    if (monthDays !== undefined) return monthDays.some((of) => Number(of) === day || Number(of) === fromEnd);
    if (weekdays === undefined) {
      return frequency === 'DAILY' || (frequency === 'WEEKLY' ? weekday === begins.weekday : day === begins.day);
    }
    return weekdays.some((of) => {
      const nth = Number(of.slice(0, -2));
      const counted = nth < 0 ? -Math.ceil(-fromEnd / 7) : Math.ceil(day / 7);
      return of.endsWith(weekday) && (nth === 0 || nth === counted);
    });
  };
  const moment = (at: number): number =>
    momentOfWallClock(at + (Number(hour) * 60 + Number(minute)) * 60_000, zoneOffset(timeZone));
  const until = part('UNTIL')?.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
  return Array.from({ length: days + 2 }, (_, later) => first + later * dayMs)
    .filter(isNamed)
    .slice(0, Number(part('COUNT') ?? Infinity))
    .map(moment)
    .filter((at) => until === undefined || at <= Date.parse(until))
    .map((at) => new Date(at).toISOString());
}

const days = 500;
const pad = (number: number): string => String(number).padStart(2, '0');
const names = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** A rule that some calendar might write. */
const anyRule = fc
  .record({
    zone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'),
    first: fc.integer({ min: 0, max: 1_500 }).map((later) => new Date(Date.UTC(2024, 0, 1) + later * 86_400_000)),
    hour: fc.integer({ min: 4, max: 22 }),
    frequency: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY'),
    interval: fc.integer({ min: 1, max: 4 }),
    weekdays: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 4 }),
    nth: fc.constantFrom('', '1', '-1', '2', '+3', '-2'),
    monthDays: fc.uniqueArray(fc.constantFrom(1, 2, 15, 28, 29, 30, 31, -1, -3), { maxLength: 3 }),
    weekStart: fc.constantFrom('', 'MO', 'SU', 'WE'),
    end: fc.constantFrom('', 'COUNT', 'UNTIL'),
    times: fc.integer({ min: 1, max: 30 }),
  })
  .map(({ zone, first, hour, frequency, interval, weekdays, nth, monthDays, weekStart, end, times }) => {
    const date = first.toISOString().slice(0, 10).replaceAll('-', '');
    const own = (first.getUTCDay() + 6) % 7;
    const isMonthly = frequency === 'MONTHLY';
    const lists = isMonthly && nth === '' && monthDays.length > 0 ? `;BYMONTHDAY=${monthDays.join(',')}` : '';
    const those =
      weekdays.length === 0 || lists !== '' ? [] : [...new Set(hour % 2 === 0 ? weekdays : [own, ...weekdays])];
    const byDay = those.map((day) => (isMonthly ? nth : '') + names[day]).join(',');
    const until = new Date(first.getTime() + times * 9 * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
    const ends = end === 'COUNT' ? `;COUNT=${times}` : end === 'UNTIL' ? `;UNTIL=${until}T120000Z` : '';
    return (
      `DTSTART;TZID=${zone}:${date}T${pad(hour)}3000\nRRULE:FREQ=${frequency};INTERVAL=${interval}` +
      `${byDay === '' ? '' : `;BYDAY=${byDay}`}${lists}${weekStart === '' ? '' : `;WKST=${weekStart}`}${ends}`
    );
  });

/** Rules whose COUNT reaches further than ten years are refused: of the 31st of every third month, 22 do. */
function reachesTooFar(text: string): boolean {
  try {
    readWindowRule(text, 'UTC', undefined);
    return false;
  } catch (error) {
    return error instanceof RuleProblem && error.message === 'COUNT reaches further than ten years';
  }
}

test('C-59: whatever days, weeks and months a rule names, a window opens on those and no others', () => {
  fc.assert(
    fc.property(anyRule, (text) => {
      fc.pre(!reachesTooFar(text));
      const ours = opens(text, days);
      const horizon = (readWindowRule(text, 'UTC', undefined).firstDay + days - 2) * dayMs;
      const within = (times: readonly string[]) => times.filter((time) => Date.parse(time) < horizon);
      assert.equal(within(ours), within(opensByDefinition(text, days)), text);
    }),
    { numRuns: 100 },
  );
});

test('C-59: a day that a month does not have is left out', () => {
  const start = (day: string) => `DTSTART;TZID=Europe/Berlin:${day}T080000\nRRULE:FREQ=MONTHLY`;
  const months = (day: string) => opens(start(day), 100).map((time) => time.slice(5, 10));
  assert.equal(months('20290129'), ['01-29', '03-29', '04-29']);
  assert.equal(months('20260131'), ['01-31', '03-31']);
  const lasts = `${start('20250131')};INTERVAL=2;BYMONTHDAY=29,31`;
  assert.equal(
    opens(lasts, 250).map((time) => time.slice(5, 10)),
    ['01-31', '03-29', '03-31', '05-29', '05-31', '07-29', '07-31', '09-29'],
  );
  assert.equal(months('20280129'), ['01-29', '02-29', '03-29', '04-29']);
});

test('C-59: a start is read with its zone, without one, in UTC, as a date, or taken from elsewhere', () => {
  const daily = 'RRULE:FREQ=DAILY;COUNT=1';
  const cases: [dtstart: string, at: string][] = [
    ['DTSTART;TZID=America/New_York:20260601T080000', '2026-06-01T12:00:00.000Z'],
    ['dtstart;tzid=America/New_York;value=date-time:20260601T080000', '2026-06-01T12:00:00.000Z'],
    ['DTSTART:20260601T080000', '2026-06-01T06:00:00.000Z'],
    ['DTSTART:20260601T080000Z', '2026-06-01T08:00:00.000Z'],
    ['DTSTART;VALUE=DATE:20260601', '2026-05-31T22:00:00.000Z'],
  ];
  for (const [dtstart, at] of cases) assert.equal(opens(`${dtstart}\r\n${daily};`, 9), [at], dtstart);
  const elsewhere = { timeZone: 'Europe/Berlin', firstDay: 20_605, startMinutes: 480 };
  for (const alone of ['FREQ=WEEKLY', 'RRULE:FREQ=WEEKLY', 'rrule:freq=weekly']) {
    const weekly = readWindowRule(alone, 'Europe/Berlin', elsewhere);
    assert.equal([weekly.firstDay, weekly.startMinutes], [20_605, 480]);
    // 1 June 2026 was a Monday.
    assert.equal([...openingDays(weekly, 20_600, 20_620)], [20_605, 20_612, 20_619]);
  }
});

test('C-59: a rule ends on the day of its last time, whichever way it says so', () => {
  const start = 'DTSTART;TZID=Europe/Berlin:20260601T080000\nRRULE:FREQ=DAILY';
  const last = (end: string) => opens(`${start};${end}`, 30).at(-1);
  assert.is(last('COUNT=5'), '2026-06-05T06:00:00.000Z');
  assert.is(last('UNTIL=20260605'), '2026-06-05T06:00:00.000Z');
  assert.is(last('UNTIL=20260605T060000Z'), '2026-06-05T06:00:00.000Z');
  assert.is(last('UNTIL=20260605T055900Z'), '2026-06-04T06:00:00.000Z');
  assert.is(last('UNTIL=20260605T080000'), '2026-06-05T06:00:00.000Z');
  assert.is(last('UNTIL=20260605T075900'), '2026-06-04T06:00:00.000Z');
  assert.is(last('UNTIL=20260531'), undefined);
  assert.is(last('INTERVAL=7;COUNT=3'), '2026-06-15T06:00:00.000Z');
});

test('C-59: what cannot be kept is refused in words, at once', () => {
  const dtstart = 'DTSTART;TZID=Europe/Berlin:20260601T080000\n';
  const wrong: [text: string, problem: RegExp][] = [
    ['not an rrule', /^NOT AN RRULE is not understood, only FREQ/],
    ['', /has no RRULE/],
    [dtstart, /has no RRULE/],
    ['FREQ=DAILY', /no DTSTART, and there is no startsAt/],
    [`${dtstart}${dtstart}RRULE:FREQ=DAILY`, /more than one DTSTART and one RRULE/],
    [`${dtstart}RRULE:FREQ=DAILY\nEXDATE:20260602T080000`, /more than one/],
    [`${dtstart}FREQ=SECONDLY`, /DAILY, WEEKLY or MONTHLY/],
    [`${dtstart}FREQ=YEARLY`, /DAILY, WEEKLY or MONTHLY/],
    [`${dtstart}INTERVAL=2`, /DAILY, WEEKLY or MONTHLY/],
    [`${dtstart}FREQ=DAILY;BYSETPOS=1`, /^BYSETPOS is not understood/],
    [`${dtstart}FREQ=DAILY;BYHOUR=1,2,3`, /^BYHOUR is not understood/],
    [`${dtstart}FREQ=DAILY;INTERVAL=0`, /INTERVAL is to be 1 to 1000/],
    [`${dtstart}FREQ=DAILY;INTERVAL=-1`, /INTERVAL is/],
    [`${dtstart}FREQ=DAILY;INTERVAL`, /INTERVAL is/],
    [`${dtstart}FREQ=DAILY;COUNT=1001`, /COUNT is/],
    [`${dtstart}FREQ=DAILY;COUNT=2;UNTIL=20270101`, /COUNT does not go with UNTIL/],
    [`${dtstart}FREQ=DAILY;UNTIL=20261301`, /UNTIL is not a time/],
    [`${dtstart}FREQ=DAILY;BYDAY=XX`, /BYDAY is to hold weekdays/],
    [`${dtstart}FREQ=WEEKLY;BYDAY=1MO`, /goes with MONTHLY only/],
    [`${dtstart}FREQ=WEEKLY;BYMONTHDAY=1`, /does not go with WEEKLY/],
    [`${dtstart}FREQ=MONTHLY;BYMONTHDAY=32`, /BYMONTHDAY is/],
    [`${dtstart}FREQ=MONTHLY;BYMONTHDAY=0`, /BYMONTHDAY is/],
    [`${dtstart}FREQ=DAILY;WKST=XX`, /WKST is to be a weekday/],
    // Never, by any count: the 31st of a month, every twelve months from a February on.
    ['DTSTART:20260201T080000\nFREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31;COUNT=2', /further than ten years/],
    ['DTSTART;TZID=Mars/Olympus:20260601T080000\nFREQ=DAILY', /a time zone that is not known/],
    ['DTSTART;X-OWN=1:20260601T080000\nFREQ=DAILY', /options besides TZID/],
    ['DTSTART:20260230T080000\nFREQ=DAILY', /DTSTART is not a time/],
    ['DTSTART:20260601T250000\nFREQ=DAILY', /DTSTART is not a time/],
    ['DTSTART:yesterday\nFREQ=DAILY', /DTSTART is not a time/],
    ['DTSTART:19991231T080000\nFREQ=DAILY', /beyond the years 2000 to 2100/],
    ['DTSTART:21010101T080000\nFREQ=DAILY', /beyond the years 2000 to 2100/],
    [`${dtstart}FREQ=DAILY${';'.repeat(500)}`, /longer than 500 characters/],
  ];
  for (const [text, problem] of wrong) {
    assert.throws(
      () => readWindowRule(text, 'Europe/Berlin', undefined),
      (error: unknown) => error instanceof RuleProblem && problem.test(error.message),
      text,
    );
  }
});

test.run();
