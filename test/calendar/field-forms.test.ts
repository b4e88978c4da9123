/** Events in the forms that programs in the field write: versions, whole days as times, ends of days, odd zones. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expandFeed } from '../../api/calendar/expand-feed.ts';
import { wordsOf } from '../../reasons/words.ts';
import { patientClock } from './patient-clock.ts';
import { calendar, event, shown } from './world.ts';

const test = suite('forms of events in the field');

const version = (sequence: number | undefined, day: number, ...lines: string[]): string =>
  event(
    'UID:1',
    ...(sequence === undefined ? [] : [`SEQUENCE:${sequence}`]),
    ...[`DTSTART:202603${day}T090000Z`, 'SUMMARY:a', ...lines],
  );

test('A-26: of an event that comes twice the higher sequence counts, in whatever order', async () => {
  const moved = [version(0, 28), version(1, 30)];
  for (const told of [moved, moved.toReversed()]) assert.equal(await shown(calendar(...told)), ['a 2026-03-30T09:00Z']);
  assert.equal(await shown(calendar(version(undefined, 28), version(2, 30))), ['a 2026-03-30T09:00Z']);
  assert.equal(await shown(calendar(version(9, 28), version(10, 30))), ['a 2026-03-30T09:00Z']);
  for (const name of ['LAST-MODIFIED', 'DTSTAMP']) {
    const stamped = [version(3, 30, `${name}:20260202T000000Z`), version(3, 28, `${name}:20260101T000000Z`)];
    for (const told of [stamped, stamped.toReversed()]) {
      assert.equal(await shown(calendar(...told)), ['a 2026-03-30T09:00Z'], name);
    }
  }
});

test('A-26: writers who give one UID, or an empty one, to all their events lose none of them', async () => {
  const both = ['a 2026-03-28T09:00Z', 'a 2026-03-30T09:00Z'];
  assert.equal(await shown(calendar(version(undefined, 28), version(undefined, 30))), both);
  assert.equal(await shown(calendar(version(0, 28), version(0, 30))), both);
  const unnamed = [version(0, 28), version(1, 30)].map((told) => told.replace('UID:1', 'UID:'));
  assert.equal(await shown(calendar(...unnamed)), both);
});

test('A-26: what is called off goes: an event, an instance, a series with its instances, a whole file', async () => {
  const off = 'STATUS:CANCELLED';
  assert.equal(await shown(calendar(version(0, 28), version(1, 28, off))), []);
  assert.equal(await shown(calendar(version(1, 30, off), version(0, 28))), []);
  assert.equal(await shown(calendar(version(2, 28), version(1, 30, off))), ['a 2026-03-28T09:00Z']);
  for (const told of [
    [version(1, 28, off), version(1, 28)],
    [version(1, 28), version(1, 28, off)],
  ]) {
    assert.equal(await shown(calendar(...told)), []);
  }
  assert.equal(await shown(calendar('METHOD:CANCEL', version(0, 28))), []);
  assert.equal(await shown(calendar(version(0, 28), 'METHOD:PUBLISH')), ['a 2026-03-28T09:00Z']);
  assert.equal(await shown(calendar('METHOD:CANCEL', version(1, 28)) + calendar(version(0, 28))), []);
  const series = (sequence: number, ...lines: string[]): string =>
    version(sequence, 28, 'RRULE:FREQ=DAILY;COUNT=2', ...lines);
  const instance = (sequence: number, ...lines: string[]): string =>
    version(sequence, 29, 'RECURRENCE-ID:20260329T090000Z', ...lines);
  assert.equal(await shown(calendar(series(0), instance(1, off))), ['a 2026-03-28T09:00Z']);
  assert.equal(await shown(calendar(series(0), instance(1, off), instance(0, 'LOCATION:old'))), [
    'a 2026-03-28T09:00Z',
  ]);
  const twice = [
    instance(1, 'SUMMARY:b'),
    instance(2).replace('RECURRENCE-ID:20260329T090000Z', 'RECURRENCE-ID;TZID=Europe/Berlin:20260329T110000'),
  ];
  assert.equal(await shown(calendar(series(0), ...twice)), ['a 2026-03-28T09:00Z', 'a 2026-03-29T09:00Z']);
  assert.equal(await shown(calendar(series(2, off), instance(1), series(0))), []);
});

const zone = 'TZID=Europe/Berlin';
const mark = 'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE';

test('A-26: all-day events written as midnight to midnight last whole days, where they are marked so', async () => {
  const days = (...lines: string[]): Promise<string[]> => shown(calendar(event('UID:1', ...lines)));
  const one = ['2026-03-28/2026-03-29'];
  const times = [`DTSTART;${zone}:20260328T000000`, `DTEND;${zone}:20260329T000000`];
  for (const marked of [
    mark,
    'x-microsoft-cdo-alldayevent:true',
    'X-FUNAMBOL-ALLDAY:1',
    'X-FUNAMBOL-ALLDAY;X=Y:TRUE',
  ]) {
    assert.equal(await days(...times, marked), one, marked);
  }
  for (const unmarked of ['X-MICROSOFT-CDO-ALLDAYEVENT:FALSE', 'X-FUNAMBOL-ALLDAY:0', 'X-OTHER:TRUE']) {
    assert.equal(await days(...times, unmarked), ['2026-03-27T23:00Z/2026-03-28T23:00Z'], unmarked);
  }
  const forms: Record<string, string[]> = {
    'of UTC': ['DTSTART:20260328T000000Z', 'DTEND:20260329T000000Z'],
    'of UTC at the midnights of the paper': ['DTSTART:20260327T230000Z', 'DTEND:20260328T230000Z'],
    floating: ['DTSTART:20260328T000000', 'DTEND:20260329T000000'],
    'of Tokyo': ['DTSTART;TZID=Tokyo Standard Time:20260328T000000', 'DTEND;TZID=Tokyo Standard Time:20260329T000000'],
    'a duration': [`DTSTART;${zone}:20260328T000000`, 'DURATION:P1D'],
    'no end': [`DTSTART;${zone}:20260328T000000`],
    'an end before midnight': [`DTSTART;${zone}:20260328T000000`, `DTEND;${zone}:20260328T235900`],
    'the end of the day': [`DTSTART;${zone}:20260328T000000`, `DTEND;${zone}:20260328T240000`],
  };
  for (const [form, lines] of Object.entries(forms)) assert.equal(await days(...lines, mark), one, form);
  // Over the change of clocks.
  const long = [`DTSTART;${zone}:20260328T000000`, `DTEND;${zone}:20260331T000000`, mark];
  assert.equal(await days(...long), ['2026-03-28/2026-03-31']);
  const afternoon = [`DTSTART;${zone}:20260328T140000`, `DTEND;${zone}:20260328T150000`, mark];
  assert.equal(await days(...afternoon), ['2026-03-28T13:00Z/2026-03-28T14:00Z']);
});

test('A-26: a series of whole days written as times keeps its exceptions, ends and moved instances', async () => {
  const daily = event(
    ...['UID:1', 'SUMMARY:s', 'DTSTART:20260327T230000Z', 'DTEND:20260328T230000Z', mark],
    ...['RRULE:FREQ=DAILY;UNTIL=20260331T220000Z', 'EXDATE:20260328T230000Z', 'RDATE:20260401T220000Z'],
  );
  const moved = event('UID:1', 'SUMMARY:m', 'RECURRENCE-ID:20260330T220000Z', `DTSTART;${zone}:20260331T140000`);
  assert.equal(await shown(calendar(daily, moved)), [
    's 2026-03-28/2026-03-29',
    's 2026-03-30/2026-03-31',
    'm 2026-03-31T12:00Z',
    's 2026-04-01/2026-04-02',
    's 2026-04-02/2026-04-03',
  ]);
});

test('A-26: dates and times that others take are taken', async () => {
  const one = (...lines: string[]): Promise<string[]> => shown(calendar(event('UID:1', ...lines)));
  assert.equal(await one(`DTSTART;${zone}:20260328T220000`, `DTEND;${zone}:20260328T240000`), [
    '2026-03-28T21:00Z/2026-03-28T23:00Z',
  ]);
  assert.equal(await one('DTSTART:20260328T240000Z'), ['2026-03-29T00:00Z']);
  assert.equal(await one('DTSTART:20260328T240001Z'), []);
  assert.equal(await one('DTSTART:20260328T250000Z'), []);
  const day = ['2026-03-28/2026-03-29'];
  assert.equal(await one('DTSTART:20260328', 'DTEND:20260329'), day);
  assert.equal(await one('DTSTART;VALUE=DATE:20260328T000000', 'DTEND;VALUE="DATE":20260329T000000'), day);
  for (const end of ['DTEND:20260328', 'DTEND;VALUE=DATE:20260326', 'DURATION:P1D', 'DURATION:PT0S']) {
    assert.equal(await one('DTSTART;VALUE=DATE:20260328', end), day, end);
  }
  assert.equal(await one('DTSTART:20260328T100000Z', 'DTEND:20260328T090000Z'), ['2026-03-28T10:00Z']);
  assert.equal(await one('DTSTART:20260328T100000Z', 'RRULE:FREQ=WEEKLY\\;COUNT=1\\;BYDAY=SA\\,SU'), [
    '2026-03-28T10:00Z',
  ]);
  assert.equal(await one('SUMMARY:a\\: b\\, \\"c\\" C:\\\\D', 'DTSTART:20260328T100000Z'), [
    'a: b, "c" C:\\D 2026-03-28T10:00Z',
  ]);
});

/** The time of UTC at which 9 o'clock in a zone is, on a day of winter and on one of summer. */
async function nine(zoneName: string, ...more: string[]): Promise<string> {
  const daily = event('UID:1', `DTSTART${zoneName && `;TZID=${zoneName}`}:20260327T090000`, 'RRULE:FREQ=DAILY');
  const found = await shown(calendar(...more, daily), {
    timeZone: 'Asia/Tokyo',
    at: Date.parse('2026-03-26T20:00:00Z'),
    dayRange: 3,
  });
  return [found[0], found.at(-1)].map((time) => time?.slice(11, 16)).join(' ');
}

