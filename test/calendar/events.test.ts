/** Events of calendars as feeds in the field write them: series, dates, moved times, zones, and what is broken. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FeedRange } from '../../api/calendar/expand-feed.ts';
import { calendar, event, shown } from './world.ts';

const test = suite('events of calendars');

test('A-26: days that a month or a year does not have are left out', async () => {
  const from = (date: string): Partial<FeedRange> => ({ at: Date.parse(`${date}T12:00:00Z`), dayRange: 100 });
  const monthly = calendar(event('UID:1', 'DTSTART;TZID=Europe/Berlin:20260131T100000', 'RRULE:FREQ=MONTHLY'));
  assert.equal(await shown(monthly, from('2026-02-25')), ['2026-03-31T08:00Z', '2026-05-31T08:00Z']);
  const birthday = calendar(event('UID:1', 'DTSTART;VALUE=DATE:20000229', 'RRULE:FREQ=YEARLY'));
  assert.equal(await shown(birthday, from('2026-02-20')), []);
  assert.equal(await shown(birthday, from('2028-02-20')), ['2028-02-29/2028-03-01']);
});

test('A-26: one time of a series is shown where it was moved to, however far, and not where it was', async () => {
  const series = event('UID:q', 'SUMMARY:s', 'DTSTART:20260302T090000Z', 'RRULE:FREQ=WEEKLY');
  const moved = (id: string, ...lines: string[]): string => event('UID:q', `RECURRENCE-ID${id}`, ...lines);
  const into = moved(':20260323T090000Z', 'SUMMARY:m', 'DTSTART:20260327T180000Z');
  assert.equal(await shown(calendar(series, into), { dayRange: 2 }), ['m 2026-03-27T18:00Z']);
  assert.equal(await shown(calendar(into, series)), ['m 2026-03-27T18:00Z', 's 2026-03-30T09:00Z']);
  const away = moved(';TZID=Europe/Berlin:20260330T110000', 'SUMMARY:m', 'DTSTART:20260601T180000Z');
  assert.equal(await shown(calendar(series, away)), []);
  const called = moved(':20260330T090000Z', 'DTSTART:20260330T090000Z', 'STATUS:CANCELLED');
  assert.equal(await shown(calendar(series, called)), []);
  const twice = [1, 2].map((sequence) =>
    moved(':20260323T090000Z', `SEQUENCE:${sequence}`, `SUMMARY:${sequence}`, `DTSTART:2026032${6 + sequence}T180000Z`),
  );
  assert.equal(await shown(calendar(series, ...twice.reverse()), { dayRange: 2 }), ['2 2026-03-28T18:00Z']);
});

test('A-26: RDATE adds times, dates and periods, and EXDATE takes away whatever added them', async () => {
  const berlin = 'TZID=Europe/Berlin';
  const dates = (...lines: string[]): Promise<string[]> => shown(calendar(event('UID:1', ...lines)));
  assert.equal(
    await dates(
      ...[`DTSTART;${berlin}:20260328T090000`, 'RRULE:FREQ=WEEKLY;COUNT=2', 'DURATION:PT1H'],
      ...[`RDATE;${berlin}:20260329T150000,20260330T150000`, `EXDATE;${berlin}:20260330T150000`],
    ),
    ['2026-03-28T08:00Z/2026-03-28T09:00Z', '2026-03-29T13:00Z/2026-03-29T14:00Z'],
  );
  assert.equal(await dates(`DTSTART;${berlin}:20260320T090000`, 'RDATE:20260401T120000Z'), ['2026-04-01T12:00Z']);
  assert.equal(await dates('DTSTART;VALUE=DATE:20260320', 'RDATE;VALUE=DATE:20260328,20260330'), [
    '2026-03-28/2026-03-29',
    '2026-03-30/2026-03-31',
  ]);
  assert.equal(
    await dates(
      'DTSTART:20260320T090000Z',
      'RDATE;VALUE=PERIOD:20260328T150000Z/PT2H,20260329T150000Z/20260329T153000Z',
    ),
    ['2026-03-28T15:00Z/2026-03-28T17:00Z', '2026-03-29T15:00Z/2026-03-29T15:30Z'],
  );
  const daily = ['DTSTART;VALUE=DATE:20260327', 'RRULE:FREQ=DAILY;UNTIL=20260331'];
  assert.equal(await dates(...daily, 'EXDATE;VALUE=DATE:20260328,20260329', 'EXDATE:20260330T000000'), [
    '2026-03-27/2026-03-28',
    '2026-03-31/2026-04-01',
  ]);
  assert.equal(await dates(`DTSTART;${berlin}:20260325T090000`, 'RRULE:FREQ=DAILY;UNTIL=20260329T070000Z'), [
    '2026-03-27T08:00Z',
    '2026-03-28T08:00Z',
    '2026-03-29T07:00Z',
  ]);
});

/** A zone as Outlook declares it: of central Europe, whatever its name is. */
const declared = (name: string): string[] => [
  'BEGIN:VTIMEZONE',
  `TZID:${name}`,
  'BEGIN:STANDARD',
  'DTSTART:16010101T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
];

