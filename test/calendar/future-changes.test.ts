/** RANGE=THISANDFUTURE (RFC 5545, 3.2.13): an event that changes a series from one of its times on. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest } from '../some-times.ts';
import { calendar, event, shown } from './world.ts';

const test = suite('series that are changed from a time on');

const berlin = 'TZID=Europe/Berlin';
const from = (id: string): string => `RECURRENCE-ID;RANGE=THISANDFUTURE;${id}`;

/** Mondays and Fridays at nine, for an hour; 27 March is a Friday, and clocks change on the 29th. */
const series = (...more: string[]): string =>
  event(
    ...['UID:s', 'SUMMARY:s', `DTSTART;${berlin}:20260302T090000`, `DTEND;${berlin}:20260302T100000`],
    ...(more.some((line) => line.startsWith('RRULE')) ? [] : ['RRULE:FREQ=WEEKLY;BYDAY=MO,FR']),
    ...more,
  );
/** From a time on at ten, for two hours, by another name. */
const later = (day: string, ...more: string[]): string =>
  event(
    ...['UID:s', 'SUMMARY:later', `${from(berlin)}:${day}T090000`, `DTSTART;${berlin}:${day}T100000`],
    ...['DURATION:PT2H', ...more],
  );
const twoWeeks = { dayRange: 14 };

test('A-26: this time and all later ones move as far, last as long and are called as the changed one', async () => {
  const expected = [
    's 2026-03-27T08:00Z/2026-03-27T09:00Z',
    'later 2026-03-30T08:00Z/2026-03-30T10:00Z',
    'later 2026-04-03T08:00Z/2026-04-03T10:00Z',
    'later 2026-04-06T08:00Z/2026-04-06T10:00Z',
  ];
  assert.equal(await shown(calendar(series(), later('20260330')), twoWeeks), expected);
  assert.equal(await shown(calendar(later('20260330'), series()), twoWeeks), expected, 'in whatever order');
  // Long before the days that are shown, and through a change of clocks.
  const early = await shown(calendar(series(), later('20260309')), twoWeeks);
  assert.equal(early, ['later 2026-03-27T09:00Z/2026-03-27T11:00Z', ...expected.slice(1)]);
  const quoted = later('20260309').replace('RANGE=THISANDFUTURE', 'RANGE="thisandfuture"');
  assert.equal(await shown(calendar(series(), quoted), twoWeeks), early);
});

test('A-26: a change names its time, and its new one, in UTC or by the date alone', async () => {
  const expected = ['later 2026-03-27T09:00Z/2026-03-27T11:00Z', 'later 2026-03-30T08:00Z/2026-03-30T10:00Z'];
  for (const [id, start] of [
    [':20260309T080000Z', `;${berlin}:20260309T100000`],
    [':20260309T080000Z', ':20260309T090000Z'],
    [';VALUE=DATE:20260309', `;${berlin}:20260309T100000`],
  ] as const) {
    const change = ['UID:s', 'SUMMARY:later', `RECURRENCE-ID;RANGE=THISANDFUTURE${id}`, `DTSTART${start}`];
    assert.equal(await shown(calendar(series(), event(...change, 'DURATION:PT2H'))), expected, `${id} ${start}`);
  }
});

test('A-26: a series moves to other days, into the days that are shown and out of them', async () => {
  const moved = (start: string, id = '20260309T090000'): Promise<string[]> =>
    shown(calendar(series(), event('UID:s', 'SUMMARY:m', `${from(berlin)}:${id}`, `DTSTART;${berlin}:${start}`)));
  // By a day; by a week and a half.
  assert.equal(await moved('20260310T090000'), ['m 2026-03-28T08:00Z', 'm 2026-03-31T07:00Z']);
  assert.equal(await moved('20260319T150000'), ['m 2026-03-30T13:00Z', 'm 2026-04-02T13:00Z']);
  assert.equal(await moved('20270309T090000'), []);
  assert.equal(
    await moved('20260329T023000', '20260330T090000'),
    ['s 2026-03-27T08:00Z/2026-03-27T09:00Z'].concat(['m 2026-03-29T01:30Z', 'm 2026-04-02T00:30Z']),
  );
});

