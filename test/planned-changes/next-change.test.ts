/** The future of papers, held against what is drawn minute by minute (WK-10, WK-20). */
import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { playlistPaperAt } from '../../api/calendar/choose-entry.ts';
import type { TimedTimes } from '../../api/delivery-state/timed-rows.ts';
import { isTimeForNext } from '../../api/papers/album-pace.ts';
import { boardParts } from '../../api/papers/board-parts.ts';
import { changesOfDevice, nextChangeOf, plannedChangesOf } from '../../api/planned-changes/next-change.ts';
import { fetchedWithinMs } from '../../api/planned-changes/paced-changes.ts';
import type { PlannedPaper } from '../../api/planned-changes/planned-paper.ts';
import { maxPlannedChanges, type PlannedChange } from '../../gateway/frames/planned-changes.ts';

const test = suite('next change');

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/Havana'] as const;
/** Days around which clocks are moved in one of the zones, and a common one. */
const begins = [
  '2026-03-28T20:00Z',
  '2026-10-24T19:00Z',
  '2026-03-07T22:00Z',
  '2026-11-01T00:00Z',
  '2026-06-10T09:00Z',
];

type Dice = ReturnType<typeof diceOf>;

function diceOf(seed: number) {
  let draws = 0;
  const below = (most: number): number =>
    createHash('sha256').update(`${seed} ${draws++}`).digest().readUInt32BE() % most;
  return { below, oneOf: <One>(list: readonly One[]): One => list[below(list.length)] as One };
}

const paperOf = (given: Partial<PlannedPaper> & Pick<PlannedPaper, 'id' | 'kind'>): PlannedPaper => ({
  title: given.id,
  meta: {},
  timed: [],
  parts: new Map(),
  ...given,
});

const idOf = (number: number): string => `0123456789abcdef${number.toString(16).padStart(8, '0')}`;

function timedOf(dice: Dice, from: number): readonly TimedTimes[] {
  return Array.from({ length: dice.below(5) }, (_, number) => {
    const show_from = from + (dice.below(2_400) - 300) * minuteMs;
    const show_until = dice.below(6) === 0 ? null : show_from + (1 + dice.below(900)) * minuteMs;
    return { id: `timed-${number}`, show_from, show_until, shown_at: null };
  }).sort((one, other) => one.show_from - other.show_from);
}

function simplePaper(dice: Dice, id: string, from: number): PlannedPaper {
  const timezone = dice.oneOf(zones);
  const kind = dice.oneOf(['image', 'calendar', 'text', 'website']);
  const schedule = dice.oneOf(['0 8 * * *', '*/45 * * * *', '30 17 * * 1-5']);
  return paperOf({
    id,
    kind,
    meta: kind === 'website' ? { timezone, schedule } : { timezone },
    timed: kind === 'image' ? timedOf(dice, from) : [],
  });
}

const rules = [
  'FREQ=DAILY',
  'FREQ=WEEKLY;BYDAY=MO,WE,SA,SU',
  'FREQ=HOURLY;INTERVAL=5',
  'FREQ=DAILY;BYHOUR=2;BYMINUTE=30',
];

function composedPaper(dice: Dice, from: number): PlannedPaper {
  const parts = new Map([1, 2, 3].map((number) => [idOf(number), simplePaper(dice, idOf(number), from)]));
  const timezone = dice.oneOf(zones);
  const kind = dice.oneOf(['playlist', 'playlist', 'board']);
  const named = [...parts.keys()];
  const playlistEntries = Array.from({ length: 1 + dice.below(4) }, () => ({
    paperId: dice.oneOf(named),
    startsAt: new Date(from + (dice.below(5_000) - 3_000) * minuteMs).toISOString().slice(0, 16),
    ...(dice.below(4) > 0 && { rrule: dice.oneOf(rules) }),
    ...(dice.below(2) === 0 && { durationMinutes: 1 + dice.below(600) }),
  }));
  const meta = kind === 'board' ? { arrangement: 'rows', parts: named } : { timezone, playlistEntries };
  return paperOf({ id: idOf(9), kind, meta, parts });
}

const clocks = new Map(
  zones.map((timeZone) => {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    return [timeZone as string, format] as const;
  }),
);
const clockIn = (timeZone: string, at: number): string => clocks.get(timeZone)?.format(at) ?? '';

