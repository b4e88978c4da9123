import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays, localDate, startOfDate, wallClock } from '../../runtime/local-time.ts';

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

/** Returns the time that clocks in a zone show at a moment, asked again, as `2026-03-29, 00:30:00`. */
const shown = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium', timeZone }).format(at);
const shownAsUtc = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

test('what is remembered of a zone is what it would be asked, on both sides of a change to the second', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(1995, 0), max: Date.UTC(2040, 0) }), fc.constantFrom(...zones), (at, zone) =>
      assert.is(shownAsUtc(wallClock(at, zone)), shown(at, zone), zone),
    ),
    { numRuns: 3_000 },
  );
  const changes: [zone: string, at: string][] = [
    ['Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
    // A minute after midnight.
    ['America/St_Johns', '2010-11-07T02:31:00Z'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ];
  for (const [zone, change] of changes) {
    for (const shift of [-60_000, -1000, 0, 1000, 60_000]) {
      const at = Date.parse(change) + shift;
      assert.is(shownAsUtc(wallClock(at, zone)), shown(at, zone), `${zone} ${shift}`);
    }
    const jump = wallClock(Date.parse(change), zone) - wallClock(Date.parse(change) - 1000, zone);
    assert.is.not(jump, 1000, zone);
  }
});

test('a zone that nobody knows is an error', () => {
  assert.throws(() => localDate(0, 'Mars/Olympus'), /Mars\/Olympus is not a time zone/);
});

test.run();