test('A-26: a series goes on by the clocks of the zone that it moves to, for whole days, or at times of day', async () => {
  const newYork = event(
    'UID:s',
    'SUMMARY:ny',
    `${from(berlin)}:20260309T090000`,
    'DTSTART;TZID=America/New_York:20260309T090000',
  );
  assert.equal(await shown(calendar(series(), newYork)), ['ny 2026-03-27T13:00Z', 'ny 2026-03-30T13:00Z']);
  const wholeDays = event('UID:s', 'SUMMARY:d', `${from(berlin)}:20260309T090000`, 'DTSTART;VALUE=DATE:20260310');
  assert.equal(await shown(calendar(series(), wholeDays)), ['d 2026-03-28/2026-03-29', 'd 2026-03-31/2026-04-01']);
  const days = event('UID:s', 'SUMMARY:s', 'DTSTART;VALUE=DATE:20260302', 'RRULE:FREQ=WEEKLY;BYDAY=MO,FR');
  const timed = event('UID:s', 'SUMMARY:t', `${from('VALUE=DATE')}:20260330`, `DTSTART;${berlin}:20260330T183000`);
  assert.equal(await shown(calendar(days, timed)), ['s 2026-03-27/2026-03-28', 't 2026-03-30T16:30Z']);
});

test('A-26: each change counts from the times of the series, and the latest before a time is the one', async () => {
  const again = event('UID:s', 'SUMMARY:again', `${from(berlin)}:20260330T090000`, `DTSTART;${berlin}:20260330T080000`);
  assert.equal(await shown(calendar(again, series(), later('20260309')), twoWeeks), [
    'later 2026-03-27T09:00Z/2026-03-27T11:00Z',
    'again 2026-03-30T06:00Z',
    'again 2026-04-03T06:00Z',
    'again 2026-04-06T06:00Z',
  ]);
  const sequences = [1, 2].map((sequence) => later('20260309', `SEQUENCE:${sequence}`, `LOCATION:${sequence}`));
  const earlier = later('20260309', 'SEQUENCE:0').replace('T100000', 'T120000');
  assert.equal((await shown(calendar(series(), ...sequences, earlier))).length, 2);
  assert.match((await shown(calendar(series(), ...sequences, earlier)))[0] ?? '', /T09:00Z/);
});

test('A-26: single times after a change are written by themselves, at the times of the series', async () => {
  const one = (id: string, ...lines: string[]): string =>
    event('UID:s', 'SUMMARY:one', `RECURRENCE-ID;${berlin}:${id}T090000`, ...lines);
  const moved = one('20260330', `DTSTART;${berlin}:20260331T170000`);
  assert.equal(await shown(calendar(series(), later('20260309'), moved), twoWeeks), [
    'later 2026-03-27T09:00Z/2026-03-27T11:00Z',
    'one 2026-03-31T15:00Z',
    'later 2026-04-03T08:00Z/2026-04-03T10:00Z',
    'later 2026-04-06T08:00Z/2026-04-06T10:00Z',
  ]);
  const calledOff = one('20260330', `DTSTART;${berlin}:20260330T100000`, 'STATUS:CANCELLED');
  assert.equal(await shown(calendar(series(), later('20260330'), calledOff)), [
    's 2026-03-27T08:00Z/2026-03-27T09:00Z',
  ]);
});

