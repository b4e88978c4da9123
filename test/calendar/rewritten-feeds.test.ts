/** A feed that is written differently, within the law, yields the same events. */

import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeFeed } from '../../api/calendar/decode-feed.ts';
import { expandEvents } from '../../api/calendar/expand-events.ts';
import { joined, unpackedPieces } from '../../api/outgoing/unpack-body.ts';
import { longTest } from '../some-times.ts';

const test = suite('rewritten feeds');

type Line = {
  readonly name: string;
  readonly params?: readonly (readonly [string, string])[];
  readonly value: string;
  readonly isText?: boolean;
};
type Part = { readonly kind: string; readonly lines: readonly Line[]; readonly parts: readonly Part[] };

/** Letters that every character set of the test has, signs that are escaped, and a few that only Unicode has. */
const latin = 'abcXYZ 019.-_äöüßÄÖÜéñ€“;,\\:"\'!?%';
const word = (letters: string): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 30 }).map((all) => all.join(''));

const pad = (number: number, length = 2): string => String(number).padStart(length, '0');
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'W. Europe Standard Time',
  '(UTC+01:00) Amsterdam, Berlin',
  'House',
  'GMT+0100',
];

const timeOf = fc.record({
  day: fc.integer({ min: 1, max: 28 }),
  hour: fc.integer({ min: 0, max: 23 }),
  minute: fc.integer({ min: 0, max: 59 }),
  zone: fc.constantFrom('', 'Z', 'date', ...zones),
});

const eventOf = (letters: string): fc.Arbitrary<readonly Line[]> =>
  fc
    .record({
      start: timeOf,
      minutes: fc.integer({ min: 1, max: 3_000 }),
      summary: word(letters),
      location: fc.option(word(letters)),
      rule: fc.option(
        fc.constantFrom('FREQ=DAILY;COUNT=5', 'FREQ=WEEKLY;BYDAY=MO,TU', 'FREQ=DAILY;INTERVAL=2;UNTIL=20260401'),
      ),
      exception: fc.option(fc.integer({ min: 1, max: 4 })),
      mark: fc.constantFrom(undefined, 'X-MICROSOFT-CDO-ALLDAYEVENT', 'X-FUNAMBOL-ALLDAY'),
      status: fc.constantFrom(undefined, 'CONFIRMED', 'CANCELLED'),
    })
    .map(({ start, minutes, summary, location, rule, exception, mark, status }) => {
      const isDate = start.zone === 'date';
      const isMidnight = mark !== undefined && !isDate;
      const params = isDate
        ? ([['VALUE', 'DATE']] as const)
        : start.zone === '' || start.zone === 'Z'
          ? []
          : ([['TZID', start.zone]] as const);
      const time = (day: number): string =>
        isDate
          ? `202603${pad(day)}`
          : `202603${pad(day)}T${isMidnight ? '000000' : `${pad(start.hour)}${pad(start.minute)}00`}${start.zone === 'Z' ? 'Z' : ''}`;
      return [
        { name: 'DTSTART', params, value: time(start.day) },
        { name: 'DURATION', value: isDate || isMidnight ? 'P1D' : `PT${minutes}M` },
        { name: 'SUMMARY', value: summary, isText: true },
        ...(location === null
          ? []
          : [{ name: 'LOCATION', params: [['LANGUAGE', 'de']] as const, value: location, isText: true }]),
        ...(rule === null ? [] : [{ name: 'RRULE', value: rule }]),
        ...(exception === null || rule === null
          ? []
          : [{ name: 'EXDATE', params, value: time(Math.min(28, start.day + exception)) }]),
        ...(mark === undefined ? [] : [{ name: mark, value: 'TRUE' }]),
        ...(status === undefined ? [] : [{ name: 'STATUS', value: status }]),
        { name: 'DESCRIPTION', value: summary.repeat(4), isText: true },
        {
          name: 'ATTENDEE',
          params: [
            ['CN', 'A: b; c, d'],
            ['ROLE', 'CHAIR'],
          ],
          value: 'mailto:a@example.org',
        },
      ];
    });

