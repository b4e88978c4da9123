/** The nightly pass over frames' events: routine wakes are folded, the rest stays, old ones go, and readers still answer. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-tables.ts';
import { eventDayMs, eventDayOf, eventParts, makeEventDays } from '../../gateway/frames/event-days.ts';
import { type EventType, recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { lastAlert, lastFailedPicture, readEvents } from '../../gateway/frames/read-events.ts';
import { readingsOf } from '../../gateway/frames/readings.ts';
import { tidyEvents } from '../../gateway/frames/tidy-events.ts';
import { type Database, isPostgres, openDatabase } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';
import { withFolder } from '../journeys/world.ts';

const test = suite('events of frames are folded');
const hourMs = 3_600_000;
/** A midnight some days after the tables were made, so that every day of the test has its own on PostgreSQL. */
const start = (eventDayOf(Date.now()) + 10) * eventDayMs;
const serial = 'epd7-aabbccddeeff';
const other = 'epd7-000000000001';

interface EventWorld {
  readonly db: Database;
  record(at: number, type: EventType, payload: Record<string, unknown>, of?: string): Promise<void>;
  wake(at: number, report?: Record<string, unknown>, of?: string): Promise<void>;
  events(): Promise<readonly { readonly type: string; readonly payload: Readonly<Record<string, unknown>> }[]>;
}

const withEvents = (run: (world: EventWorld) => Promise<void>): Promise<void> =>
  withFolder(async (_folder, rows) => {
    const db = await openDatabase(rows, tables);
    try {
      await play(db, run);
    } finally {
      await db.destroy();
    }
  });

async function play(db: Database, run: (world: EventWorld) => Promise<void>): Promise<void> {
  let now = start;
  const random = systemRandom({ now: () => now, after: () => ({ cancel() {} }) });
  const record: EventWorld['record'] = async (at, type, payload, of = serial) => {
    now = at;
    await recordFrameEvent(db, random, { serial: of, type, at, payload });
  };
  const times = { created_at: 0, updated_at: 0 };
  const frame = {
    kind: 'epd7',
    activation: 'activated',
    sleep_seconds: 3600,
    reported_version: 0,
    announced_version: 1,
  };
  for (const one of [serial, other]) await db('frames').insert({ serial: one, spelling: one, ...frame, ...times });
  await makeTables(db);
  await run({
    db,
    record,
    async wake(at, report = {}, of = serial) {
      await record(at, 'connect', {}, of);
      await record(at + 10, 'hello', { dialect: 'native', wake: 'timer', batteryMv: 4000, rssi: -60, ...report }, of);
      await record(at + 20, 'disconnect', {}, of);
    },
    events: () => readEvents(db, serial, { from: 0, before: start + 400 * eventDayMs, types: [], limit: 10_000 }),
  });
}

/** Makes the tables that the passes of earlier nights would have made. */
async function makeTables(db: Database): Promise<void> {
  if (isPostgres(db)) for (const day of [0, 8, 16]) await makeEventDays(db, start + day * eventDayMs);
}

const week = 7 * eventDayMs;

test('after a week the routine wakes of a day and frame are one row, which says how many and between which values', () =>
  withEvents(async ({ db, wake, events }) => {
    for (let hour = 0; hour < 24; hour++)
      await wake(start + hour * hourMs, { batteryMv: 4000 - hour, rssi: -60 - hour });
    await wake(start + eventDayMs + hourMs, { batteryMv: 3900 });
    await wake(start + hourMs, {}, other);
    assert.equal(
      await tidyEvents(db, start + eventDayMs + week - 1, 90),
      { forgotten: 0, folded: 0 },
      'the day is too young',
    );
    assert.equal(await tidyEvents(db, start + eventDayMs + week + 1, 90), { forgotten: 0, folded: 71 + 2 });
    const [folded, ...young] = await events();
    assert.equal(folded?.payload, {
      dialect: 'native',
      wake: 'timer',
      batteryMv: 3977,
      rssi: -83,
      folded: {
        wakes: 24,
        first: new Date(start + 10).toISOString(),
        last: new Date(start + 23 * hourMs + 10).toISOString(),
        batteryMv: [3977, 4000],
        rssi: [-83, -60],
      },
    });
    assert.equal(
      young.map(({ type }) => type),
      ['connect', 'hello', 'disconnect'],
    );
    assert.equal(
      await tidyEvents(db, start + eventDayMs + week + 1, 90),
      { forgotten: 0, folded: 0 },
      'a second run finds nothing',
    );
    const readings = await readingsOf(db, serial, { from: start, to: start + 2 * eventDayMs, points: 48 });
    assert.equal(
      readings.map(({ batteryMv }) => batteryMv),
      [3977, 3900],
      'curves have a point for the folded day',
    );
  }));