test('A-26: dates that are taken away or added, and the end of the rule, are those of the series', async () => {
  const dates = (...lines: string[]): Promise<string[]> =>
    shown(calendar(series(...lines), later('20260309')), twoWeeks);
  const [first, second, third, fourth] = await dates();
  assert.equal(await dates(`EXDATE;${berlin}:20260330T090000`), [first, third, fourth]);
  assert.equal(await dates('EXDATE;VALUE=DATE:20260330,20260309'), [first, third, fourth]);
  assert.equal(await dates(`EXDATE;${berlin}:20260330T100000`), [first, second, third, fourth]);
  assert.equal(await dates(`RDATE;${berlin}:20260328T160000`), [
    first,
    'later 2026-03-28T16:00Z/2026-03-28T18:00Z',
    second,
    third,
    fourth,
  ]);
  assert.equal(await dates(`RDATE;VALUE=PERIOD;${berlin}:20260328T160000/PT5H`), [
    first,
    'later 2026-03-28T16:00Z/2026-03-28T18:00Z',
    second,
    third,
    fourth,
  ]);
  const ended = (rule: string): Promise<string[]> => dates(`RRULE:FREQ=WEEKLY;BYDAY=MO,FR;${rule}`);
  assert.equal(await ended('UNTIL=20260330T070000Z'), [first, second]);
  assert.equal(await ended('UNTIL=20260330T065959Z'), [first]);
  // 2, 6, 9, 13, 16, 20, 23, 27, 30
  assert.equal(await ended('COUNT=9'), [first, second]);
  assert.equal(await ended('COUNT=8'), [first]);
  assert.equal(await ended('UNTIL=20260301T070000Z'), []);
});

test('A-26: what is called off from a time on is not shown from then on', async () => {
  const off = (...lines: string[]): string =>
    event('UID:s', `${from(berlin)}:20260330T090000`, ...lines, 'STATUS:CANCELLED');
  const first = ['s 2026-03-27T08:00Z/2026-03-27T09:00Z'];
  assert.equal(await shown(calendar(series(), off(`DTSTART;${berlin}:20260330T090000`)), twoWeeks), first);
  assert.equal(await shown(calendar(series(), off()), twoWeeks), first, 'without a start of its own');
  const back = event('UID:s', 'SUMMARY:back', `${from(berlin)}:20260406T090000`, `DTSTART;${berlin}:20260406T090000`);
  assert.equal(await shown(calendar(series(), off(), back), twoWeeks), [...first, 'back 2026-04-06T07:00Z']);
});

test('A-26: a change without its series is the one event, and one of a single event changes that', async () => {
  assert.equal(await shown(calendar(later('20260330'))), ['later 2026-03-30T08:00Z/2026-03-30T10:00Z']);
  const once = event('UID:s', 'SUMMARY:once', `DTSTART;${berlin}:20260330T090000`);
  assert.equal(await shown(calendar(once, later('20260330'))), ['later 2026-03-30T08:00Z/2026-03-30T10:00Z']);
  const unreadable = event('UID:s', 'SUMMARY:s', 'DTSTART:soon', 'RRULE:FREQ=DAILY');
  assert.equal((await shown(calendar(unreadable, later('20260330')))).length, 1);
  const named = event('UID:s', 'SUMMARY:named', `${from(berlin)}:20260330T090000`);
  assert.equal(await shown(calendar(series(), named)), [
    's 2026-03-27T08:00Z/2026-03-27T09:00Z',
    'named 2026-03-30T07:00Z/2026-03-30T08:00Z',
  ]);
});

longTest(test)('T-53: a series with thousands of changes, or thousands of series with them, end in time', async () => {
  const changes = Array.from({ length: 6_000 }, (_, index) => {
    const day = new Date(Date.UTC(2000, 0, 1 + index)).toISOString().slice(0, 10).replaceAll('-', '');
    return event(
      'UID:s',
      `SUMMARY:${index}`,
      `${from('VALUE=DATE-TIME')}:${day}T090000Z`,
      `DTSTART:20260328T${day.slice(4)}00Z`,
    );
  });
  const daily = (index: number): string => {
    const start = new Date(Date.UTC(2000, 0, 1, 9, 0, index)).toISOString().replace(/[-:]|\.000/g, '');
    return event('UID:s', `SUMMARY:${index}`, `DTSTART:${start}`, 'RRULE:FREQ=DAILY;COUNT=9000');
  };
  for (const text of [
    calendar(daily(0), ...changes),
    calendar(...Array.from({ length: 6_000 }, (_, index) => daily(index)), ...changes),
    calendar(daily(0).replace('END:VEVENT', `RDATE:${'20010101T000000Z,'.repeat(50_000)}\r\nEND:VEVENT`), ...changes),
  ]) {
    const found = await shown(text);
    assert.ok(found.length <= 200, String(found.length));
  }
});

test.run();
