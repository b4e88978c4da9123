/** Told sleeps of frames whose clocks are wrong, and on nights on which those of people are moved. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { comingChanges } from '../../api/planned-changes/next-change.ts';
import type { PlannedPaper } from '../../api/planned-changes/planned-paper.ts';
import { keptOf, type PlannedChange } from '../../gateway/frames/planned-changes.ts';
import { noSleepFacts, type SleepColumns, tellSleep } from '../../gateway/frames/tell-sleep.ts';
import { fitSleeps, type KnownSleep, learnSleep } from '../../gateway/frames/wake-model.ts';

const test = suite('told sleeps of bad clocks');
const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2027, 0, 15);

const frameOf = (changes: readonly PlannedChange[], sleep_seconds = 3 * 3600): SleepColumns => ({
  sleep_seconds,
  update_schedule: null,
  planned_changes: JSON.stringify(keptOf(changes)),
  planned_deadlines: null,
});

/** Changes each two hours, of a day and a half, each time that it is asked. */
const changesAt = (now: number): readonly PlannedChange[] =>
  Array.from({ length: 18 }, (_, at) => ({ at: Math.floor(now / (2 * hour)) * 2 * hour + (at + 1) * 2 * hour }));

/** Plays a frame for some days. @returns how long after each change it woke, in seconds, and its wakes in a day */
function played(really: (told: number) => number, days = 4) {
  let known: readonly KnownSleep[] = [];
  let now = start + 7 * minute;
  let wakes = 0;
  const late: number[] = [];
  while (now < start + days * 24 * hour) {
    const told = tellSleep(frameOf(changesAt(now)), { ...noSleepFacts, model: fitSleeps(known) }, now);
    const slept = really(told.seconds);
    const next = changesAt(now)[0]?.at ?? 0;
    known = learnSleep(known, told.seconds, slept);
    now += slept * 1000;
    wakes++;
    if (now >= next) late.push((now - next) / 1000);
  }
  return { late, wakesPerDay: wakes / days };
}

for (const drift of [0.95, 1.05]) {
  test(`a clock that drifts by 5 % is learned within three sleeps (${drift})`, () => {
    const { late, wakesPerDay } = played((told) => told * drift);
    const [most, mostLearned] = [Math.max(...late), Math.max(...late.slice(6))];
    assert.ok(most < 7 * minute, `${most} s`);
    assert.ok(mostLearned <= 10, `${mostLearned} s`);
    assert.ok(wakesPerDay < 14, `${wakesPerDay} wakes, of which twelve are needed`);
  });
}

test('a frame that always wakes three minutes late is sent that much less sleep', () => {
  const { late, wakesPerDay } = played((told) => told + 180);
  assert.ok(Math.max(...late.slice(6)) <= 30, `${late}`);
  assert.ok(wakesPerDay < 14, `${wakesPerDay}`);
});

test('one that always wakes a quarter of an hour late stays as late, and neither wakes more often nor too early for it', () => {
  const { late, wakesPerDay } = played((told) => told + 900);
  assert.ok(
    late.every((seconds) => seconds > 0 && seconds <= 930),
    `${late}`,
  );
  assert.ok(wakesPerDay <= 13, `${wakesPerDay}`);
});

test('clocks that are moved in the middle of a sleep move its end with them, to the second', () => {
  const part = (id: string): PlannedPaper => ({ id, kind: 'image', title: id, meta: {}, timed: [], parts: new Map() });
  const [day, night] = ['0123456789abcdef00000001', '0123456789abcdef00000002'];
  const entry = (paperId: string, time: string) => ({ paperId, startsAt: `2026-01-01T${time}`, rrule: 'FREQ=DAILY' });
  const paper: PlannedPaper = {
    ...part('0123456789abcdef00000009'),
    kind: 'playlist',
    meta: { timezone: 'Europe/Berlin', playlistEntries: [entry(day, '07:00:00'), entry(night, '22:00:00')] },
    parts: new Map([day, night].map((id) => [id, part(id)])),
  };
  const endAfter = (from: string) => {
    const now = Date.parse(from);
    const model = { isLearned: true, offset: 0, drift: 1 };
    const { seconds, at } = tellSleep(frameOf(comingChanges(paper, now), 86_400), { ...noSleepFacts, model }, now);
    assert.is(now + seconds * 1000, (at ?? 0) + 5000);
    return new Date(at ?? 0).toISOString().slice(0, 16);
  };
  assert.is(endAfter('2026-03-28T21:30:00Z'), '2026-03-29T05:00', 'an hour less');
  assert.is(endAfter('2026-10-24T21:30:00Z'), '2026-10-25T06:00', 'an hour more');
  assert.is(endAfter('2026-03-27T21:30:00Z'), '2026-03-28T06:00');
});

test('a playlist that changes each minute wakes its frame each half an hour, by its real reasons', () => {
  const part = (id: string): PlannedPaper => ({ id, kind: 'image', title: id, meta: {}, timed: [], parts: new Map() });
  const ids = ['0123456789abcdef00000001', '0123456789abcdef00000002'];
  const minutes = (first: number) => Array.from({ length: 30 }, (_, number) => first + 2 * number).join();
  const playlistEntries = ids.map((paperId, first) => ({
    paperId,
    startsAt: `2026-01-01T00:0${first}`,
    rrule: `FREQ=HOURLY;BYMINUTE=${minutes(first)}`,
  }));
  const meta = { playlistEntries };
  const paper = {
    ...part('0123456789abcdef00000009'),
    kind: 'playlist',
    meta,
    parts: new Map(ids.map((id) => [id, part(id)])),
  };
  let now = start;
  const wakes: number[] = [];
  while (now < start + 24 * hour) {
    wakes.unshift(now);
    const frame = frameOf(comingChanges(paper, now));
    now += tellSleep(frame, { ...noSleepFacts, wakes }, now).seconds * 1000;
  }
  assert.ok(wakes.length >= 40 && wakes.length <= 49, `${wakes.length} wakes in a day`);
});

test.run();
