/** Large feeds: what is kept while they come, and what of the past still matters. */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeFeed } from '../../api/calendar/decode-feed.ts';
import { feedFetcher } from '../../api/calendar/fetch-feed.ts';
import { feedSieve } from '../../api/calendar/sieve-feed.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import { fakeNetwork, withReceiver } from '../callbacks/receiver.ts';
import { handClock } from '../integration/integration-world.ts';
import { calendar, event, shown } from './world.ts';

const test = suite('the sieve of feeds');

const now = Date.parse('2026-03-27T12:00:00Z');
const mebibyte = 2 ** 20;

/** Returns the text that the sieve keeps of bytes that come in pieces of a length. */
function left(bytes: Buffer, length: number): string {
  const sieve = feedSieve(now);
  for (let at = 0; at < bytes.length; at += length) sieve.take(bytes.subarray(at, at + length));
  return decodeFeed(sieve.end());
}

const past = (number: number): string =>
  event(
    `UID:old${number}`,
    'DTSTART:20150105T080000Z',
    'DTEND:20150105T090000Z',
    `SUMMARY:Old ${number}`,
    `DESCRIPTION:${'x'.repeat(160)}`,
  );
const next = event('UID:1', 'DTSTART;VALUE=DATE:20260330', 'SUMMARY:Größe', 'DESCRIPTION:long', 'X-A:b');

test('the past and what nobody reads is left out, whatever the pieces, the line ends and the character set', () => {
  const text = calendar('X-WR-TIMEZONE:Europe/Berlin', past(1), next, past(2));
  const expected = calendar(
    'X-WR-TIMEZONE:Europe/Berlin',
    event('UID:1', 'DTSTART;VALUE=DATE:20260330', 'SUMMARY:Größe'),
  );
  for (const length of [1, 2, 3, 7, 100_000]) {
    assert.is(left(Buffer.from(text), length), expected, `${length}`);
    assert.is(left(Buffer.from(text.replaceAll('\r\n', '\n')), length), expected, `${length}, line feeds`);
    assert.is(left(Buffer.from(`\ufeff${text}`), length), `${expected}`, `${length}, marked`);
    assert.is(left(Buffer.from(`\ufeff${text}`, 'utf16le'), length), `\ufeff${expected}`, `${length}, wide`);
    assert.is(left(Buffer.from(text, 'utf16le').swap16(), length), `\ufeff${expected}`, `${length}, wide, big`);
    const folded = text.replaceAll(/(?<=[A-Z]{2})(?=[A-Z;:=])/g, '\r\n ');
    assert.is(left(Buffer.from(folded), length), expected, `${length}, folded`);
  }
});

test('a text that is not a calendar stays as it is', () => {
  for (const text of ['<html>\n<body>Sign in</body>\n', 'text', '', 'BEGIN:VCALENDAR\r\nVERSION:2.0'])
    assert.is(left(Buffer.from(text), 5).replaceAll('\r\n', '\n'), text.replaceAll('\r\n', '\n'), text);
});

test('series, moved times and late versions of the past still matter', async () => {
  const events = [
    event('UID:a', 'SUMMARY:Weekly', 'DTSTART:20150105T080000Z', 'RRULE:FREQ=WEEKLY'),
    event('UID:b', 'SUMMARY:Counted', 'DTSTART:20150105T080000Z', 'RRULE:FREQ=YEARLY;COUNT=90;BYMONTH=3;BYMONTHDAY=30'),
    event('UID:c', 'SUMMARY:Ended', 'DTSTART:20150105T080000Z', 'RRULE:FREQ=WEEKLY;UNTIL=20200101T000000Z'),
    event('UID:c', 'SUMMARY:Moved here', 'DTSTART:20260331T080000Z', 'RECURRENCE-ID:20150112T080000Z'),
    event('UID:d', 'SUMMARY:Dated', 'DTSTART:20150105T080000Z', 'RDATE:20260331T090000Z'),
    event('UID:e', 'SUMMARY:Was here', 'SEQUENCE:1', 'DTSTART:20260331T100000Z'),
    event('UID:e', 'SUMMARY:Moved away', 'SEQUENCE:2', 'DTSTART:20260101T100000Z'),
    event('UID:f', 'SUMMARY:Year', 'DTSTART:20251231T100000Z', 'DURATION:P365D'),
    event('UID:g', 'SUMMARY:Daily', 'DTSTART:20260320T060000Z', 'RRULE:FREQ=DAILY;UNTIL=20260328T060000Z'),
    event('UID:h', 'SUMMARY:From then on', 'DTSTART:20150112T060000Z', 'RRULE:FREQ=WEEKLY'),
    event('UID:h', 'SUMMARY:Later', 'DTSTART:20200106T070000Z', 'RECURRENCE-ID;RANGE=THISANDFUTURE:20200106T060000Z'),
    event('UID:i', 'SUMMARY:Left out once', 'DTSTART:20260105T050000Z', 'RRULE:FREQ=WEEKLY;UNTIL=20260330T050000Z'),
    event('UID:i', 'SUMMARY:Moved to the past', 'DTSTART:20260101T050000Z', 'RECURRENCE-ID:20260330T050000Z'),
  ];
  const text = calendar(past(1), ...events, past(2));
  const expected = await shown(text);
  assert.equal(await shown(left(Buffer.from(text), 1_000)), expected);
  assert.not.match(expected.join(), /Was here|Left out/);
  assert.match(expected.join(), /Counted.*Weekly.*Moved here/);
});