test('A-26: a zone is what the feed declares it to be, else what its name says', async () => {
  const times = async (dtstart: string, ...zone: string[]): Promise<string> => {
    const daily = event('UID:1', `DTSTART;TZID=${dtstart}:20260320T090000`, 'RRULE:FREQ=DAILY');
    const found = await shown(calendar(...zone, daily), { timeZone: 'Asia/Tokyo', dayRange: 4 });
    return found.map((time) => time.slice(11, 16)).join(' ');
  };
  const central = '08:00 08:00 07:00 07:00';
  const names = ['Custom', 'Mitteleuropäische Zeit', '/freeassociation.sourceforge.net/Europe/Berlin', 'CET', 'EST'];
  for (const name of names) assert.is(await times(name, ...declared(name)), central, name);
  const comma = '(UTC+01:00) Amsterdam, Berlin, Bern';
  assert.is(await times(`"${comma}"`, ...declared(comma.replaceAll(',', '\\,'))), central);
  assert.is(await times(comma, ...declared(comma)), central);
  assert.is(
    await times('Fixed', ...declared('Fixed').slice(0, 6), 'END:STANDARD', 'END:VTIMEZONE'),
    central.slice(0, 5).padEnd(23, ' 08:00'),
  );
  for (const name of ['Europe/Berlin', 'europe/berlin', 'W. Europe Standard Time', '/x.org/1/Europe/Berlin']) {
    assert.is(await times(name), central, name);
  }
  // Of places the common knowledge is better than a declaration of one year.
  const once = declared('Europe/Berlin').filter((line) => !line.startsWith('RRULE'));
  assert.is(await times('Europe/Berlin', ...once), central);
  for (const name of ['Custom', 'Customized Time Zone', '/x.org/Nowhere', '__proto__']) {
    assert.is(await times(name), '00:00 00:00 00:00 00:00', name);
  }
});

test('A-26: zones are found as Outlook writes them, declared or not, quoted or not', async () => {
  const times = async (name: string, zone: string[] = [], timeZone = 'Asia/Tokyo'): Promise<string> => {
    const daily = event('UID:1', `DTSTART;TZID=${name}:20260320T090000`, 'RRULE:FREQ=DAILY');
    const found = await shown(calendar(...zone, daily), { timeZone, dayRange: 4 });
    return found.map((time) => time.slice(11, 16)).join(' ');
  };
  const central = '08:00 08:00 07:00 07:00';
  const cities = 'Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna';
  for (const name of [
    `(UTC+01:00) ${cities}`,
    `"(UTC+01:00) ${cities}"`,
    `(GMT+01.00) ${cities.replaceAll(', ', '/')}`,
    `"(GMT+01:00) ${cities.replaceAll(', ', ' / ')}"`,
    '(UTC+01:00) Amsterdam\\, Berlin\\, Bern\\, Rom\\, Stockholm\\, Wien',
    '(UTC+01:00) Sarajevo, Skopje, Warsaw, Zagreb',
    'W. Europe  standard time',
    'Amsterdam, Berlin, Bern',
  ]) {
    assert.is(await times(name), central, name);
  }
  const others: Record<string, string> = {
    '(UTC-05:00) Eastern Time (US & Canada)': '13:00 13:00 13:00 13:00',
    '"(UTC-08:00) Pacific Time (US & Canada)"': '16:00 16:00 16:00 16:00',
    '(UTC+00:00) Dublin, Edinburgh, Lisbon, London': '09:00 09:00 08:00 08:00',
    '(UTC) Coordinated Universal Time': '09:00 09:00 09:00 09:00',
    '(UTC-03:30) Newfoundland': '11:30 11:30 11:30 11:30',
    '(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi': '03:30 03:30 03:30 03:30',
    '(UTC+01:00) West Central Africa': '08:00 08:00 08:00 08:00',
    'tzone://Microsoft/Utc': '09:00 09:00 09:00 09:00',
  };
  for (const [name, expected] of Object.entries(others)) assert.is(await times(name), expected, name);
  // Of a zone with nothing but an offset, the paper's is the likeliest that has it: with summer time.
  assert.is(await times('(UTC+01:00) Irgendwo', [], 'Europe/Berlin'), central);
  assert.is(await times('(UTC+02:00) Irgendwo', [], 'Europe/Berlin'), '07:00 07:00 07:00 07:00');
  for (const [written, inEvent] of [
    ['"Customized Time Zone"', '"Customized Time Zone"'],
    ['"Customized Time Zone"', 'Customized Time Zone'],
    ['Customized Time Zone 1', '"customized time zone 1"'],
    ['tzone://Microsoft/Custom', 'tzone://Microsoft/Custom'],
    ['(UTC+01:00) Amsterdam\\, Berlin', '"(UTC+01:00) Amsterdam, Berlin"'],
    ['(UTC-05:00) Eastern Time (US & Canada)', '"(UTC-05:00) Eastern Time (US & Canada)"'],
    ['4', '4'],
  ] as const) {
    assert.is(await times(inEvent, declared(written)), central, written);
  }
});

