/** The change whose picture is due at a time: the last one by then, whatever was asked or shown since. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lastChangeBefore } from '../../api/planned-changes/last-change.ts';
import { fetchedWithinMs } from '../../api/planned-changes/paced-changes.ts';
import type { PlannedPaper } from '../../api/planned-changes/planned-paper.ts';

const test = suite('last change');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const by = Date.parse('2026-05-11T07:00:00Z');

const paperOf = (given: Partial<PlannedPaper>): PlannedPaper => ({
  id: 'aaaaaaaaaaaaaaaaaaaaaaaa',
  kind: 'text',
  title: '',
  meta: {},
  timed: [],
  parts: new Map(),
  ...given,
});

/** Minutes between the change and the time; undefined without one. */
const minutesBefore = (given: Partial<PlannedPaper>): number | undefined => {
  const change = lastChangeBefore(paperOf(given), by);
  return change && (by - change.at) / minuteMs;
};

/** A playlist of two papers that take turns at these minutes before the time. */
function playlistAt(...minutes: readonly number[]): Partial<PlannedPaper> {
  const ids = ['1', '2'].map((digit) => digit.repeat(24));
  const playlistEntries = minutes.map((minute, index) => ({
    paperId: ids[index % 2],
    startsAt: new Date(by - minute * minuteMs).toISOString(),
  }));
  return { kind: 'playlist', meta: { playlistEntries }, parts: new Map(ids.map((id) => [id, paperOf({ id })])) };
}

test('it is the last one up to the time, however long ago it was', () => {
  assert.is(minutesBefore(playlistAt(600, 11)), 11);
  assert.is(minutesBefore(playlistAt(600, 0)), 0);
  assert.is(minutesBefore(playlistAt(600, 30, -1)), 30);
  assert.is(minutesBefore(playlistAt(40 * 24 * 60)), 40 * 24 * 60);
  assert.is(minutesBefore({}), undefined);
});

test('of several within five minutes before the time, the first one counts', () => {
  assert.is(minutesBefore(playlistAt(600, 3)), 3);
  assert.is(minutesBefore(playlistAt(600, 5, 4, 2, 1)), 4);
});

test('a calendar changes with its day', () => {
  assert.is(minutesBefore({ kind: 'calendar', meta: { icsUrls: ['https://c.example'], timezone: 'UTC' } }), 7 * 60);
});

test('what comes at a pace came at that pace before, whenever it is asked or shown next', () => {
  const everyMs = 15 * minuteMs;
  const asked = (dueAt: number) => minutesBefore({ kind: 'recipe', asked: { dueAt, everyMs } });
  for (const paces of [-100, -1, 0, 1, 2, 100]) {
    const last = by - 10 * minuteMs + paces * everyMs;
    assert.is(asked(last), 10 - fetchedWithinMs / minuteMs, `asked next ${paces} paces later`);
  }
  const shown = (since: number) => minutesBefore({ kind: 'album', meta: { every: 2 }, album: { pictures: 3, since } });
  for (const since of [by - hourMs, by - 5 * hourMs, by + 3 * hourMs]) assert.is(shown(since), 60);
});

test.run();