test('INV-87: events that are not routine stay as they were: a button, doubt, alerts, failures, and a wake whose values nobody said', () =>
  withEvents(async ({ db, record, wake, events }) => {
    await record(start + 1, 'connect', { takeover: true });
    await wake(start + 2, { wake: 'button' });
    await wake(start + 100, { suspect: true });
    await wake(start + 200, { superseded: true });
    await record(start + 300, 'alert', { problem: 'it is too quiet' });
    await record(start + 400, 'picture', { stage: 'failed', uploadId: null, reason: 'no power' });
    await wake(start + 500, { batteryMv: undefined, rssi: undefined });
    await record(start + 600, 'log', { message: 'said "wake":"timer"' });
    const before = await events();
    await tidyEvents(db, start + eventDayMs + week + 1, 90);
    const after = await events();
    const isKept = ({ type, payload }: (typeof before)[number]): boolean =>
      !(['connect', 'disconnect'].includes(type) && JSON.stringify(payload) === '{}') && !('folded' in payload);
    const isPlain = ({ payload }: (typeof before)[number]): boolean =>
      payload.wake === 'timer' && !payload.suspect && !payload.superseded;
    assert.equal(
      after.filter(isKept),
      before.filter((event) => isKept(event) && !isPlain(event)),
    );
    const [folded] = after.filter(({ payload }) => 'folded' in payload);
    assert.is((folded?.payload.folded as Record<string, unknown> | undefined)?.batteryMv, null);
    assert.is(after.length, 8);
    assert.is((await lastAlert(db, serial, start))?.problem, 'it is too quiet');
    assert.equal((await lastFailedPicture(db, serial))?.reasons, ['no power']);
  }));

test('wakes under different owners of one day are folded for each of them', () =>
  withEvents(async ({ db, wake, events }) => {
    for (const hour of [1, 2]) await wake(start + hour * hourMs);
    await db('frames').where({ serial }).update({ ownership: 2 });
    for (const hour of [3, 4, 5]) await wake(start + hour * hourMs);
    await tidyEvents(db, start + eventDayMs + week + 1, 90);
    assert.equal(
      (await events()).map(({ payload }) => (payload.folded as { wakes: number } | undefined)?.wakes),
      [3],
    );
    assert.is(Number((await db('frame_events').where({ ownership: 1 }).count({ count: '*' }).first())?.count), 1);
  }));

test('events older than ninety days go, in steps or with their table, and nothing younger does', () =>
  withEvents(async ({ db, record, events }) => {
    for (let day = 0; day < 5; day++)
      await record(start + day * eventDayMs + hourMs, 'alert', { problem: `day ${day}` });
    await tidyEvents(db, start + (90 + 2) * eventDayMs + 2 * hourMs, 90);
    const left = (await events()).map(({ payload }) => payload.problem);
    // PostgreSQL drops a day once the whole of it is too old.
    assert.equal(left, isPostgres(db) ? ['day 2', 'day 3', 'day 4'] : ['day 3', 'day 4']);
    if (!isPostgres(db)) return;
    const days = (await eventParts(db)).flatMap(({ day }) => day ?? []);
    assert.is(days.includes(eventDayOf(start) + 1), false, 'its table is gone');
    assert.ok(days.includes(eventDayOf(start) + 92 + 8), 'tables of the coming days are there');
  }));

test('an event for whose day nobody made a table is kept, and moves there when it is made', () =>
  withEvents(async ({ db, record, events }) => {
    if (!isPostgres(db)) return;
    const late = start + 200 * eventDayMs;
    await record(late + hourMs, 'alert', { problem: 'the nights before were missed' });
    const inRest = async () => Number((await db('frame_events_rest').count({ count: '*' }).first())?.count);
    assert.equal([await inRest(), (await events()).length], [1, 1]);
    await makeEventDays(db, late);
    await makeEventDays(db, late);
    assert.equal([await inRest(), (await events()).length], [0, 1]);
    assert.is(
      Number(
        (
          await db(`frame_events_d${eventDayOf(late)}`)
            .count({ count: '*' })
            .first()
        )?.count,
      ),
      1,
    );
  }));

test.run();