/** The runs of a cron line up to a moment, counted by what clocks show each minute. */
function runsOf({ schedule, timezone }: PlannedPaper['meta'], from: number) {
  const times: number[] = [];
  let last = '';
  for (let at = from - hourMs; at < from + 3 * dayMs; at += minuteMs) {
    const shown = clockIn(String(timezone), at);
    const [hour = 0, minute = 0] = shown.slice(11).split(':').map(Number);
    const weekday = new Date(shown.slice(0, 10)).getUTCDay();
    if (
      schedule === '*/45 * * * *' ? minute % 45 === 0 : shown > last && isNamed(String(schedule), hour, minute, weekday)
    )
      times.push(at + fetchedWithinMs);
    if (shown > last) last = shown;
  }
  return (at: number): number => times.filter((time) => time <= at).length;
}

const isNamed = (line: string, hour: number, minute: number, weekday: number): boolean =>
  line === '0 8 * * *' ? hour === 8 && minute === 0 : hour === 17 && minute === 30 && weekday >= 1 && weekday <= 5;

/** The picture that begins last is on top until it ends; one that stays takes the place of those before it. */
function timedNow(timed: readonly TimedTimes[], at: number): string {
  let shown = 'own';
  for (const { id, show_from, show_until } of timed) {
    if (show_from > at) break;
    if (show_until === null || at < show_until) shown = id;
  }
  return shown;
}

/** Returns what is drawn of a paper at a moment, as text. */
function drawingOf(paper: PlannedPaper, from: number): (at: number) => string {
  const { id, kind, meta } = paper;
  const parts = new Map([...paper.parts].map(([name, part]) => [name, drawingOf(part, from)]));
  const runs = kind === 'website' ? runsOf(meta, from) : () => 0;
  return (at) => {
    if (kind === 'playlist') {
      const shown = playlistPaperAt(meta, at, (name) => parts.has(name)) ?? '';
      return `${shown} ${parts.get(shown)?.(at) ?? 'nothing'}`;
    }
    if (kind === 'board')
      return boardParts(meta)
        .map(({ paperId = '' }) => parts.get(paperId)?.(at))
        .join();
    const today = kind === 'calendar' ? clockIn(String(meta.timezone), at).slice(0, 10) : '';
    return `${id} ${today} ${runs(at)} ${timedNow(paper.timed, at)}`;
  };
}

/** Lists the changes of two days by asking for the next one again and again. */
function changesAskedFor(paper: PlannedPaper, from: number): PlannedChange[] {
  const changes: PlannedChange[] = [];
  for (let at = from; ; ) {
    const next = nextChangeOf(paper, at);
    if (next === undefined || next.at > from + 2 * dayMs) return changes;
    assert.ok(next.at > at, 'later than the one before');
    changes.push(next);
    at = next.at;
  }
}

/** Holds planned changes against what is drawn: each minute that draws something else is planned, and no other. */
function judge(seed: number, draws: (at: number) => string, planned: readonly PlannedChange[], from: number): void {
  const at = new Set(planned.map((change) => change.at));
  for (const moment of at)
    assert.is.not(
      draws(moment - 1),
      draws(moment),
      `seed ${seed}: nothing changes at ${new Date(moment).toISOString()}`,
    );
  let before = draws(from);
  for (let moment = from + minuteMs; moment <= from + 2 * dayMs; moment += minuteMs) {
    const now = draws(moment);
    const isPlanned = at.has(moment) || at.has(moment - minuteMs + fetchedWithinMs);
    if (now !== before) assert.ok(isPlanned, `seed ${seed}: missed ${new Date(moment).toISOString()}`);
    before = now;
  }
}

test('WK-10, WK-20: nothing changes before it is said to, and no change is missed, also where clocks are moved', () => {
  let found = 0;
  for (let seed = 1; seed <= 45; seed++) {
    const dice = diceOf(seed);
    const from = Date.parse(dice.oneOf(begins));
    const paper = dice.below(3) === 0 ? simplePaper(dice, idOf(1), from) : composedPaper(dice, from);
    const planned = changesAskedFor(paper, from);
    judge(seed, drawingOf(paper, from), planned, from);
    found += planned.length;
    const listed = plannedChangesOf(paper, { after: from, until: from + 2 * dayMs, most: 10_000 });
    assert.equal(listed, planned, `seed ${seed}: the list is what one learns one by one`);
  }
  assert.ok(found > 150, `${found} changes`);
});

