/** T-60: calendars of strangers are read by turns, in little memory, and only as long as somebody waits for them. */

import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExpandedFeed, expandFeed } from '../../api/calendar/expand-feed.ts';
import type { FetchFeed } from '../../api/calendar/fetch-feed.ts';
import { keptFeeds } from '../../api/calendar/kept-feeds.ts';
import { type CalendarRead, calendarReader } from '../../api/calendar/read-calendars.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { handClock } from '../integration/integration-world.ts';
import { patientClock } from './patient-clock.ts';

const test = suite('shared reading of calendars');

const text = [
  'BEGIN:VCALENDAR',
  'BEGIN:VEVENT',
  'UID:1',
  'DTSTART:20260325T080000Z',
  'RRULE:FREQ=DAILY',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');
const at = Date.parse('2026-03-24T06:00:00Z');

/** A paper with so many calendars. */
const metaOf = (feeds: number) => ({
  calendars: Array.from({ length: feeds }, (_, index) => ({ key: `k${index}`, url: `https://feeds.example/${index}` })),
});

/** How many works are under way, in all and of one organization at most. */
function counter() {
  const now = new Map<string, number>();
  const most = { inAll: 0, ofOne: 0 };
  return {
    most,
    now: () => [...now.values()].reduce((sum, count) => sum + count, 0),
    async during<Result>(organization: string, work: () => Promise<Result>): Promise<Result> {
      const ofOne = (now.get(organization) ?? 0) + 1;
      now.set(organization, ofOne);
      most.ofOne = Math.max(most.ofOne, ofOne);
      most.inAll = Math.max(
        most.inAll,
        [...now.values()].reduce((sum, count) => sum + count, 0),
      );
      try {
        return await work();
      } finally {
        now.set(organization, (now.get(organization) ?? 0) - 1);
      }
    },
  };
}

test('T-60, T-53: of thirty previews at once two are read by threads, and nobody else waits for the others', async () => {
  const threads = counter();
  const texts = counter();
  const organizationOf = new Map<string, string>();
  const read = calendarReader({
    clock: patientClock,
    fetchFeed: async ([url], _age, { sharer }) => {
      const [organization = ''] = sharer;
      // Feeds are distinguished by their text alone.
      const own = `${text}${organization} ${url?.href}`;
      organizationOf.set(own, organization);
      return texts.during(organization, async () => ({ text: own }));
    },
    expand: (clock, own, range, options) =>
      threads.during(organizationOf.get(own) ?? '', () => expandFeed(clock, own, range, options)),
  });
  const done: string[] = [];
  const preview = async (organization: string, use: string, paper: string): Promise<void> => {
    const shown = await read({ sharer: [organization, use, paper], meta: metaOf(1), at, dayRange: 3 });
    assert.equal([shown.calendarAuth.status, shown.calendarData.events.length], ['ok', 2]);
    done.push(`${organization} ${use}`);
  };
  const flood = Array.from({ length: 30 }, (_, index) => preview('theirs', 'view', `paper ${index % 3}`));
  const picture = preview('theirs', 'picture', 'paper 1');
  await preview('ours', 'view', 'paper');
  assert.ok(done.length <= 4, `another organization waits for nobody: ${done}`);
  await picture;
  assert.ok(done.length <= 12, `a picture does not wait for all previews: ${done}`);
  await Promise.all(flood);
  assert.equal([threads.most.inAll, threads.most.ofOne], [2, 1]);
  assert.ok(texts.most.inAll <= 8 && texts.most.ofOne <= 4);
});

test('T-60: feeds are fetched when their turn has come, and what waits holds no text', async () => {
  const texts = counter();
  const answers: (() => void)[] = [];
  const read = calendarReader({
    clock: handClock(),
    fetchFeed: (_addresses, _age, { sharer: [organization = ''] }) =>
      texts.during(organization, () => new Promise((answer) => answers.push(() => answer({ text })))),
    expand: async () => ({ ok: true, events: [], guessed: [] }),
  });
  const readings = ['a', 'b', 'c', 'd'].map((organization) =>
    read({ sharer: [organization, 'view', 'paper'], meta: metaOf(20), at }),
  );
  await turn();
  assert.is(texts.now(), 8);
  for (let answered = 0; answered < 80; answered++) {
    answers[answered]?.();
    await turn();
  }
  await Promise.all(readings);
  assert.equal([texts.most.inAll, texts.most.ofOne, answers.length], [8, 4, 80]);
});

test('T-60: a caller who leaves ends the work for that caller, and frees the place for others', async () => {
  const ended: string[] = [];
  const untilLeft = (what: string, signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        ended.push(what);
        reject(signal.reason);
      });
    });
  const fetchFeed: FetchFeed = async ([url], _age, { signal }) =>
    url?.href.endsWith('/0') ? { text } : untilLeft('request', signal);
  const read = calendarReader({
    clock: handClock(),
    fetchFeed,
    expand: async (_clock, _text, _range, { signal } = {}): Promise<ExpandedFeed> =>
      signal === undefined || signal.aborted
        ? { ok: false, problem: reasonOf('calendar-takes-long') }
        : untilLeft('thread', signal),
  });
  const caller = new AbortController();
  const reading = read({ sharer: ['theirs', 'view', 'paper'], signal: caller.signal, meta: metaOf(20), at });
  reading.catch(() => {});
  await turn();
  assert.equal(ended, []);
  caller.abort(new Error('he left'));
  const reason: unknown = await reading.catch((error: unknown) => error);
  assert.is(reason instanceof Error && reason.message, 'he left');
  await turn();
  assert.equal([ended.filter((what) => what === 'thread').length, ended.length], [1, 4]);
});

