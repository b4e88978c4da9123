/** Which paper slides and playlists show, and what a schedule names. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { playlistPaperAt } from '../../api/calendar/choose-entry.ts';
import { selectedPapers, slideOf } from '../../api/papers/choose-slide.ts';
import { nextRun, timeProblem } from '../../api/papers/schedule.ts';
import { wordsOf } from '../../reasons/words.ts';

const test = suite('papers in turn');

const id = (letter: string): string => letter.repeat(24);

test('C-50: slides go round, from the current one on', () => {
  const ids = ['a', 'b', 'c'].map(id);
  const shown = (meta: object, turns: number): string =>
    Array.from({ length: turns }, (_, turn) => slideOf(ids, { ...meta }, 'seed', turn)[0]).join('');
  assert.is(shown({}, 5), 'abcab');
  assert.is(shown({ currentSlide: 2, order: 'sequential' }, 4), 'cabc');
  for (const currentSlide of [3, -1, 1.5, '1', null]) assert.is(shown({ currentSlide }, 3), 'abc');
});

test('C-50: at random, every slide comes once a round, none twice in a row, and each time the same', () => {
  const ids = ['a', 'b', 'c', 'd'].map(id);
  for (const seed of ['one', 'two', 'three']) {
    const shown = Array.from({ length: 400 }, (_, turn) => slideOf(ids, { order: 'random' }, seed, turn));
    for (let turn = 1; turn < shown.length; turn++) assert.is.not(shown[turn], shown[turn - 1], `${seed} ${turn}`);
    for (let round = 0; round < 100; round++) {
      assert.is(new Set(shown.slice(round * 4, round * 4 + 4)).size, 4);
    }
    assert.ok(
      new Set(Array.from({ length: 100 }, (_, round) => shown.slice(round * 4, round * 4 + 4).join())).size > 10,
    );
  }
  const two = Array.from({ length: 6 }, (_, turn) => slideOf(ids.slice(0, 2), { order: 'random' }, 'x', turn)[0]);
  assert.is(two.join(''), 'ababab');
});

test('only ids that are marked count, each once', () => {
  const marked = { [id('a')]: true, [id('b')]: false, [id('c')]: 'yes', nonsense: true };
  assert.equal(selectedPapers({ selectedPapers: marked }), [id('a')]);
  assert.equal(selectedPapers({ selectedPapers: [id('b'), id('b'), 7, id('a')] }), [id('b'), id('a')]);
  for (const nothing of [undefined, null, 'x', 3]) assert.equal(selectedPapers({ selectedPapers: nothing }), []);
});

test('C-50: of a playlist the latest occurrence counts; one that lasts goes before one that is over', () => {
  const entry = (letter: string, startsAt: string, more: object = {}) => ({ paperId: id(letter), startsAt, ...more });
  const meta = {
    timezone: 'Europe/Berlin',
    playlistEntries: [
      entry('a', '2026-03-01T00:00:00Z'),
      entry('b', '2026-03-02T07:00', { rrule: 'FREQ=DAILY', durationMinutes: 120 }),
      entry('c', '2026-03-02T08:00:00+01:00', { rrule: 'RRULE:FREQ=WEEKLY;BYDAY=SU', durationMinutes: 30 }),
      entry('d', '2026-03-02T20:00', { rrule: 'FREQ=DAILY' }),
      entry('e', '2026-03-02T20:00', { rrule: 'FREQ=DAILY' }),
      entry('f', '2026-03-02T20:00', { rrule: 'FREQ=DAILY\r\nBEGIN:VEVENT' }),
      { paperId: 'nonsense' },
      null,
    ],
  };
  const at = (time: string, without = ''): string | undefined =>
    playlistPaperAt(meta, Date.parse(time), (paper) => !without.includes(paper[0] ?? ''))?.[0];
  // Clocks change on the 29th, a Sunday: seven is five in UTC from then on.
  const shown = [
    at('2026-02-28T12:00:00Z'),
    at('2026-03-01T12:00:00Z'),
    at('2026-03-29T05:00:00Z'),
    at('2026-03-29T06:10:00Z'),
    at('2026-03-29T06:40:00Z'),
    at('2026-03-29T18:00:00Z'),
    at('2026-03-29T18:00:00Z', 'e'),
    at('2026-03-29T10:00:00Z', 'de'),
  ];
  assert.equal(shown, [undefined, 'a', 'b', 'c', 'b', 'e', 'd', 'a']);
});

test('C-50: an entry counts from its latest time on, however long ago that was', () => {
  const entries = [
    { paperId: id('a'), startsAt: '2026-01-01T00:00' },
    { paperId: id('b'), startsAt: '2026-01-31T06:00', durationMinutes: 18 * 60, rrule: 'FREQ=MONTHLY' },
    { paperId: id('c'), startsAt: '2024-02-29T06:00', rrule: 'FREQ=YEARLY' },
    { paperId: id('d'), startsAt: '2020-01-01T06:00', rrule: 'FREQ=DAILY;BYDAY=XX' },
  ];
  const at = (time: string, ...letters: string[]): string | undefined => {
    const playlistEntries = entries.filter(({ paperId }) => letters.includes(paperId[0] ?? ''));
    return playlistPaperAt({ playlistEntries }, Date.parse(time), () => true)?.[0];
  };
  const days = ['03-28', '03-30', '03-31', '04-30', '05-31'].map((day) => at(`2026-${day}T12:00:00Z`, 'a', 'b', 'd'));
  assert.equal(days, ['a', 'a', 'b', 'a', 'b']);
  assert.is(at('2026-05-30T12:00:00Z', 'b'), 'b', 'two months later');
  assert.is(at('2028-02-28T12:00:00Z', 'c', 'd'), 'c', 'four years later');
  assert.is(at('2026-05-30T12:00:00Z', 'a', 'c'), 'a');
});

test('C-50: a rule may come below the DTSTART that it counts from, as clients in the field write it', () => {
  const at = (time: string, rrule: string, startsAt?: string): string | undefined => {
    const entries = [
      { paperId: id('a'), startsAt: '2026-01-01T00:00' },
      { paperId: id('b'), startsAt, rrule, durationMinutes: 60 },
    ];
    return playlistPaperAt({ timezone: 'Europe/Berlin', playlistEntries: entries }, Date.parse(time), () => true)?.[0];
  };
  // At seven by clocks in Berlin, in winter and in summer.
  for (const rrule of [
    'DTSTART:20260301T060000Z\nRRULE:FREQ=DAILY;INTERVAL=1',
    'DTSTART;TZID=Europe/Berlin:20260301T070000\r\nRRULE:FREQ=DAILY;',
    'dtstart:20260301T070000\nfreq=daily;x-own=1',
    'DTSTART;TZID="America/New_York":20260301T010000\nRRULE:FREQ=DAILY',
  ]) {
    const starts = [undefined, '2026-03-01T06:00:00.000Z', '2026-02-01T12:00'];
    for (const startsAt of starts) {
      const shown = ['02-28T06:30', '03-02T06:30', '03-30T05:30', '03-30T06:30'].map((time) =>
        at(`2026-${time}:00Z`, rrule, startsAt),
      );
      assert.equal(shown, ['a', 'b', 'b', 'a'], `${rrule} ${startsAt}`);
    }
  }
  assert.is(at('2026-03-01T06:30:00Z', 'DTSTART:20260301T060000Z', '2026-02-01T12:00'), 'b', 'once');
  for (const rrule of ['DTSTART:soon\nRRULE:FREQ=DAILY', 'DTSTART;TZID=X/Y:20260301T070000\nRRULE:FREQ=DAILY']) {
    assert.is(at('2026-03-02T06:30:00Z', rrule, '2026-03-01T07:00'), 'a', rrule);
  }
});

test('A-27: a schedule names times by the clocks of its zone; other lines are refused', () => {
  const after = (meta: object, time: string): string | null => {
    const next = nextRun({ ...meta }, Date.parse(time));
    return next === null ? null : new Date(next).toISOString();
  };
  const early = { schedule: '30 6 * * 1-5', timezone: 'Europe/Berlin' };
  assert.is(after(early, '2026-03-27T06:00:00Z'), '2026-03-30T04:30:00.000Z');
  assert.is(after({ schedule: '30 6 * * *' }, '2026-03-27T06:30:00Z'), '2026-03-28T06:30:00.000Z');
  for (const schedule of ['* * * * * *', 'every day', '61 * * * *', '', 'x'.repeat(200)]) {
    assert.is(after({ schedule }, '2026-03-27T06:00:00Z'), null, schedule);
  }
  assert.is(after({ schedule: '0 0 30 2 *' }, '2026-03-27T06:00:00Z'), null);
  for (const fine of [{}, { schedule: null }, { schedule: '' }, early]) assert.is(timeProblem(fine), undefined);
  for (const schedule of ['* * * * * *', 7, {}, 'soon'])
    assert.match(wordsOf(timeProblem({ schedule }) ?? []), /^schedule: /);
});

test.run();