test('WK-10: while a picture of the device itself is shown, the changes of its paper are none of the frame', () => {
  for (let seed = 1; seed <= 15; seed++) {
    const dice = diceOf(seed);
    const from = Date.parse(dice.oneOf(begins));
    const paper = composedPaper(dice, from);
    const own = timedOf(dice, from).filter(({ show_until }) => show_until !== null);
    const ofPaper = drawingOf(paper, from);
    const draws = (at: number): string => {
      const top = timedNow(own, at);
      return top === 'own' ? ofPaper(at) : top;
    };
    judge(seed, draws, changesOfDevice(paper, own, { after: from, until: from + 2 * dayMs, most: 10_000 }), from);
  }
});

test('WK-14: a picture that waits for its time is never early; a playlist and a new day may be', () => {
  const at = Date.parse('2026-05-04T10:00Z');
  const timed = [{ id: 'one', show_from: at, show_until: at + hourMs, shown_at: null }];
  const image = paperOf({ id: idOf(1), kind: 'image', title: 'Menu', timed });
  assert.equal(nextChangeOf(image, at - 1), { at, reason: { code: 'change-picture-begins' }, mayShowEarly: false });
  assert.equal(nextChangeOf(image, at)?.reason, { code: 'change-picture-ends' });
  assert.is(nextChangeOf(image, at + hourMs), undefined);
  const calendar = paperOf({ id: idOf(2), kind: 'calendar', title: 'Family', meta: { timezone: 'Europe/Berlin' } });
  const midnight = Date.parse('2026-05-04T22:00Z');
  assert.equal(nextChangeOf(calendar, at), { at: midnight, reason: { code: 'change-day' }, mayShowEarly: true });
  const entry = (paperId: string, startsAt: string) => ({ paperId, startsAt, rrule: 'FREQ=DAILY' });
  const playlist = paperOf({
    id: idOf(3),
    kind: 'playlist',
    meta: { playlistEntries: [entry(idOf(1), '2026-05-01T06:00'), entry(idOf(2), '2026-05-01T09:00')] },
    parts: new Map([
      [idOf(1), { ...image, timed: [] }],
      [idOf(2), calendar],
    ]),
  });
  assert.equal(nextChangeOf(playlist, at - 2 * hourMs), {
    at: at - hourMs,
    reason: { code: 'change-entry', params: { from: 'Menu', to: 'Family' } },
    mayShowEarly: true,
  });
  assert.is(nextChangeOf(playlist, at)?.at, midnight, 'the calendar is shown, and its day ends');
  const both = paperOf({
    id: idOf(4),
    kind: 'board',
    meta: { parts: [idOf(1), idOf(2)] },
    parts: new Map([
      [idOf(1), { ...image, timed: [{ id: 'two', show_from: midnight, show_until: null, shown_at: null }] }],
      [idOf(2), calendar],
    ]),
  });
  assert.equal(nextChangeOf(both, at)?.mayShowEarly, false, 'of two changes at once, one may not be early');
});

test('a playlist that changes every minute is listed as far as a frame keeps it, in bounded time', () => {
  const rule = (first: number): string =>
    `FREQ=HOURLY;BYMINUTE=${Array.from({ length: 30 }, (_, number) => first + 2 * number).join()}`;
  const entries = [0, 1].map((first) => ({
    paperId: idOf(first + 1),
    startsAt: `2026-05-01T00:0${first}`,
    rrule: rule(first),
  }));
  const parts = new Map(['image', 'image'].map((kind, at) => [idOf(at + 1), paperOf({ id: idOf(at + 1), kind })]));
  const paper = paperOf({ id: idOf(9), kind: 'playlist', meta: { playlistEntries: entries }, parts });
  const after = Date.parse('2026-05-04T10:00:30Z');
  const used = process.cpuUsage();
  const changes = plannedChangesOf(paper, { after, until: after + 26 * hourMs, most: maxPlannedChanges });
  const { user, system } = process.cpuUsage(used);
  assert.equal(
    changes.map(({ at }) => at),
    Array.from({ length: maxPlannedChanges }, (_, minute) => after + 30_000 + minute * minuteMs),
  );
  assert.ok(user + system < 2_000_000, `${user + system} µs`);
});