test('T-53: a picture waits a minute for all its calendars, and shows what could be read', async () => {
  const clock = handClock();
  const read = calendarReader({
    clock,
    fetchFeed: async ([url], _age, { signal }) =>
      url?.href.endsWith('/0')
        ? { text }
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    expand: async () => ({ ok: true, events: [], guessed: [] }),
  });
  const reading: Promise<CalendarRead> = read({ sharer: ['ours', 'picture', 'paper'], meta: metaOf(3), at });
  await turn();
  clock.passes(60_000);
  const { calendarAuth } = await reading;
  const late = 'reading all calendars takes too long';
  assert.equal(calendarAuth, { status: 'partial', calendars: { k0: 'ok', k1: late, k2: late } });
});

test('T-53: the thread of a caller who left is ended', async () => {
  const slow = [
    'BEGIN:VCALENDAR',
    ...Array.from({ length: 9_000 }, (_, index) =>
      ['BEGIN:VEVENT', `UID:${index}`, 'DTSTART:20200101T080000Z', 'RRULE:FREQ=DAILY', 'END:VEVENT'].join('\r\n'),
    ),
    'END:VCALENDAR',
  ].join('\r\n');
  const range = { at, dayRange: 100, timeZone: 'Europe/Berlin', maxEvents: 200 };
  const left = AbortSignal.timeout(1);
  assert.equal(await expandFeed(patientClock, slow, range, { signal: left }), {
    ok: false,
    problem: reasonOf('calendar-takes-long'),
  });
});

test('T-60: who fetches masses of feeds pushes out his own, and a feed of others stands in as long as before', () => {
  const kept = keptFeeds(1_000_000);
  kept.keep('https://ours.example/', { text, at: 1 }, 'ours');
  for (let index = 0; index < 100; index++) {
    kept.keep(`https://theirs.example/${index}`, { text: 'x'.repeat(100_000), at: 2 }, 'theirs');
  }
  for (let index = 0; index < 5_000; index++) kept.keep(`https://tiny.example/${index}`, { text: '', at: 3 }, 'tiny');
  assert.is(kept.find('https://ours.example/')?.text, text);
  assert.is(kept.find('https://tiny.example/0'), undefined);
  assert.ok(kept.find('https://tiny.example/4999'));
  assert.is(kept.find('https://theirs.example/0'), undefined);
  assert.ok(kept.find('https://theirs.example/99'), 'each keeps about as much');
});

test.run();
