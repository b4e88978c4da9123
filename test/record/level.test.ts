/** The service level: pictures in time are counted from the upload log, and a budget that burns is found. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countLevelDays } from '../../api/service-level/count-level-days.ts';
import { judgeLevel, levelOf, setLevelTarget } from '../../api/service-level/level.ts';
import { alone } from '../../cluster/alone.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { type LineWorld, withLine } from '../delivery/delivery-world.ts';

const test = suite('service level');
const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Offers a picture some minutes ago, which was shown some minutes later, or never. */
async function offered({ db, clock, random }: LineWorld, serial: string, agoMinutes: number, took: number | null) {
  const at = clock.now() - agoMinutes * minuteMs;
  const { packing: format } = epd7;
  const picture = { serial, revision: `page:${random.id()}`, sha256: 'aa', bytes: 1, format, panel: 'epd7' };
  const { id } = await db.transaction((trx) => uploadLog(trx).offer(picture, { now: at, random }));
  const shown = took === null ? {} : { fetched_at: at + 1, shown_at: at + took * minuteMs };
  await db('uploads')
    .where({ id })
    .update({ announced_at: at, ...shown });
}

async function counts({ db, clock, organizationId }: LineWorld): Promise<string> {
  await countLevelDays({ db, clock, single: alone.single });
  const { pictures, inTime } = await levelOf(db, organizationId, clock.now());
  return `${inTime} of ${pictures}`;
}

test('a picture has one sleep of its frame and five minutes; one that was replaced before that is not counted', () =>
  withLine(async (world) => {
    const { db } = world;
    const [one, other] = [await world.addFrame(), await world.addFrame()];
    await db('frames').update({ sleep_seconds: 3600, kept_sleep_seconds: null });
    assert.is(await counts(world), '0 of 0');
    await offered(world, one.serial, 300, 65);
    assert.is(await counts(world), '1 of 1', 'in time to the minute');
    await offered(world, one.serial, 200, 66);
    assert.is(await counts(world), '1 of 2', 'a minute later is late');
    await offered(world, one.serial, 100, null);
    assert.is(await counts(world), '1 of 3', 'never is late, once its time is over');
    await offered(world, one.serial, 30, null);
    assert.is(await counts(world), '1 of 3', 'one whose time is not over is not judged');
    await offered(world, other.serial, 64, null);
    await offered(world, other.serial, 20, 5);
    assert.is(await counts(world), '2 of 4', 'the next one came before the time of the one before was over');
    await db('frames').where({ serial: other.serial }).update({ kept_sleep_seconds: 86_400 });
    assert.is(await counts(world), '2 of 4', 'counting again counts the same');
    await db('frames').where({ serial: one.serial }).update({ activation: 'released' });
    assert.is(await counts(world), '1 of 1', 'of frames that belong to somebody');
  }));

test('a frame that was asleep has the sleep that it was sent, whatever it is to keep', () =>
  withLine(async (world) => {
    const { db, clock } = world;
    const frame = await world.addFrame();
    await db('frames').update({ sleep_seconds: 3600, kept_sleep_seconds: null });
    const asleep = (agoMinutes: number, minutes: number) => {
      const since = clock.now() - agoMinutes * minuteMs;
      return db('frames').update({ last_contact_at: since, asleep_until: since + minutes * minuteMs });
    };
    await asleep(900, 600);
    await offered(world, frame.serial, 890, 600);
    assert.is(await counts(world), '1 of 1', 'until its window opens');
    await asleep(250, 10);
    await offered(world, frame.serial, 245, 16);
    assert.is(await counts(world), '1 of 2', 'it was to come for a change within ten minutes');
    await offered(world, frame.serial, 200, 64);
    assert.is(await counts(world), '2 of 3', 'one that is late or awake has the sleep that it is to keep');
  }));

test('a picture that is offered again after it was proven was proven', () =>
  withLine(async (world) => {
    const { db, clock, random } = world;
    const frame = await world.addFrame();
    await offered(world, frame.serial, 200, 10);
    const upload = await uploadLog(db).newest(frame.serial);
    const row = await db('frames').where({ serial: frame.serial }).first();
    if (upload === undefined) throw new Error('nothing was offered');
    await db.transaction((trx) => uploadLog(trx).offerAgain(upload, row, { now: clock.now(), random }));
    assert.is(await counts(world), '1 of 1');
  }));

test('days that are over are kept as they were counted, for thirty days', () =>
  withLine(async (world) => {
    const { db, clock } = world;
    const frame = await world.addFrame();
    await offered(world, frame.serial, 300, 5);
    assert.is(await counts(world), '1 of 1');
    clock.passes(5 * dayMs);
    await db('uploads').delete();
    assert.is(await counts(world), '1 of 1');
    clock.passes(26 * dayMs);
    assert.is(await counts(world), '0 of 0');
  }));

test('a budget is what the target leaves, and burns where a fifth of it goes in two days, of three pictures at least', () => {
  const judge = (pictures: number, late: number, lately: number, target = 990) =>
    judgeLevel({ pictures, inTime: pictures - late, lately, target });
  const near = (one: number, other: number): void => assert.ok(Math.abs(one - other) < 1e-9, `${one} is not ${other}`);
  assert.is(judge(0, 0, 0).share, null);
  near(judge(1000, 0, 0).budget, 1);
  near(judge(1000, 5, 0).budget, 0.5);
  near(judge(1000, 10, 0).budget, 0);
  near(judge(1000, 25, 0).budget, -1.5);
  assert.is(judge(1000, 2, 2).isBurning, false, 'two pictures are nobody’s alarm');
  assert.is(judge(1000, 3, 3).isBurning, true);
  assert.is(judge(10_000, 30, 19).isBurning, false);
  assert.is(judge(10_000, 30, 20).isBurning, true);
  assert.is(judge(10_000, 60, 60, 900).isBurning, false);
});

test('an organization aims at 99 %, unless it says otherwise', () =>
  withLine(async ({ db, clock, organizationId }) => {
    assert.is((await levelOf(db, organizationId, clock.now())).target, 990);
    for (const target of [950, 900]) await setLevelTarget(db, organizationId, target, clock.now());
    assert.is((await levelOf(db, organizationId, clock.now())).target, 900);
  }));

test.run();