const house: Part = {
  kind: 'VTIMEZONE',
  lines: [{ name: 'TZID', value: 'House', isText: true }],
  parts: (['STANDARD', 'DAYLIGHT'] as const).map((kind, index) => ({
    kind,
    lines: [
      { name: 'DTSTART', value: index === 0 ? '19701025T030000' : '19700329T020000' },
      { name: 'RRULE', value: `FREQ=YEARLY;BYDAY=-1SU;BYMONTH=${index === 0 ? 10 : 3}` },
      { name: 'TZOFFSETFROM', value: index === 0 ? '+0300' : '+0200' },
      { name: 'TZOFFSETTO', value: index === 0 ? '+0200' : '+0300' },
    ],
    parts: [],
  })),
};

const feedOf = (letters: string): fc.Arbitrary<Part> =>
  fc.array(eventOf(letters), { minLength: 1, maxLength: 6 }).chain((events) =>
    fc.array(fc.nat(2), { minLength: events.length, maxLength: events.length }).map((versions) => ({
      kind: 'VCALENDAR',
      lines: [
        { name: 'VERSION', value: '2.0' },
        { name: 'PRODID', value: '-//x//EN', isText: true },
        { name: 'X-WR-TIMEZONE', value: 'America/Chicago', isText: true },
      ],
      parts: [
        house,
        // Some events appear again, in later versions.
        ...events.flatMap((lines, uid) =>
          Array.from({ length: (versions[uid] ?? 0) + 1 }, (_, sequence) => ({
            kind: 'VEVENT',
            lines: [
              { name: 'UID', value: `${uid};x`, isText: true },
              { name: 'SEQUENCE', value: String(sequence) },
              ...lines.map((line) =>
                line.name === 'LOCATION' ? { ...line, value: `${line.value} ${sequence}` } : line,
              ),
            ],
            parts: [{ kind: 'VALARM', lines: [{ name: 'SUMMARY', value: 'no' }], parts: [] }],
          })),
        ),
      ],
    })),
  );

/** A stream of choices, which fast-check makes smaller when a test fails. */
type Choose = (most: number) => number;
const choices: fc.Arbitrary<Choose> = fc
  .infiniteStream(fc.nat(1_000_000))
  .map((stream) => (most) => (stream.next().value ?? 0) % (most + 1));

const shuffled = <Item>(items: readonly Item[], choose: Choose): Item[] => {
  const left = [...items];
  return items.flatMap(() => left.splice(choose(left.length - 1), 1));
};

const anyCase = (text: string, choose: Choose): string =>
  [text, text.toLowerCase(), text.replace(/[A-Z]/g, (letter, at) => (at % 2 === 0 ? letter : letter.toLowerCase()))][
    choose(2)
  ] ?? text;

/** Writes a value of text with the escapes that it needs, and where wished with others. */
function escapedText(value: string, choose: Choose): string {
  const isLavish = choose(1) === 1;
  return value.replace(/[^a-zA-Z0-9_ \u0080-\uffff]/g, (sign) =>
    isLavish || '\\;,'.includes(sign) ? `\\${sign}` : sign,
  );
}

function written({ kind, lines, parts }: Part, choose: Choose | undefined): string[] {
  const order = choose === undefined ? [...lines, ...parts] : shuffled([...lines, ...parts], choose);
  const name = (text: string): string => (choose === undefined ? text : anyCase(text, choose));
  return [
    `${name('BEGIN')}:${name(kind)}`,
    ...order.flatMap((item) => {
      if ('kind' in item) return written(item, choose);
      const own = item.params ?? [];
      const params = (choose === undefined ? own : shuffled(own, choose)).map(([key, value]) => {
        const isQuoted = /[:;,]/.test(value) || (choose !== undefined && choose(1) === 1);
        return `;${name(key)}=${isQuoted ? `"${value}"` : value}`;
      });
      const strange = choose !== undefined && choose(3) === 0 ? [';X-OTHER="a;TZID=b:c"'] : [];
      const value = item.isText === true ? escapedText(item.value, choose ?? (() => 0)) : item.value;
      return [`${name(item.name)}${[...strange, ...params].join('')}:${value}`];
    }),
    `${name('END')}:${name(kind)}${choose !== undefined && choose(3) === 0 ? '  ' : ''}`,
  ];
}