test('a feed of 19 MiB is read through the service’s own way, its past by pieces, and one of 21 MiB is refused', async () => {
  const body = Buffer.from(`${past(0)}\r\n`.repeat(1_000));
  await withReceiver(
    async ({ path }, response) => {
      const closed = once(response, 'close');
      response.writeHead(200).write('BEGIN:VCALENDAR\r\n');
      const most = (path === '/large' ? 21 : 19) * mebibyte;
      for (let sent = 0; sent < most - body.length && !response.destroyed; sent += body.length) {
        if (!response.write(body)) await Promise.race([once(response, 'drain'), closed]);
      }
      response.end(`${next}\r\nEND:VCALENDAR\r\n`);
    },
    async ({ port }) => {
      const fetchFeed = feedFetcher(
        openWayOut({ network: fakeNetwork(port, () => ['93.184.216.34']), clock: { ...handClock(), now: () => now } }),
      );
      const fetched = (path: string) =>
        fetchFeed([new URL(`http://a.example${path}`)], 0, { sharer: ['house'], signal: new AbortController().signal });
      const { text = '' } = await fetched('/feed');
      assert.ok(text.length < 1_000, `${text.length}`);
      assert.equal(await shown(text), ['Größe 2026-03-30/2026-03-31']);
      const { problem } = await fetched('/large');
      assert.equal(problem, { code: 'calendar-too-long', params: { most: 20 } });
    },
  );
});

test('events to come have a limit of their own, and one endless line costs no more than a part of it', () => {
  const sieve = feedSieve(now);
  const many = Buffer.from(`${next}\r\n`.repeat(10_000));
  assert.throws(
    () => {
      for (let times = 0; times < 20; times++) sieve.take(many);
    },
    (error: unknown) => error instanceof ReasonedError && error.reason.code === 'calendar-too-full',
  );
  const endless = feedSieve(now);
  endless.take(Buffer.from('BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:'));
  for (let times = 0; times < 200; times++) endless.take(Buffer.alloc(65_536, 'x'));
  endless.take(Buffer.from('\r\nUID:1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'));
  const rest = endless.end();
  assert.ok(rest.length < 2 * mebibyte, `${rest.length}`);
  assert.match(rest.subarray(-60).toString(), /UID:1/);
});

test('a calendar that begins within an event that was left open is kept, whatever ended long ago', () => {
  const lines = ['BEGIN:VEVENT', 'BEGIN:VCALENDAR', 'DTSTART:20150105T080000Z', 'END:VEVENT', 'END:VCALENDAR'];
  assert.match(left(Buffer.from(lines.join('\r\n')), 7), /^BEGIN:VCALENDAR\r$/m);
});

test('a piece takes little time, however long the line that it belongs to', () => {
  for (const lines of ['x'.repeat(70), 'UID:1\r\n', ' fold\r\n', '=\r\n', 'BEGIN:VEVENT\r\n', 'END:VEVENT\r\n']) {
    const sieve = feedSieve(now);
    sieve.take(Buffer.from('BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY;ENCODING=QUOTED-PRINTABLE:'));
    const piece = Buffer.from(lines.repeat(Math.floor(65_536 / lines.length)));
    const { user: before } = process.cpuUsage();
    let taken = 0;
    try {
      for (; taken < 320; taken++) sieve.take(piece);
    } catch (error) {
      if (!(error instanceof ReasonedError)) throw error;
    }
    const each = (process.cpuUsage().user - before) / 1_000 / Math.max(1, taken);
    assert.ok(each < 40, `${JSON.stringify(lines.slice(0, 20))}: ${each} ms a piece`);
  }
});

test.run();
