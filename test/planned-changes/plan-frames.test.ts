/** The step that keeps what is planned for frames: what makes a place due, and what it costs. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deliveryLine } from '../../api/delivery/delivery-line.ts';
import { timedPictures } from '../../api/delivery-state/timed-rows.ts';
import { deviceStore, findDevice } from '../../api/devices/store.ts';
import { paperStore } from '../../api/papers/store.ts';
import { planFrames } from '../../api/planned-changes/plan-frames.ts';
import { maxPlannedChanges, type PlannedChange } from '../../gateway/frames/planned-changes.ts';
import { planAgain } from '../../gateway/frames/plans-due.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { wordsOf } from '../../reasons/words.ts';
import { isoTime } from '../../runtime/clock.ts';
import { type LineWorld, withLine } from '../delivery/delivery-world.ts';

const test = suite('planned frames');

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

type Frame = Awaited<ReturnType<LineWorld['addFrame']>>;

/** A frame as people place it, with the paper that it shows. */
async function placed(world: LineWorld, paperId: string): Promise<Frame> {
  const frame = await world.addFrame(null);
  await shows(world, frame, paperId);
  return frame;
}

async function shows(world: LineWorld, frame: Frame, paperId: string): Promise<void> {
  const device = await findDevice(world.db, frame.deviceId);
  if (device === undefined) throw new Error('no device');
  await deviceStore(world.db).change(device, { paper_id: paperId, updated_at: world.clock.now() });
  await world.settles();
}

async function changeMeta(world: LineWorld, paperId: string, meta: object): Promise<void> {
  const paper = await paperStore(world.db).find(paperId);
  if (paper === undefined) throw new Error('no paper');
  await paperStore(world.db).change(paper, { meta: JSON.stringify(meta), updated_at: world.clock.now() });
  await world.settles();
}

async function planned(world: LineWorld, { serial }: Frame): Promise<readonly PlannedChange[]> {
  const row = await frameRegistry(world.db).find(serial);
  return JSON.parse(row?.planned_changes ?? '[]');
}

/** The planned changes in words. */
const told = async (world: LineWorld, frame: Frame): Promise<string[]> =>
  (await planned(world, frame)).map(({ at, reason }) => `${isoTime(at).slice(5, 16)} ${reason && wordsOf(reason)}`);

const entry = (paperId: string, time: string) => ({ paperId, startsAt: `2026-01-01T${time}`, rrule: 'FREQ=DAILY' });

function timedRow(
  world: LineWorld,
  place: { paper_id?: string; device_id?: string },
  from: number,
  until: number | null,
) {
  const now = world.clock.now();
  return timedPictures(world.db).insert({
    id: world.random.id(),
    organization_id: world.organizationId,
    paper_id: null,
    device_id: null,
    ...place,
    account_id: 'account',
    author: 'Ada',
    state: 'waiting',
    reason: null,
    picture_key: 'picture',
    device_picture_key: null,
    editable_key: null,
    settings: null,
    uuid: null,
    orientation: null,
    show_from: now + from,
    show_until: until === null ? null : now + until,
    due_at: now + from,
    shown_at: null,
    created_at: now,
    updated_at: now,
  });
}

test('a frame has the changes of its paper: it follows the paper’s settings, another paper, and the papers in it', async () => {
  await withLine(async (world) => {
    const [menu, news] = [
      await world.addPaper({ name: 'Menu' }, 'text'),
      await world.addPaper({ name: 'News' }, 'text'),
    ];
    const both = [entry(menu, '06:00'), entry(news, '14:00')];
    const playlist = await world.addPaper({ playlistEntries: both }, 'playlist');
    const frame = await placed(world, playlist);
    const today = isoTime(world.clock.now()).slice(5, 10);
    assert.ok((await told(world, frame)).includes(`${today}T14:00 Menu changes to News`));
    await changeMeta(world, playlist, { playlistEntries: [both[0], entry(news, '15:30')] });
    assert.ok((await told(world, frame)).includes(`${today}T15:30 Menu changes to News`), 'the playlist was changed');
    await changeMeta(world, news, { name: 'Late news' });
    assert.ok(
      (await told(world, frame)).includes(`${today}T15:30 Menu changes to Late news`),
      'a paper in it was changed',
    );
    const calendar = await world.addPaper({ timezone: 'UTC' }, 'calendar');
    await shows(world, frame, calendar);
    const words = await told(world, frame);
    assert.equal(
      words.map((text) => text.slice(6)),
      ['00:00 a new day begins', '00:00 a new day begins'].slice(0, words.length),
    );
    const text = await world.addPaper({ text: 'Hello' }, 'text');
    await shows(world, frame, text);
    assert.equal(await told(world, frame), []);
    const left: { place: string }[] = await world.db('plans_due').where('place', text);
    assert.equal(left, [], 'a paper that does not change by itself is not due again');
    await shows(world, frame, playlist);
    const removed = await paperStore(world.db).find(news);
    if (removed === undefined) throw new Error('no paper');
    await paperStore(world.db).remove(removed);
    await world.settles();
    assert.equal(await told(world, frame), [], 'the paper that was to come is gone');
  });
});

