/** Papers are read with all that their future depends on: recipes, albums, events on pages, and papers in others. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CalendarOptions } from '../../api/calendar/read-calendars.ts';
import { keepingEventTimes } from '../../api/planned-changes/event-times.ts';
import { loadPapers } from '../../api/planned-changes/load-papers.ts';
import { nextChangeOf } from '../../api/planned-changes/next-change.ts';
import { keepData } from '../../api/recipes/data/kept-data.ts';
import { plansDue } from '../../gateway/frames/plans-due.ts';
import { isoTime } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { type LineWorld, withLine } from '../delivery/delivery-world.ts';

const test = suite('papers whose future is read');

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Reads a paper, and returns its next change after now: how long until it comes, and its code. */
async function nextOf({ db, clock }: LineWorld, id: string): Promise<[minutes: number, code: string] | undefined> {
  const paper = (await loadPapers(db, [id])).get(id);
  const next = paper && nextChangeOf(paper, clock.now());
  return next && [(next.at - clock.now()) / minuteMs, next.reason?.code ?? ''];
}

test('a recipe that asks addresses changes when it asks again, alone and on a board; one that asks nobody does not', async () => {
  await withLine(async (world) => {
    const { db, clock, organizationId } = world;
    const now = clock.now();
    const recipe = async (id: string, strategy: string): Promise<string> => {
      await db('recipes').insert({
        id,
        organization_id: organizationId,
        name: id,
        settings: JSON.stringify({ strategy, everyMinutes: 20, addresses: 'https://a.example/data' }),
        views: JSON.stringify({ full: 'x' }),
        source_kind: 'written',
        source: '',
        licence: '',
        created_at: now,
        updated_at: now,
      });
      return world.addPaper({ recipe: id }, 'recipe');
    };
    const [asks, quiet] = [
      await recipe('00000000000000000000000a', 'polling'),
      await recipe('00000000000000000000000b', 'static'),
    ];
    const kept = { askedAs: 'x', polledAt: now, dueAt: now + 20 * minuteMs, answers: [] };
    await keepData(db, asks, kept);
    await keepData(db, quiet, kept);
    const marked = (await plansDue(db, now, 10)).map(({ place }) => place);
    assert.equal(
      marked.filter((place) => place === asks),
      [asks],
      'an answer has it planned again',
    );
    assert.equal(await nextOf(world, asks), [20.75, 'change-asked']);
    assert.is(await nextOf(world, quiet), undefined);
    const board = await world.addPaper({ arrangement: 'rows', parts: [quiet, asks] }, 'board');
    assert.equal(await nextOf(world, board), [20.75, 'change-asked']);
    clock.passes(21 * minuteMs);
    assert.equal(await nextOf(world, asks), [19.75, 'change-asked'], 'and so on at its pace');
  });
});

test('an album counts from the picture that a frame shows', async () => {
  await withLine(async (world) => {
    const { db, clock, random } = world;
    const album = await world.addPaper({ every: 6 }, 'album');
    const sent = (place: number) =>
      db('sent_pictures').insert({
        id: random.id(),
        paper_id: album,
        picture_key: `key-${place}`,
        bytes: 1,
        sender: 'account:a',
        sender_name: 'Ada',
        digest: `${place}`,
        caption: '',
        place,
        created_at: clock.now(),
      });
    await sent(1);
    assert.is(await nextOf(world, album), undefined, 'no frame shows it');
    const frame = await world.addFrame(album);
    await world.settles();
    clock.passes(hourMs);
    assert.is(await nextOf(world, album), undefined, 'there is one picture');
    await sent(2);
    assert.equal(await nextOf(world, album), [300, 'change-album']);
    await db('shown_pictures').where({ device_id: frame.deviceId }).update({ render_for: clock.now() });
    assert.equal(await nextOf(world, album), [360, 'change-album'], 'it was made for a later wake');
  });
});

test('the events that an integration’s page was given are kept, once, and only of pictures', async () => {
  await withLine(async (world) => {
    const { db, clock, organizationId } = world;
    const meta = { pluginManifest: { requiredPermissions: ['googleCalendar'] }, timezone: 'UTC' };
    const paper = await world.addPaper(meta, 'plugin');
    const time = (minutes: number) => ({ dateTime: isoTime(clock.now() + minutes * minuteMs), timeZone: 'UTC' });
    const events = [
      { calendar: 'a', summary: 'Class', start: time(30), end: time(75) },
      { calendar: 'a', summary: 'Holiday', start: { date: '2026-01-01' }, end: { date: '2026-01-02' } },
    ];
    const reads = keepingEventTimes({ db, clock, logger: silentLogger }, async () => ({
      calendarAuth: { status: 'ok', calendars: {} },
      calendarData: { calendars: [], events },
    }));
    const read = (purpose: string, more: Partial<CalendarOptions> = {}) =>
      reads({ sharer: [organizationId, purpose, paper], meta, at: clock.now(), ...more });
    await read('view');
    await read('picture', { latest: true });
    await read('picture', { meta: { timezone: 'UTC' } });
    assert.equal(await db('event_times'), [], 'neither of a view, nor of a draft, nor of a calendar');
    await read('picture');
    assert.equal(await nextOf(world, paper), [30.75, 'change-event-begins']);
    clock.passes(40 * minuteMs);
    assert.equal(await nextOf(world, paper), [35.75, 'change-event-ends']);
    const marks = async () => (await plansDue(db, clock.now(), 10)).map(({ place, marks: count }) => [place, count]);
    const before = await marks();
    await read('picture');
    assert.equal(await marks(), before, 'the same times make nothing due');
    events.pop();
    events[0] = { calendar: 'a', summary: 'Class', start: time(60), end: time(90) };
    await read('picture');
    assert.equal(await nextOf(world, paper), [60.75, 'change-event-begins']);
    const after = await marks();
    assert.is.not(JSON.stringify(after), JSON.stringify(before));
    await reads({ sharer: [organizationId, 'picture', 'gone'], meta, at: clock.now() });
    assert.equal(await marks(), after, 'nothing is kept of a paper that is gone');
  });
});

test('papers in others are those of the same organization that are not made of others themselves', async () => {
  await withLine(async (world) => {
    const { db } = world;
    const calendar = await world.addPaper({ timezone: 'UTC' }, 'calendar');
    const inner = await world.addPaper({ selectedPapers: { [calendar]: true } }, 'slides');
    const stranger = await world.addPaper({ timezone: 'UTC' }, 'calendar');
    const board = await world.addPaper({ arrangement: 'rows', parts: [inner, stranger] }, 'board');
    const slides = await world.addPaper({ selectedPapers: [calendar, board, 'f'.repeat(24)] }, 'slides');
    const paper = async (id: string) => (await loadPapers(db, [id])).get(id);
    assert.equal([...((await paper(slides))?.parts.keys() ?? [])], [calendar]);
    assert.equal([...((await paper(board))?.parts.keys() ?? [])], [stranger]);
    const own = await db('organizations').where({ id: world.organizationId }).first();
    await db('organizations').insert({ ...own, id: 'e'.repeat(24) });
    await db('papers')
      .where({ id: stranger })
      .update({ organization_id: 'e'.repeat(24) });
    assert.is((await paper(board))?.parts.size, 0);
    assert.is(await nextOf(world, board), undefined);
    assert.is((await nextOf(world, slides))?.[1], 'change-day');
    assert.is(await paper('f'.repeat(24)), undefined);
  });
});

test.run();