test('A-26: a zone whose name is an offset is that offset, in summer too', async () => {
  for (const name of [
    'GMT+0100',
    'UTC+1',
    '+01:00',
    '"UTC+01:00"',
    'gmt +1',
    'UTC/GMT +01:00',
    '+0100',
    'UTC+1:00',
    'Etc/GMT-1',
  ]) {
    assert.is(await nine(name), '08:00 08:00', name);
  }
  assert.is(await nine('GMT-0530'), '14:30 14:30');
  for (const name of [
    'UTC',
    'Z',
    'GMT',
    'UTC+0',
    'GMT-00:00',
    'tzone://Microsoft/Utc',
    '(UTC) Coordinated Universal Time',
  ]) {
    assert.is(await nine(name), '09:00 09:00', name);
  }
});

test('A-26: zones are found behind paths and numbers, and a place is better known than a file declares it', async () => {
  const central = '08:00 07:00';
  for (const name of [
    '/freeassociation.sourceforge.net/Tzfile/Europe/Berlin',
    '/citadel.org/20260101_1/Europe/Berlin',
    '/Europe/Berlin',
    'W. Europe Standard Time 1',
  ]) {
    assert.is(await nine(name), central, name);
  }
  const wrong = (name: string): string[] => [
    ...['BEGIN:VTIMEZONE', `TZID:${name}`, 'BEGIN:STANDARD', 'DTSTART:19700101T000000'],
    ...['TZOFFSETFROM:-0500', 'TZOFFSETTO:-0500', 'END:STANDARD', 'END:VTIMEZONE'],
  ];
  for (const name of ['Europe/Berlin', '/freeassociation.sourceforge.net/Europe/Berlin']) {
    assert.is(await nine(name, ...wrong(name)), central, name);
  }
  assert.is(await nine('Office', ...wrong('Office')), '14:00 14:00');
  assert.is(await nine('GMT+0100', ...wrong('GMT+0100')), '14:00 14:00');
});