test('pictures that have their time on the paper, or on the device itself, are planned when they are sent', async () => {
  await withLine(async (world) => {
    const paper = await world.addPaper({}, 'image');
    const frame = await placed(world, paper);
    await timedRow(world, { paper_id: paper }, hourMs, 3 * hourMs);
    await world.settles();
    assert.equal(await told(world, frame).then((all) => all.map((text) => text.slice(12))), [
      'a picture begins that waited for its time',
      'the time of the picture ends',
    ]);
    await timedRow(world, { device_id: frame.deviceId }, 2 * hourMs, 4 * hourMs);
    await world.settles();
    const now = world.clock.now();
    const times = (await planned(world, frame)).map(({ at }) => (at - now) / hourMs);
    assert.equal(times, [1, 2, 4], 'what ends beneath a picture of the device is not seen');
    await timedPictures(world.db).end(
      (await world.db('timed_pictures').whereNotNull('device_id').first('id')).id,
      'cancelled',
      now,
    );
    await world.settles();
    assert.equal(
      (await planned(world, frame)).map(({ at }) => (at - now) / hourMs),
      [1, 3],
      'it was cancelled',
    );
  });
});

test('time passes: the list goes on, and a place is looked at when it is due and at no other time', async () => {
  await withLine(async (world) => {
    const { db, clock } = world;
    const paper = await world.addPaper({ timezone: 'UTC' }, 'calendar');
    const frame = await placed(world, paper);
    const due = async (): Promise<number> => (await db('plans_due').where({ place: paper }).first('due_at')).due_at;
    let last = await due();
    assert.ok(last > clock.now() && last <= clock.now() + 2 * hourMs);
    for (let step = 0; step < 60; step++) {
      clock.passes(50 * minuteMs);
      await world.settles();
      const next = (await planned(world, frame)).filter(({ at }) => at > clock.now());
      assert.ok(next.length >= 1, 'the next midnight is known');
      assert.is((next[0]?.at ?? 0) % (24 * hourMs), 0);
      const now = await due();
      if (last > clock.now()) assert.is(now, last, 'not planned before it was due');
      last = now;
    }
  });
});

test('500 frames on one paper plan it once, papers that no frame shows plan nothing, and a playlist of minutes is capped', async () => {
  await withLine(async (world) => {
    const { db, clock } = world;
    const [one, other] = [await world.addPaper({}, 'text'), await world.addPaper({}, 'text')];
    const minutes = (first: number) => Array.from({ length: 30 }, (_, number) => first + 2 * number).join();
    const entries = [one, other].map((paperId, first) => ({
      paperId,
      startsAt: `2026-01-01T00:0${first}`,
      rrule: `FREQ=HOURLY;BYMINUTE=${minutes(first)}`,
    }));
    const playlist = await world.addPaper({ playlistEntries: entries }, 'playlist');
    const hidden = await world.addPaper({ playlistEntries: entries }, 'playlist');
    for (let count = 0; count < 500; count++) await world.addFrame(playlist);
    await planAgain(db, [playlist, hidden]);
    let reads = 0;
    let statements = 0;
    const counted = (query: { sql: string }): void => {
      statements++;
      if (/from .timed_pictures. where .paper_id. in/.test(query.sql)) reads++;
    };
    db.on('query', counted);
    await planFrames({ db, clock });
    assert.is(reads, 1, 'the paper was read once');
    assert.ok(statements <= 500 + 60, `${statements} statements: one for each list, and some for all of them`);
    const lists: { planned_changes: string }[] = await db('frames').whereNotNull('planned_changes');
    assert.is(lists.length, 500);
    assert.is(new Set(lists.map((row) => row.planned_changes)).size, 1);
    assert.is(JSON.parse(lists[0]?.planned_changes ?? '[]').length, maxPlannedChanges);
    assert.equal(await db('plans_due').where({ place: hidden }), []);
    const before = await db('frames').first('updated_at', 'planned_changes').whereNotNull('planned_changes');
    clock.passes(3 * minuteMs);
    statements = 0;
    await planFrames({ db, clock });
    db.removeListener('query', counted);
    assert.ok(statements <= 60, `${statements} statements for 500 lists that still hold`);
    const after = await db('frames').first('updated_at', 'planned_changes').whereNotNull('planned_changes');
    assert.equal(after, before, 'what is stored still says it, and is not written each minute');
  });
});

