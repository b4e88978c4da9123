/** Answers of sources as variables, by their media types and their beginnings. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnswerFormat, readAnswer, UnreadableAnswer, variablesOf } from '../../api/recipes/answers/read-answer.ts';

const test = suite('answers as variables');

const place = { now: Date.parse('2026-11-28T10:00:00Z'), timeZone: 'Europe/Berlin' };

const read = (text: string | Buffer, contentType = ''): ReturnType<typeof readAnswer> =>
  readAnswer({ bytes: Buffer.isBuffer(text) ? text : Buffer.from(text), contentType }, place);

/** The variables as JSON keeps them: it is what templates get. */
const variables = (text: string | Buffer, contentType = ''): unknown =>
  JSON.parse(JSON.stringify(read(text, contentType).variables));

function refusal(text: string | Buffer, contentType = ''): string {
  try {
    read(text, contentType);
    return 'read';
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error;
    return `${error.code} ${error.format}`;
  }
}

test('RC-11, RC-12: an object stands at the root, a list and every other value below data', () => {
  assert.equal(variables('{"a":1,"b":{"c":[2.5]}}', 'application/json'), { a: 1, b: { c: [2.5] } });
  assert.equal(variables('[1,{"a":2}]', 'application/json'), { data: [1, { a: 2 }] });
  assert.equal(variables('"text"', 'application/json'), { data: 'text' });
  assert.equal(variables('null', 'application/json'), { data: null });
  assert.equal(variables('\uFEFF{"a":1}', 'application/json'), { a: 1 });
});

test('RC-13: several answers stand under their numbers, and nothing at the root', () => {
  assert.equal(variablesOf([{ a: 1 }]), { a: 1 });
  assert.equal(variablesOf([{ a: 1 }, { data: [2] }, {}]), { IDX_0: { a: 1 }, IDX_1: { data: [2] }, IDX_2: {} });
});

test('RC-14 to RC-17: the media type says the format, and where it says none the beginning does', () => {
  const calendar = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n';
  const formats: readonly (readonly [text: string, contentType: string, format: AnswerFormat])[] = [
    ['{}', 'application/json; charset=utf-8', 'json'],
    ['{}', 'application/vnd.api+json', 'json'],
    ['{}', 'Application/GEO+JSON', 'json'],
    ['{}', 'text/json', 'json'],
    ['<a>1</a>', 'text/xml', 'xml'],
    ['<a>1</a>', 'application/xml;charset=utf-8', 'xml'],
    ['<rss><channel/></rss>', 'application/rss+xml', 'xml'],
    ['<feed>1</feed>', 'application/atom+xml', 'xml'],
    ['a,b\n1,2', 'text/csv', 'csv'],
    [calendar, 'text/calendar', 'icalendar'],
    ['  {"a":1}', 'text/plain', 'json'],
    ['[1]', 'text/html; charset=utf-8', 'json'],
    ['{"a":1}', '', 'json'],
    ['{"a":1}', 'application/octet-stream', 'json'],
    ['<?xml version="1.0"?><a>1</a>', 'text/plain', 'xml'],
    ['\n<rss><channel/></rss>', 'text/html', 'xml'],
    [calendar, 'text/plain', 'icalendar'],
    [calendar, 'application/octet-stream', 'icalendar'],
    ['hello', 'text/plain', 'text'],
    ['hello', '', 'text'],
    ['hello', 'image/png', 'text'],
    ['<!doctype html><p>hello', 'text/html', 'page'],
  ];
  for (const [text, contentType, format] of formats) assert.is(read(text, contentType).format, format, contentType);
  assert.equal(variables('hello\n', 'text/plain'), { data: 'hello\n' });
  assert.equal(variables('<p>hello', 'text/html'), { data: '<p>hello' });
});

test('a page that begins as JSON does and is none is not read as data', () => {
  assert.is(refusal('{ not json', 'text/plain'), 'answer-not-readable json');
  assert.is(refusal('', 'application/json'), 'answer-not-readable json');
  assert.is(refusal('<html>', 'application/json'), 'answer-not-readable json');
  assert.equal(variables('', 'text/plain'), { data: '' });
});

test('what is nested too deeply is refused before a parser goes down into it', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  assert.is(refusal(nested(32), 'application/json'), 'read');
  assert.is(refusal(nested(33), 'application/json'), 'answer-too-deep json');
  assert.is(refusal(nested(10_000), 'application/json'), 'answer-too-deep json');
  assert.is(refusal('{"a":'.repeat(10_000), 'application/json'), 'answer-too-deep json');
  assert.is(refusal(`["${'['.repeat(10_000)}\\"${'{'.repeat(99)}"]`, 'application/json'), 'read');
  assert.is(refusal(`${'<a>'.repeat(40)}x${'</a>'.repeat(40)}`, 'text/xml'), 'answer-too-deep xml');
  assert.match(refusal(`${'<a>'.repeat(10_000)}x${'</a>'.repeat(10_000)}`, 'text/xml'), /^answer-.* xml$/);
});

test('a string that does not end makes nobody wait', () => {
  const before = process.cpuUsage();
  assert.is(refusal(`["${'\\'.repeat(500_001)}`, 'application/json'), 'answer-not-readable json');
  assert.is(refusal(`${'"'.repeat(500_001)}`, 'application/json'), 'answer-not-readable json');
  assert.is(refusal(`[${'"a'.repeat(200_001)}`, 'application/json'), 'answer-not-readable json');
  const { user } = process.cpuUsage(before);
  assert.ok(user < 3_000_000, `${user} µs`);
});

