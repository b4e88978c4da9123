/** How old the data in pictures are: kept with each picture, told for the one on the glass and for the newest one. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DataSource } from '../../api/devices/data-sources.ts';
import { findDevice } from '../../api/devices/store.ts';
import { explainDevice } from '../../api/explanations/explain-device.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { isoTime } from '../../runtime/clock.ts';
import { type LineWorld, withLine } from './delivery-world.ts';

const test = suite('ages of data');

const minuteMs = 60_000;

/** A world whose pictures are of one source, as young as the clock says; `pixels` are what is drawn. */
function draws(world: LineWorld, source: Partial<DataSource> = {}) {
  const drawn = { pixels: 'monday', source };
  world.renders.with = async () => ({
    ok: true,
    file: Buffer.from(drawn.pixels),
    sources: [{ name: 'weather.example', answeredAt: world.clock.now(), ...drawn.source }],
  });
  return drawn;
}

async function ages(world: LineWorld, deviceId: string): Promise<readonly (readonly DataSource[])[]> {
  const device = await findDevice(world.db, deviceId);
  if (device === undefined) throw new Error('no device');
  const { sources, glassSources } = await explainDevice(
    world.db,
    world.gateway.newestEvidence,
    device,
    world.clock.now(),
  );
  return [glassSources, sources];
}

test('what hangs shows data of then, and the picture on its way those of now', () =>
  withLine(async (world) => {
    const drawn = draws(world);
    const frame = await world.addFrame(await world.addPaper({ orientation: 'landscape' }, 'recipe'));
    await world.settles();
    const first = { name: 'weather.example', answeredAt: world.clock.now() };
    assert.equal(await ages(world, frame.deviceId), [[], [first]], 'nothing hangs yet');
    await frame.wakes();
    assert.equal(await ages(world, frame.deviceId), [[first], [first]]);
    drawn.pixels = 'tuesday';
    const problem = reasonOf('answer-status', { status: 503 });
    drawn.source = { answeredAt: 5, problem, paperId: 'a'.repeat(24) };
    await world
      .db('frames')
      .where({ serial: frame.serial })
      .update({ asleep_until: world.clock.now() + minuteMs });
    await world.settles();
    const second = { name: 'weather.example', ...drawn.source };
    assert.equal(await ages(world, frame.deviceId), [[first], [second]]);
    await frame.wakes();
    assert.equal(await ages(world, frame.deviceId), [[second], [second]]);
  }));

test('the same pixels of newer data make what hangs as young as these are', () =>
  withLine(async (world) => {
    draws(world);
    const frame = await world.addFrame(await world.addPaper({ orientation: 'landscape' }, 'recipe'));
    await world.settles();
    await frame.wakes();
    world.clock.passes(30 * minuteMs);
    await world
      .db('frames')
      .where({ serial: frame.serial })
      .update({ asleep_until: world.clock.now() + minuteMs });
    await world.settles();
    const [uploads = []] = [await world.db('uploads')];
    assert.is(uploads.length, 1);
    const now = { name: 'weather.example', answeredAt: world.clock.now() };
    assert.equal(await ages(world, frame.deviceId), [[now], [now]]);
  }));

test('callbacks of a picture with calendars tell how old the oldest of them is, and others do not', () =>
  withLine(async (world) => {
    const { db } = world;
    const made = world.renders.with;
    await world.addFrame();
    world.renders.with = async (wanted) => {
      const picture = await made(wanted);
      const sources = [
        { name: 'Family', answeredAt: 7_000 },
        { name: 'School', answeredAt: 3_000 },
        { name: 'Club', answeredAt: null },
      ];
      return picture.ok ? { ...picture, sources } : picture;
    };
    await world.submit('one');
    world.renders.with = made;
    await world.submit('two');
    const bodies: { body: string }[] = await db('callback_events').where({ state: 'prepared' }).orderBy('created_at');
    assert.equal(
      bodies.map(({ body }) => JSON.parse(body).dataAt),
      [isoTime(3_000), undefined],
    );
  }));

test.run();