test('A-26: times without a zone are in the calendar’s zone, wherever that is named, else in the paper’s', async () => {
  const floating = event('UID:1', 'DTSTART:20260327T090000');
  const day = { timeZone: 'Asia/Tokyo', at: Date.parse('2026-03-26T20:00:00Z') };
  for (const name of ['X-WR-TIMEZONE', 'x-wr-timezone', 'TIMEZONE-ID']) {
    const line = `${name}:Europe/Berlin`;
    for (const lines of [
      [line, floating],
      [floating, line],
    ]) {
      assert.equal(await shown(calendar(...lines), day), ['2026-03-27T08:00Z'], name);
    }
  }
  assert.equal(await shown(calendar('X-WR-TIMEZONE:', floating), day), ['2026-03-27T00:00Z']);
  // Each calendar of a file has a zone of its own, and a time that names one keeps it.
  const second = event('UID:2', 'DTSTART:20260327T100000', `EXDATE:20260327T100000`, 'RRULE:FREQ=DAILY;COUNT=2');
  const third = event('UID:3', 'DTSTART;TZID=Europe/London:20260328T100000');
  const file = calendar('X-WR-TIMEZONE:Europe/Berlin', floating) + calendar('X-WR-TIMEZONE:UTC', second, third);
  assert.equal(await shown(file, day), ['2026-03-27T08:00Z', '2026-03-28T10:00Z', '2026-03-28T10:00Z']);
});

test('A-26: a guessed zone is reported where an event in it is shown', async () => {
  const guessed = async (...lines: string[]): Promise<string[]> => {
    const range = { at: Date.parse('2026-03-27T12:00:00Z'), dayRange: 7, timeZone: 'Europe/Berlin', maxEvents: 9 };
    const feed = await expandFeed(patientClock, calendar(event('UID:1', ...lines)), range);
    return feed.ok ? feed.guessed.map(({ zone: name, taken }) => `${name} as ${taken}`) : [wordsOf(feed.problem)];
  };
  assert.equal(await guessed('DTSTART;TZID=Villa Kunterbunt:20260328T090000'), ['Villa Kunterbunt as Europe/Berlin']);
  assert.equal(await guessed('DTSTART;TZID=(UTC-07:00) Nowhere:20260328T090000'), ['(UTC-07:00) Nowhere as UTC-07:00']);
  for (const sure of [
    'DTSTART;TZID=Europe/Berlin:20260328T090000',
    'DTSTART;TZID=GMT+0100:20260328T090000',
    'DTSTART;TZID=Villa Kunterbunt:20260328T090000Z',
    'DTSTART;TZID=Villa Kunterbunt;VALUE=DATE:20260328',
    'DTSTART;TZID=Villa Kunterbunt:20250328T090000',
    'DTSTART:20260328T090000',
  ]) {
    assert.equal(await guessed(sure), [], sure);
  }
});

test.run();