test('names that JavaScript has are names like others', () => {
  assert.equal(Object.keys(Object(variables('{"__proto__":{"a":1},"b":2}', 'application/json'))), ['__proto__', 'b']);
  assert.match(refusal('<a><__proto__><b>1</b></__proto__></a>', 'text/xml'), /^(?:read|answer-not-readable xml)$/);
  assert.match(refusal('<a><constructor>1</constructor></a>', 'text/xml'), /^(?:read|answer-not-readable xml)$/);
  assert.is(({} as { b?: unknown }).b, undefined);
});

test('feeds in other character sets are read: as the header, the declaration or the calendar says', () => {
  const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
  const feed = '<a>Grüße</a>';
  assert.equal(variables(latin(`<?xml version="1.0" encoding="ISO-8859-1"?>${feed}`), 'text/xml'), { a: 'Grüße' });
  assert.equal(variables(latin(`<?xml version='1.0' encoding='windows-1252'?><a>5 \x80</a>`), 'text/xml'), {
    a: '5 €',
  });
  assert.equal(variables(latin(feed), 'text/xml; charset=iso-8859-1'), { a: 'Grüße' });
  assert.equal(
    variables(Buffer.from(`<?xml version="1.0" encoding="iso-8859-1"?>${feed}`), 'text/xml; charset=utf-8'),
    {
      a: 'Grüße',
    },
  );
  assert.equal(variables(latin('{"a":"Grüße"}'), 'application/json; charset="latin1"'), { a: 'Grüße' });
  assert.equal(variables(latin('Grüße'), 'text/plain; charset=nobody-knows-it'), { data: 'Grüße' });
  assert.equal(variables(latin('<rss><channel>Grüße</channel></rss>'), 'text/xml'), { rss: { channel: 'Grüße' } });
  assert.equal(variables(' a\n b', 'text/plain'), { data: ' a\n b' });
  assert.equal(variables(Buffer.from('{"a":"Grüße"}'), 'application/json'), { a: 'Grüße' });
  assert.equal(variables(Buffer.from('\uFEFF<?xml version="1.0" encoding="utf-16"?><a>ä</a>', 'utf16le'), 'text/xml'), {
    a: 'ä',
  });
});

test('RC-17: a table is a list of maps by its first row, whatever separates its fields', () => {
  const rows = {
    data: [
      { name: 'Hall', 'temp in': '19,5' },
      { name: 'A "B"', 'temp in': '' },
    ],
  };
  assert.equal(variables('name;temp in\nHall;19,5\n"A ""B""";\n', 'text/csv'), rows);
  assert.equal(variables('name\ttemp in\r\nHall\t19,5\r\nA "B"\t\r\n', 'text/csv'), rows);
  assert.equal(variables('\uFEFFname|temp in\nHall|19,5\n\nA "B"|', 'text/csv; charset=utf-8'), rows);
  assert.equal(variables('name,temp in\nHall,"19,5"\n"A ""B""",\n', 'application/csv'), rows);
  assert.equal(variables('a,b\n1\n1,2,3', 'text/csv'), { data: [{ a: '1' }, { a: '1', b: '2' }] });
  assert.equal(variables('"a\nb",c\n1,2', 'text/csv'), { data: [{ 'a\nb': '1', c: '2' }] });
  assert.equal(variables('alone\n1\n2', 'text/csv'), { data: [{ alone: '1' }, { alone: '2' }] });
  assert.equal(variables('', 'text/csv'), { data: [] });
});

test('RC-17: a calendar is its events, seven days back and thirty ahead', () => {
  const event = (begin: string, end: string, summary: string, more = 'TRANSP:OPAQUE'): string =>
    [
      'BEGIN:VEVENT',
      `UID:${summary}`,
      `DTSTART:${begin}`,
      `DTEND:${end}`,
      `SUMMARY:${summary}`,
      'LOCATION:Hall',
      more,
      'END:VEVENT',
    ].join('\r\n');
  const text = [
    'BEGIN:VCALENDAR',
    event('20261101T080000Z', '20261101T090000Z', 'long past'),
    event('20261127T080000Z', '20261127T093000Z', 'yesterday'),
    event('20261220T080000Z', '20261220T090000Z', 'soon', 'TRANSP:TRANSPARENT'),
    event('20270220T080000Z', '20270220T090000Z', 'far'),
    'END:VCALENDAR',
  ].join('\r\n');
  const { ical } = variables(text, 'text/calendar') as { ical: Record<string, string>[] };
  assert.equal(
    ical.map(({ SUMMARY }) => SUMMARY),
    ['yesterday', 'soon'],
  );
  assert.is(Date.parse(ical[0]?.DTSTART ?? ''), Date.parse('2026-11-27T08:00:00Z'));
  assert.is(Date.parse(ical[0]?.DTEND ?? ''), Date.parse('2026-11-27T09:30:00Z'));
  assert.is(ical[0]?.LOCATION, 'Hall');
  assert.equal([ical[0]?.TRANSP, ical[1]?.TRANSP], [undefined, 'TRANSPARENT']);
  assert.is(refusal('no calendar', 'text/calendar'), 'answer-not-readable icalendar');
});

test('JSON keeps a fraction of nought and the digits of large numbers', () => {
  assert.is(
    JSON.stringify(read('{"a":7.0,"b":7,"c":1e3,"d":0.1}', 'application/json').variables),
    '{"a":7.0,"b":7,"c":1000.0,"d":0.1}',
  );
});

test.run();