test('a frame that stays connected is drawn for at the change, once; one that sleeps is not', async () => {
  await withLine(async (world) => {
    const { db, clock, line, lineDeps, renders } = world;
    const paper = await world.addPaper({ timezone: 'UTC', orientation: 'landscape' }, 'calendar');
    const [awake, away, sleeps] = [await placed(world, paper), await placed(world, paper), await placed(world, paper)];
    // Its connection is still open.
    await db('frames')
      .where({ serial: sleeps.serial })
      .update({ asleep_until: clock.now() + 48 * hourMs });
    await line.stop();
    const next = deliveryLine({ ...lineDeps, connected: () => [awake.serial, sleeps.serial] });
    next.start();
    await next.idle();
    const midnight = (await planned(world, awake))[0]?.at ?? 0;
    const drawn = renders.wanted.length;
    clock.passes(midnight - clock.now() - 1);
    await next.idle();
    assert.is(renders.wanted.length, drawn, 'not before');
    clock.passes(1);
    await next.idle();
    assert.equal(
      renders.wanted.slice(drawn).map(({ serial, at }) => ({ serial, at })),
      [{ serial: awake.serial, at: midnight }],
    );
    assert.is.not(away.serial, awake.serial);
    clock.passes(20 * minuteMs);
    await next.idle();
    assert.is(renders.wanted.length, drawn + 1, 'once');
    await next.stop();
  });
});

test('a page that is fetched at its time is drawn then for frames that sleep, also as a part, and is planned for soon after', async () => {
  await withLine(async (world) => {
    const { clock, renders } = world;
    const site = await world.addPaper(
      { url: 'https://a.example/', schedule: '15 * * * *', timezone: 'UTC' },
      'website',
    );
    const note = await world.addPaper({ text: 'Hello' }, 'text');
    const board = await world.addPaper({ orientation: 'landscape', arrangement: 'rows', parts: [note, site] }, 'board');
    const frame = await placed(world, board);
    const [next] = await planned(world, frame);
    const run = (next?.at ?? 0) - 45_000;
    assert.is(new Date(run).getUTCMinutes(), 15);
    assert.is(next?.mayShowEarly, false);
    const drawn = renders.wanted.length;
    clock.passes(run - clock.now() - 1);
    await world.line.idle();
    assert.is(renders.wanted.length, drawn, 'not before');
    clock.passes(1);
    await world.line.idle();
    assert.is(renders.wanted.length, drawn + 1);
    clock.passes(50 * minuteMs);
    await world.settles();
    assert.is(renders.wanted.length, drawn + 1, 'once');
  });
});

test('WK-14: a frame that wakes up to a minute before the new day is given the picture of that day', async () => {
  await withLine(async (world) => {
    const { db, clock, renders } = world;
    const paper = await world.addPaper({ timezone: 'UTC', orientation: 'landscape' }, 'calendar');
    const frame = await placed(world, paper);
    const midnight = (await planned(world, frame))[0]?.at ?? 0;
    const wakesAt = async (at: number): Promise<number | undefined> => {
      await db('frames').where({ serial: frame.serial }).update({ asleep_until: at });
      await world.settles();
      return renders.wanted.at(-1)?.at;
    };
    clock.passes(midnight - clock.now() - 4 * minuteMs);
    assert.is(await wakesAt(midnight - 2 * minuteMs), midnight - 2 * minuteMs, 'two minutes before it is the old day');
    assert.is(await wakesAt(midnight - 40_000), midnight);
  });
});

test.run();