const charsets = ['utf-8', 'utf-8 by mark', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1252 undeclared'] as const;

/** Writes lines as bytes, folded anywhere, and the header that goes with them. */
function sent(
  lines: readonly string[],
  charset: (typeof charsets)[number],
  choose: Choose,
): { bytes: Buffer; type: string } {
  const end = ['\r\n', '\n', '\r'][choose(2)] ?? '';
  const isWide = charset.startsWith('utf-16');
  const encode = (text: string): Buffer => {
    if (charset.startsWith('utf-8')) return Buffer.from(text);
    if (isWide) return charset === 'utf-16le' ? Buffer.from(text, 'utf16le') : Buffer.from(text, 'utf16le').swap16();
    return Buffer.from(Array.from(text, (letter) => ({ '€': 0x80, '“': 0x93 })[letter] ?? letter.charCodeAt(0)));
  };
  const folded = lines.flatMap((line) => {
    const bytes = encode(line);
    const chunks: Buffer[] = [];
    const unit = isWide ? 2 : 1;
    for (let at = 0; at < bytes.length; ) {
      const next = at + (1 + choose(choose(5) === 0 ? 3 : 70)) * unit;
      if (at > 0) chunks.push(encode(end + ([' ', '\t'][choose(1)] ?? '')));
      chunks.push(bytes.subarray(at, next));
      at = next;
    }
    return [...chunks, encode(choose(9) === 0 ? end + end : end)];
  });
  const marks: Partial<Record<typeof charset, string>> = {
    'utf-8 by mark': '\ufeff',
    'utf-16le': '\ufeff',
    'utf-16be': '\ufeff',
  };
  const bytes = Buffer.concat([encode(marks[charset] ?? ''), ...folded]);
  const label =
    charset === 'windows-1252'
      ? ['windows-1252', '"ISO-8859-1"', 'Latin1'][choose(2)]
      : charset === 'utf-8'
        ? 'UTF-8'
        : undefined;
  return { bytes, type: label === undefined ? 'text/calendar' : `text/calendar; charset=${label}` };
}

const range = {
  from: '2026-03-05',
  to: '2026-04-04',
  timeZone: 'Europe/Berlin',
  maxEvents: 200,
  fromMs: Date.parse('2026-03-04T23:00:00Z'),
  toMs: Date.parse('2026-04-03T22:00:00Z'),
};

function eventsOf(text: string): string[] {
  const read = expandEvents({ text, ...range });
  if (!('events' in read) || read.events === undefined) throw new Error(String(read.problem));
  return read.events.map((event) => JSON.stringify(event)).sort();
}

longTest(test)(
  'A-26: folding, order, line ends, case, escapes, quotes, character set and compression change no event',
  async () => {
    let shown = 0;
    await fc.assert(
      fc.asyncProperty(
        fc
          .constantFrom(...charsets)
          .chain((charset) =>
            fc.tuple(fc.constant(charset), feedOf(charset.startsWith('utf') ? `${latin}中😀` : latin)),
          ),
        choices,
        async ([charset, feed], choose) => {
          // Ö and “ of windows-1252 are one letter of UTF-8: nothing shows which of the two was meant.
          fc.pre(charset !== 'windows-1252 undeclared' || !/[\u00c2-\u00f4][€“]/.test(written(feed, undefined).join()));
          const expected = eventsOf(`${written(feed, undefined).join('\r\n')}\r\n`);
          shown += expected.length;
          const { bytes, type } = sent(written(feed, choose), charset, choose);
          const isPacked = choose(1) !== 0;
          const pieces = Readable.from([isPacked ? gzipSync(bytes) : bytes]);
          const body = await joined(unpackedPieces(pieces, isPacked && choose(1) !== 0 ? 'gzip' : '', 1_000_000));
          assert.equal(eventsOf(decodeFeed(body, type)), expected);
        },
      ),
      { numRuns: 200, includeErrorInReport: true },
    );
    assert.ok(shown > 300, `${shown} events`);
  },
);

test.run();