test('a paper that holds itself, and one that names papers that are gone, are followed to an end', () => {
  const parts = new Map<string, PlannedPaper>();
  const board = paperOf({ id: idOf(1), kind: 'board', meta: { parts: [idOf(1), idOf(2)] }, parts });
  const slides = paperOf({ id: idOf(2), kind: 'slides', meta: { selectedPapers: [idOf(1), idOf(3), idOf(4)] }, parts });
  parts.set(idOf(1), board).set(idOf(2), slides);
  const at = Date.parse('2026-05-04T10:00Z');
  assert.is(nextChangeOf(board, at), undefined);
  parts.set(idOf(3), paperOf({ id: idOf(3), kind: 'calendar' }));
  assert.is(nextChangeOf(board, at)?.at, Date.parse('2026-05-05T00:00Z'));
});

test('WK-20: a day that begins with skipped hours begins at its first valid minute, one that begins twice with the first', () => {
  const calendar = (timezone: string) => paperOf({ id: idOf(1), kind: 'calendar', meta: { timezone } });
  const next = (zone: string, after: string) => new Date(nextChangeOf(calendar(zone), Date.parse(after))?.at ?? 0);
  // In Havana clocks go from 0:00 to 1:00 in spring, and from 1:00 back to 0:00 in autumn.
  assert.is(next('America/Havana', '2026-03-07T20:00Z').toISOString(), '2026-03-08T05:00:00.000Z');
  assert.is(next('America/Havana', '2026-10-31T20:00Z').toISOString(), '2026-11-01T04:00:00.000Z');
  assert.is(next('America/Havana', '2026-11-01T04:30Z').toISOString(), '2026-11-02T05:00:00.000Z');
});

test('an album goes on when its pace says so: the hours count from the picture that is seen', () => {
  const since = Date.parse('2026-05-04T10:10Z');
  const album = (meta: object, pictures = 3) =>
    paperOf({ id: idOf(1), kind: 'album', meta: { ...meta }, album: { pictures, since } });
  const next = nextChangeOf(album({ every: 3 }), since)?.at ?? 0;
  assert.is(next, since + 3 * hourMs);
  assert.ok(isTimeForNext({ every: 3 }, since, next));
  assert.not(isTimeForNext({ every: 3 }, since, next - 6 * minuteMs));
  const day = { every: 'day', timezone: 'Asia/Kolkata' };
  const turned = nextChangeOf(album(day), since)?.at ?? 0;
  assert.ok(isTimeForNext(day, since, turned));
  assert.not(isTimeForNext(day, since, turned - 1));
  assert.is(nextChangeOf(album({}), since), undefined, 'each wake brings the next');
  assert.is(nextChangeOf(album({ every: 3 }, 1), since), undefined, 'of one picture there is no other');
});

test('a recipe is in the picture soon after its sources are asked, and an integration changes with the events that it shows', () => {
  const dueAt = Date.parse('2026-05-04T10:10Z');
  const recipe = paperOf({ id: idOf(1), kind: 'recipe', asked: { dueAt, everyMs: 15 * minuteMs } });
  assert.is(nextChangeOf(recipe, dueAt)?.at, dueAt + fetchedWithinMs);
  assert.is(nextChangeOf(recipe, dueAt + hourMs + fetchedWithinMs)?.at, dueAt + 75 * minuteMs + fetchedWithinMs);
  const meta = { pluginManifest: { requiredPermissions: ['googleCalendar'] }, timezone: 'UTC' };
  const events = [{ begins: dueAt, ends: dueAt + hourMs }];
  const plugin = paperOf({ id: idOf(2), kind: 'plugin', meta, events });
  assert.equal(nextChangeOf(plugin, dueAt - 1)?.reason, { code: 'change-event-begins' });
  assert.equal(nextChangeOf(plugin, dueAt)?.reason, { code: 'change-event-ends' });
  assert.equal(nextChangeOf(plugin, dueAt + hourMs)?.reason, { code: 'change-day' });
});

test.run();
