/** Moments of UTC where whole days have dates: they mean the date at the place, as Outlook writes its midnight. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { calendar, event, shown } from './world.ts';

const test = suite('moments beside dates');

/** The begins of whole days, by their day in March or April, and of times in full. */
const daysOf = async (zone: string, ...lines: string[]): Promise<string> => {
  const all = await shown(calendar(event('UID:1', 'SUMMARY:A', ...lines)), { timeZone: zone, dayRange: 14 });
  return all.map((one) => one.replace(/^A 2026-0[34]-(\d\d)\/2026-0[34]-(\d\d)$/, '$1-$2')).join(' ');
};
const berlin = (...lines: string[]): Promise<string> => daysOf('Europe/Berlin', ...lines);
const newYork = (...lines: string[]): Promise<string> => daysOf('America/New_York', ...lines);
const day = 'DTSTART;VALUE=DATE:20260401';

test('the last day of a series is in, east and west of Greenwich', async () => {
  const until = (text: string): [string, string] => [day, `RRULE:FREQ=DAILY;UNTIL=${text}`];
  assert.is(await berlin(...until('20260402T220000Z')), '01-02 02-03 03-04');
  assert.is(await newYork(...until('20260403T040000Z')), '01-02 02-03 03-04');
  assert.is(await newYork(...until('20260404T035959Z')), '01-02 02-03 03-04');
  assert.is(await berlin(day, 'RRULE:FREQ=WEEKLY;UNTIL=20260407T220000Z'), '01-02 08-09');
  // The calendar's own zone goes before that of the paper.
  const text = calendar('X-WR-TIMEZONE:Europe/Berlin', event('UID:1', 'SUMMARY:A', ...until('20260402T220000Z')));
  assert.is((await shown(text, { timeZone: 'America/New_York', dayRange: 14 })).length, 3);
});

test('the first or last minute of a day of UTC is that day, wherever the paper is', async () => {
  for (const zone of ['Europe/Berlin', 'America/New_York', 'UTC', 'Asia/Tokyo']) {
    for (const text of ['20260403T000000Z', '20260403T235959Z', '20260403T235900Z', '20260403', '20260403T000000']) {
      assert.is(await daysOf(zone, day, `RRULE:FREQ=DAILY;UNTIL=${text}`), '01-02 02-03 03-04', `${zone} ${text}`);
    }
  }
});

test('days that are left out or added are those of the place', async () => {
  const three = [day, 'RRULE:FREQ=DAILY;COUNT=3'];
  assert.is(await berlin(...three, 'EXDATE:20260401T220000Z'), '01-02 03-04');
  assert.is(await newYork(...three, 'EXDATE:20260402T040000Z'), '01-02 03-04');
  assert.is(await berlin(...three, 'EXDATE:20260402T000000Z'), '01-02 03-04');
  assert.is(await berlin(...three, 'EXDATE;TZID=Europe/Berlin:20260402T000000'), '01-02 03-04');
  assert.is(await berlin(day, 'RDATE:20260404T220000Z'), '01-02 05-06');
  assert.is(await newYork(day, 'RDATE:20260405T040000Z'), '01-02 05-06');
});

test('a start and an end that are moments are dates of the place', async () => {
  assert.is(await berlin(day, 'DTEND:20260402T220000Z'), '01-03');
  assert.is(await newYork(day, 'DTEND:20260403T040000Z'), '01-03');
  assert.is(await berlin('DTSTART;VALUE=DATE:20260331T220000Z'), '01-02');
  assert.is(await newYork('DTSTART;VALUE=DATE:20260401T040000Z', 'DTEND;VALUE=DATE:20260402T040000Z'), '01-02');
});

test('a time of a series that is written by itself is named by a moment, and takes its place', async () => {
  for (const [zone, id] of [
    ['Europe/Berlin', '20260401T220000Z'],
    ['America/New_York', '20260402T040000Z'],
  ] as const) {
    const text = calendar(
      event('UID:1', 'SUMMARY:A', day, 'RRULE:FREQ=DAILY;COUNT=3'),
      event('UID:1', 'SUMMARY:B', `RECURRENCE-ID:${id}`, 'DTSTART;VALUE=DATE:20260405'),
    );
    assert.equal(
      (await shown(text, { timeZone: zone, dayRange: 14 })).map((one) => one.slice(0, 12)),
      ['A 2026-04-01', 'A 2026-04-03', 'B 2026-04-05'],
      zone,
    );
    const future = calendar(
      event('UID:1', 'SUMMARY:A', day, 'RRULE:FREQ=DAILY;COUNT=3'),
      event('UID:1', 'SUMMARY:B', `RECURRENCE-ID;RANGE=THISANDFUTURE:${id}`, 'DTSTART;VALUE=DATE:20260403'),
    );
    assert.equal(
      (await shown(future, { timeZone: zone, dayRange: 14 })).map((one) => one.slice(0, 12)),
      ['A 2026-04-01', 'B 2026-04-03', 'B 2026-04-04'],
      zone,
    );
  }
});

test('dates next to times mean that day of the series', async () => {
  const times = ['DTSTART;TZID=Europe/Berlin:20260401T090000', 'DURATION:PT0S', 'RRULE:FREQ=DAILY;UNTIL=20260403'];
  assert.is((await berlin(...times)).split('A ').length - 1, 3);
  assert.is((await berlin(...times, 'EXDATE;VALUE=DATE:20260402')).split('A ').length - 1, 2);
});

test.run();