test('A-26: what cannot be understood of an event costs that event only', async () => {
  const good = event('UID:good', 'SUMMARY:good', 'DTSTART:20260328T100000Z');
  const broken = [
    'RRULE:FREQ=NONSENSE',
    'RRULE:FREQ=WEEKLY;BYDAY=XX',
    'RRULE:',
    'RRULE:FREQ=DAILY;UNTIL=soon',
    'RRULE:FREQ=MONTHLY;RSCALE=CHINESE',
    'RRULE:FREQ=HOURLY;COUNT=1000000',
  ];
  for (const line of broken) {
    const bad = event('UID:bad', 'SUMMARY:bad', 'DTSTART:19000101T090000Z', line);
    assert.equal(await shown(calendar(bad, good)), ['good 2026-03-28T10:00Z'], line);
  }
  const odd = [
    event('UID:1', 'RRULE:FREQ=DAILY', 'SUMMARY:no start'),
    event('UID:2', 'DTSTART:garbage', 'SUMMARY:no time'),
    event('UID:3', 'DTSTART;VALUE=DATE:20260230', 'SUMMARY:no date'),
    event('UID:4', 'BEGIN:VALARM', 'SUMMARY:alarm', 'DTSTART:20260328T080000Z', 'no property at all', ':', ';x'),
    'END:VTODO',
    event('UID:5', 'SUMMARY:rule', 'DTSTART:20260328T090000Z', 'RRULE:RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=OMIT'),
  ];
  assert.equal(await shown(calendar(...odd, good)), ['rule 2026-03-28T09:00Z', 'good 2026-03-28T10:00Z']);
});

test('a whole day stands where it begins at the place of the frame, also where there is room for one event alone', async () => {
  const lines = ['DTSTART;VALUE=DATE:20260329', 'SUMMARY:tomorrow'];
  const text = calendar(event('UID:1', ...lines), event('UID:2', 'DTSTART:20260329T010000Z', 'SUMMARY:tonight'));
  const range = { at: Date.parse('2026-03-28T20:00:00Z'), dayRange: 2, timeZone: 'America/Toronto' };
  assert.equal(await shown(text, { ...range, maxEvents: 1 }), ['tonight 2026-03-29T01:00Z']);
  assert.equal(await shown(text, range), ['tonight 2026-03-29T01:00Z', 'tomorrow 2026-03-29/2026-03-30']);
});

test('names in lower case, other ends of lines and a mark at the beginning are read', async () => {
  const text = calendar(
    'begin:vevent',
    'uid:1',
    'dtstart;tzid=Europe/Berlin:20260328T090000',
    'summary:a\\,\\nb',
    'end:vevent',
  );
  for (const variant of [text, `\uFEFF${text}`, text.replaceAll('\r\n', '\n'), text.replaceAll('\r\n', '\r')]) {
    assert.equal(await shown(variant), ['a, b 2026-03-28T08:00Z'], JSON.stringify(variant.slice(0, 40)));
  }
});

test('zones by the names of Windows are where CLDR says that they are, whose regions have moved', async () => {
  const at = async (zone: string): Promise<string[]> =>
    shown(calendar(event('UID:z', 'SUMMARY:z', `DTSTART;TZID=${zone}:20260328T090000`)));
  assert.equal(await at('Mountain Standard Time (Mexico)'), ['z 2026-03-28T16:00Z']);
  assert.equal(await at('Central Asia Standard Time'), ['z 2026-03-28T03:00Z']);
  assert.equal(await at('"Tokyo  standard time"'), ['z 2026-03-28T00:00Z']);
});

test('T-53: a calendar of the size that is promised is read, and its few coming events are found', async () => {
  const pad = (number: number): string => String(number).padStart(2, '0');
  const many = Array.from({ length: 12_000 }, (_, index) => {
    const date = `20${pad(10 + (index % 16))}${pad(1 + (index % 12))}${pad(1 + (index % 28))}`;
    const times = ['DTSTART', 'DTEND'].map(
      (name, hour) => `${name};TZID=Europe/Berlin:${date}T1${hour}00${pad(index % 60)}`,
    );
    return event(`UID:${index}`, ...times, `SUMMARY:${index}`, `DESCRIPTION:${'x'.repeat(170)}`);
  });
  const text = calendar(...many, event('UID:x', 'SUMMARY:coming', 'DTSTART:20260328T100000Z'));
  assert.ok(text.length > 3.5 * 1024 * 1024 && text.length < 4 * 1024 * 1024, String(text.length));
  assert.equal(await shown(text), ['coming 2026-03-28T10:00Z']);
});

test.run();
