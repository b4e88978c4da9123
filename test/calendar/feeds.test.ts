/** Calendar feeds: what takes place when, what is refused, and what a hostile feed can do. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExpandedFeed, expandFeed, type FeedRange } from '../../api/calendar/expand-feed.ts';
import { calendarView, feedsOf } from '../../api/calendar/feed-list.ts';
import { type FeedCaller, type FetchedFeed, feedFetcher } from '../../api/calendar/fetch-feed.ts';
import { calendarReader } from '../../api/calendar/read-calendars.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { type FakeNetwork, fakeNetwork, withReceiver } from '../callbacks/receiver.ts';
import { until } from '../gateway/world.ts';
import { handClock } from '../integration/integration-world.ts';
import { longTest } from '../some-times.ts';
import { patientClock } from './patient-clock.ts';

const test = suite('calendar feeds');

const berlin: FeedRange = {
  at: Date.parse('2026-03-24T06:00:00Z'),
  dayRange: 21,
  timeZone: 'Europe/Berlin',
  maxEvents: 200,
};

/** A calendar of events, each a list of lines. */
const ics = (...events: string[][]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'])]
    .concat('END:VCALENDAR', '')
    .join('\r\n');

const expand = (text: string, range: Partial<FeedRange> = {}, clock: Clock = patientClock): Promise<ExpandedFeed> =>
  expandFeed(clock, text, { ...berlin, ...range });

const sharer: Sharer = ['house', 'view', 'paper'];
const caller: FeedCaller = { sharer, signal: new AbortController().signal };

const lines = (feed: ExpandedFeed): string[] =>
  feed.ok ? feed.events.map(({ summary, start, end }) => `${summary} ${start}/${end}`) : [wordsOf(feed.problem)];

test('A-26: rules, exceptions and moved events keep their local time over a change of clocks', async () => {
  const feed = ics(
    [
      'UID:a',
      'DTSTART;TZID=Europe/Berlin:20260317T090000',
      'DTEND;TZID=Europe/Berlin:20260317T100000',
      'RRULE:FREQ=WEEKLY',
      'EXDATE;TZID=Europe/Berlin:20260407T090000',
      'SUMMARY:Weekly\\, yes',
    ],
    [
      'UID:a',
      'RECURRENCE-ID;TZID=Europe/Berlin:20260331T090000',
      'SUMMARY:Moved',
      'DTSTART;TZID=Europe/Berlin:20260331T140000',
      'DTEND;TZID=Europe/Berlin:20260331T150000',
    ],
    ['UID:b', 'SUMMARY:Folded sum', ' mary', 'DTSTART;TZID=W. Europe Standard Time:20260330T080000', 'DURATION:PT45M'],
    ['UID:c', 'SUMMARY:Called off', 'STATUS:CANCELLED', 'DTSTART:20260325T080000Z'],
    // Through the hour that does not exist.
    [
      'UID:d',
      'SUMMARY:Night',
      'DTSTART;TZID=Europe/Berlin:20260329T013000',
      'DTEND;TZID=Europe/Berlin:20260329T033000',
    ],
  );
  assert.equal(lines(await expand(feed)), [
    'Weekly, yes 2026-03-24T08:00:00.000Z/2026-03-24T09:00:00.000Z',
    'Night 2026-03-29T00:30:00.000Z/2026-03-29T01:30:00.000Z',
    'Folded summary 2026-03-30T06:00:00.000Z/2026-03-30T06:45:00.000Z',
    'Moved 2026-03-31T12:00:00.000Z/2026-03-31T13:00:00.000Z',
  ]);
});

test('times without a zone, or in one that nobody knows, are the paper’s; whole days are dates everywhere', async () => {
  const feed = ics(
    ['UID:1', 'SUMMARY;LANGUAGE=en:Floating', 'DTSTART:20260401T080000', 'DTEND:20260401T090000'],
    [
      'UID:2',
      'SUMMARY:Nowhere',
      'DTSTART;TZID=Nowhere/Land:20260401T100000',
      'DTEND;TZID=Nowhere/Land:20260401T110000',
    ],
    ['UID:3', 'SUMMARY:Holiday', 'DTSTART;VALUE=DATE:20260401', 'DTEND;VALUE=DATE:20260403'],
    ['UID:4', 'SUMMARY:One day', 'DTSTART;VALUE=DATE:20260402'],
    ['UID:5', 'SUMMARY:Over since midnight', 'DTSTART:20260323T200000Z', 'DTEND:20260323T230000Z'],
    ['UID:6', 'SUMMARY:Still going on', 'DTSTART:20260323T200000Z', 'DTEND:20260324T010000Z'],
  );
  const tokyo = { timeZone: 'Asia/Tokyo', at: Date.parse('2026-03-23T23:30:00Z') };
  const [inBerlin, inTokyo] = await Promise.all([expand(feed), expand(feed, tokyo)]);
  assert.equal(lines(inBerlin), [
    'Still going on 2026-03-23T20:00:00.000Z/2026-03-24T01:00:00.000Z',
    'Holiday 2026-04-01/2026-04-03',
    'Floating 2026-04-01T06:00:00.000Z/2026-04-01T07:00:00.000Z',
    'Nowhere 2026-04-01T08:00:00.000Z/2026-04-01T09:00:00.000Z',
    'One day 2026-04-02/2026-04-03',
  ]);
  assert.ok(lines(inTokyo).includes('Floating 2026-03-31T23:00:00.000Z/2026-04-01T00:00:00.000Z'));
  assert.ok(lines(inTokyo).includes('Holiday 2026-04-01/2026-04-03'));
});

longTest(test)(
  'T-53, T-18: hostile feeds end in time, with few events or a refusal, and leave this process as it was',
  async () => {
    const many = Array.from({ length: 12_000 }, (_, at) => [
      `UID:${at}`,
      'DTSTART:20200101T080000Z',
      'DURATION:PT1H',
      'RRULE:FREQ=DAILY',
      `SUMMARY:${at}`,
    ]);
    const feeds: Record<string, [text: string, expected: RegExp]> = {
      many: [ics(...many.slice(0, 5_000)), /^0 /],
      tooMany: [ics(...many), /^reading it takes too long$/],
      impossible: [
        ics(['UID:i', 'DTSTART:20260301T080000Z', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'SUMMARY:i']),
        /^$/,
      ],
      seconds: [ics(['UID:s', 'DTSTART:20260301T080000Z', 'RRULE:FREQ=SECONDLY', 'SUMMARY:s']), /^$/],
      prototypes: [
        ics(
          ['UID:__proto__', 'DTSTART:20260325T080000Z', 'SUMMARY:p', '__proto__:x', 'CONSTRUCTOR;A=B:y'],
          ['UID:constructor', 'DTSTART:20260326T080000Z', 'SUMMARY:q'],
        ),
        /^p 2026-03-25T/,
      ],
      page: ['<html><body>Sign in</body></html>', /not an iCalendar file/],
      cut: [ics(['UID:1', 'DTSTART:20260325T080000Z']).slice(0, 70), /not an iCalendar file/],
      garbage: [`BEGIN:VCALENDAR\r\n${'\0\ufffd;:='.repeat(100_000)}\r\nEND:VCALENDAR\r\n`, /^$/],
      memory: [ics(['UID:1', 'DTSTART:20260325T080000Z', `SUMMARY:${'x'.repeat(3_000_000)}`]), /^x+… 2026/],
    };
    const before = Object.getOwnPropertyNames(Object.prototype).join();
    await Promise.all(
      Object.entries(feeds).map(async ([name, [text, expected]]) => {
        const feed = await expand(text, { dayRange: 100 });
        assert.match(lines(feed)[0] ?? '', expected, name);
        assert.ok(!feed.ok || feed.events.length <= 200, name);
      }),
    );
    assert.is(Object.getOwnPropertyNames(Object.prototype).join(), before);
    assert.is(({} as { type?: unknown }).type, undefined);
  },
);

test('T-53: a thread has its time from its own beginning on; one that does not end in time is ended', async () => {
  const text = ics(['UID:1', 'DTSTART:20260325T080000Z', 'SUMMARY:s']);
  const given: number[] = [];
  const noting: Clock = { ...patientClock, after: (ms) => ({ cancel: () => given.push(ms) }) };
  assert.match(lines(await expand(text, {}, noting))[0] ?? '', /^s 2026/);
  // The patience for its beginning ends with the beginning.
  assert.equal([given[0], given.at(-1)], [60_000, 10_000]);
  const after: Clock['after'] = (_ms, run) => {
    run();
    return { cancel: () => {} };
  };
  const impatient: Clock = { ...patientClock, after };
  assert.equal(lines(await expand(text, {}, impatient)), ['reading it takes too long']);
});

test('T-01, T-04, T-53: feeds are fetched under the rules for outgoing requests, step by step', async () => {
  const text = ics();
  await withReceiver(
    ({ path }, response) => {
      const to: Record<string, string> = {
        '/moved?a=1': 'http://feeds.example:8080/at-last?b=2',
        '/inside': 'http://169.254.169.254/latest',
        '/loop': '/loop',
        '/file': 'file:///etc/passwd',
        '/down': 'http://feeds.example/plain',
      };
      const location = to[path];
      if (location !== undefined) response.writeHead(302, { location }).end();
      else if (path === '/long') response.writeHead(200).end(Buffer.alloc(21 * 1024 * 1024, 'x\n'));
      else if (path === '/gone') response.writeHead(404).end();
      else response.writeHead(200).end(text);
    },
    async ({ port, received }) => {
      const network = fakeNetwork(port, (name) => [name === 'home.example' ? '192.168.1.4' : '93.184.216.34']);
      const fetchFeed = feedFetcher(openWayOut({ network, clock: handClock() }));
      const fetched = (url: string): Promise<FetchedFeed> => fetchFeed([new URL(url)], 0, caller);
      assert.equal(await fetched('http://feeds.example/moved?a=1'), { text, at: handClock().now() });
      assert.equal(
        received.map(({ path }) => path),
        ['/moved?a=1', '/at-last?b=2'],
      );
      assert.equal(
        network.dialled.map(({ address, port: to }) => `${address}:${to}`),
        ['93.184.216.34:80', '93.184.216.34:8080'],
      );
      const problems: Record<string, RegExp> = {
        'http://feeds.example/inside': /not public/,
        'http://feeds.example/loop': /more than 3 times/,
        'http://feeds.example/file': /unusable address/,
        'http://feeds.example/long': /more than 4 MiB/,
        'http://feeds.example/gone': /status 404/,
        'http://home.example/': /not public/,
        'http://127.0.0.1/': /not public/,
        'http://localhost/': /not a public name/,
      };
      for (const [url, expected] of Object.entries(problems)) {
        const { text: none, problem: reason } = await fetched(url);
        const problem = wordsOf(reason ?? []);
        assert.match(problem, expected, `${url}: ${problem}`);
        assert.is(none, undefined, url);
        assert.not.match(problem, /feeds\.example|home\.example/);
      }
    },
  );
});

test('T-53: webcal: is asked over https, and over http only where nothing speaks TLS', async () => {
  const text = ics();
  await withReceiver(
    ({ path }, response) => response.writeHead(path === '/gone' ? 404 : 200).end(text),
    async ({ port }) => {
      const speaks = (secure: boolean, plain: boolean): FakeNetwork => {
        const network = fakeNetwork(port, () => ['93.184.216.34']);
        return {
          ...network,
          async dial(target, signal) {
            const socket = await network.dial(target, signal);
            if (target.secure ? secure : plain) return socket;
            socket.destroy();
            throw Object.assign(new Error('refused'), { code: target.secure ? 'EPROTO' : 'ECONNREFUSED' });
          },
        };
      };
      const fetched = async (network: FakeNetwork, raw: string): Promise<[FetchedFeed, string]> => {
        const [feed] = feedsOf({ calendars: [{ key: 'a', url: raw }] });
        if (feed === undefined || 'problem' in feed) throw new Error('no feed');
        const fetchFeed = feedFetcher(openWayOut({ network, clock: handClock() }));
        const answer = await fetchFeed(feed.addresses, 0, caller);
        return [answer, network.dialled.map((target) => `${target.secure ? 's' : ''}${target.port}`).join(' ')];
      };
      const feed = 'webcal://feeds.example/a?b=1';
      const at = handClock().now();
      assert.equal(await fetched(speaks(true, true), feed), [{ text, at }, 's443']);
      assert.equal(await fetched(speaks(false, true), feed), [{ text, at }, 's443 80']);
      assert.equal(await fetched(speaks(false, true), 'WEBCAL://feeds.example:8080/a'), [{ text, at }, 's8080 8080']);
      // A request that went over an encrypted connection is not repeated in the clear.
      const gone = 'webcal://feeds.example/gone';
      assert.equal(await fetched(speaks(true, true), gone), [
        { problem: reasonOf('answer-status', { status: 404 }) },
        's443',
      ]);
      assert.equal(await fetched(speaks(false, true), gone), [
        { problem: reasonOf('answer-status', { status: 404 }) },
        's443 80',
      ]);
      assert.equal(await fetched(speaks(false, false), feed), [
        { problem: reasonOf('network-error', { error: 'EPROTO' }) },
        's443 80',
      ]);
      for (const only of ['webcals://feeds.example/a', 'https://feeds.example/a']) {
        assert.equal(
          await fetched(speaks(false, true), only),
          [{ problem: reasonOf('network-error', { error: 'EPROTO' }) }, 's443'],
          only,
        );
      }
    },
  );
});

test('what was fetched is kept for a while, and stands in for a feed that cannot be reached', async () => {
  let answers = true;
  await withReceiver(
    (_request, response) => response.writeHead(answers ? 200 : 500).end(ics()),
    async ({ port, received }) => {
      const clock = handClock();
      const at = clock.now();
      const fetchFeed = feedFetcher(openWayOut({ network: fakeNetwork(port, () => ['93.184.216.34']), clock }));
      const url = [new URL('http://feeds.example/a')];
      await Promise.all([fetchFeed(url, 60_000, caller), fetchFeed(url, 60_000, caller)]);
      await fetchFeed(url, 60_000, caller);
      assert.is(received.length, 1);
      clock.passes(60_000);
      answers = false;
      assert.equal(await fetchFeed(url, 60_000, caller), {
        problem: reasonOf('answer-status', { status: 500 }),
        text: ics(),
        at,
      });
      assert.is(received.length, 2);
      clock.passes(25 * 3_600_000);
      assert.equal(await fetchFeed(url, 60_000, caller), { problem: reasonOf('answer-status', { status: 500 }) });
    },
  );
});

test('T-60: a request goes on while somebody waits for it, and ends with the last who leaves', async () => {
  let closed = 0;
  await withReceiver(
    (_request, response) => {
      response.writeHead(200).write('BEGIN:VCALENDAR');
      response.once('close', () => closed++);
    },
    async ({ port, arrived }) => {
      const network = fakeNetwork(port, () => ['93.184.216.34']);
      const fetchFeed = feedFetcher(openWayOut({ network, clock: handClock() }));
      const callers = [new AbortController(), new AbortController()];
      const ends = callers.map(({ signal }) =>
        fetchFeed([new URL('http://feeds.example/a')], 0, { sharer, signal }).catch((error: unknown) => error),
      );
      await arrived(1);
      const [first, last] = callers;
      first?.abort('first');
      assert.is(await ends[0], 'first');
      assert.is(closed, 0);
      last?.abort('last');
      assert.is(await ends[1], 'last');
      await until(() => closed === 1, 'the request is ended');
    },
  );
});

test('A-26: calendars are read together; each says how that went, and nothing of its address', async () => {
  const day = (name: string, date: string) => ics([`UID:${name}`, `SUMMARY:${name}`, `DTSTART;VALUE=DATE:${date}`]);
  const texts: Record<string, string> = {
    'https://a.example/secret?token=1 or http://a.example/secret?token=1': day('A', '20260326'),
    'http://b.example/': day('B', '20260325'),
  };
  const asked: string[] = [];
  const read = calendarReader({
    clock: patientClock,
    fetchFeed: async (addresses) => {
      const href = addresses.map((url) => url.href).join(' or ');
      asked.push(href);
      const text = texts[href];
      return text === undefined ? { problem: reasonOf('answer-status', { status: 404 }) } : { text };
    },
  });
  const calendars = [
    { key: 'a', name: 'Alpha', url: 'webcal://a.example/secret?token=1', color: '#E00000' },
    { key: 'b', url: 'http://b.example/', color: 'red;}' },
    { key: 'gone', name: 'Gone', url: 'https://c.example/secret' },
    { key: 'a', name: 'Twice', url: 'https://d.example/' },
    { key: 'user', name: 'User', url: 'https://me:pass@e.example/' },
    { key: 'file', name: 'File', url: 'file:///etc/passwd' },
    { key: '__proto__', name: 'P', url: 'https://f.example/' },
    'nonsense',
  ];
  const meta = { calendars, timezone: 'Europe/Berlin' };
  const all = await read({ sharer, meta, at: berlin.at });
  assert.equal(all.calendarAuth, {
    status: 'partial',
    calendars: {
      a: 'ok',
      b: 'ok',
      gone: 'status 404',
      'calendar 4': 'another calendar has the key a',
      user: 'the address must not contain a user name or a password',
      file: 'the address has to begin with http:// or https://',
      'calendar 7': 'its key is malformed',
      'calendar 8': 'its entry is malformed',
    },
  });
  assert.equal(
    all.calendarData.events.map(({ summary }) => summary),
    ['B', 'A'],
  );
  assert.equal(all.calendarData.events[0], {
    calendar: 'b',
    summary: 'B',
    start: { date: '2026-03-25' },
    end: { date: '2026-03-26' },
  });
  assert.equal(all.calendarData.calendars.slice(0, 2), [
    { key: 'a', name: 'Alpha', color: '#e00000' },
    { key: 'b', name: 'b' },
  ]);
  assert.not.match(JSON.stringify(all), /secret|pass@|example/);
  asked.length = 0;
  const one = await read({ sharer, meta, at: berlin.at, selected: { b: true }, maxEvents: 1, dayRange: 2 });
  assert.equal([one.calendarAuth, asked], [{ status: 'ok', calendars: { b: 'ok' } }, ['http://b.example/']]);
  const none = await read({ sharer, meta: { calendars: 'x' }, at: berlin.at });
  assert.is(none.calendarAuth.status, 'none');
});

test('A-26: how many days and events are shown may be a fraction, and is where clients in the field write it', () => {
  const view = (meta: Record<string, unknown>): string => {
    const { dayRange, maxEvents } = calendarView(meta);
    return `${dayRange} ${maxEvents}`;
  };
  assert.is(view({ dayRange: 7.4, maxEvents: '9.5' }), '7 10');
  assert.is(view({ pluginSettings: { dayRange: 3, maxEvents: 20 } }), '3 20');
  assert.is(view({ dayRange: 5, pluginSettings: { dayRange: 3, maxEvents: 'many' } }), '5 100');
  for (const none of [
    {},
    { dayRange: 0.9, maxEvents: 201 },
    { dayRange: 'x', maxEvents: null },
    { pluginSettings: null },
  ]) {
    assert.is(view(none), '14 100', JSON.stringify(none));
  }
});

test.run();
