/** The ping of a frame in the field, which knows none: what is known of it and when, and awake by its own sign of life (W-34). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isoTime } from '../../runtime/clock.ts';
import type { MqttLine } from './mqtt-line.ts';
import { type PlacedFrame, placeFrame } from './placed-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('ping of fielded frames');
const serial = 'epd7-b0c1d2e3f405';

/** Wakes and is answered. Its connection stays, as that of a frame that falls asleep without closing it does (W-26). */
async function answered(frame: PlacedFrame): Promise<MqttLine> {
  const line = await frame.connect();
  await line.publish(`$aws/things/${serial}/activateepaper`, frame.wakeReport('3'));
  await line.message();
  return line;
}

async function ping(world: GatewayWorld, waitForData = false) {
  const found = await world.gateway.ping(serial, { waitForData });
  if (found === undefined) throw new Error('no such frame');
  return found;
}

const known = async (world: GatewayWorld) => {
  const { success, reachable, state } = await ping(world);
  return [success, reachable, state];
};

const isThere = [true, true, 'awake'];
const isAsleep = [false, false, 'sleeping'];

test('with nothing to draw it is awake for a moment, and asleep after that although its connection is there', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const line = await answered(frame);
    const heardAt = (await ping(world)).lastReachableAt ?? 0;
    assert.equal(await known(world), isThere);
    world.clock.passes(60_000);
    assert.equal(await known(world), isAsleep);
    assert.is((await world.gateway.facts(serial))?.connected, true);
    const { lastReachableAt, data } = await ping(world, true);
    assert.is(lastReachableAt, heardAt, 'when it was last heard from');
    assert.equal([data?.batteryMv, data?.fileVersion], [4870, 0]);
    const row = await world.db('frames').where({ serial }).first('cycle_started_at');
    assert.is(data?.reportedAt, isoTime(row.cycle_started_at), 'when it said so');
    world.clock.passes(7_200_000);
    assert.equal(await known(world), [false, false, 'overdue']);
    // Anything that it sends is a sign of life.
    await line.ping();
    assert.equal(await known(world), isThere);
    assert.ok(((await ping(world)).lastReachableAt ?? 0) >= heardAt + 7_260_000);
    line.vanish();
  }));

test('while it draws the announced picture it is awake for longer, and not after it reported that it is done', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    await world.offer(serial, 'roses');
    const line = await answered(frame);
    world.clock.passes(35_000);
    assert.equal(await known(world), isThere);
    await line.publish(`$aws/things/${serial}/epaper/updatestate`, '{"state": "update_ok"}');
    const isDone = async () => (await world.events(serial, 'picture')).some(({ payload }) => payload.stage === 'shown');
    await until(isDone, 'its word is recorded');
    assert.equal(await known(world), isThere);
    world.clock.passes(35_000);
    assert.equal(await known(world), isAsleep);
    line.vanish();
  }));

test('a frame that never came, and one that is not connected, are not awake; its report is returned all the same', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const { state, lastReachableAt } = await ping(world, true);
    assert.equal([state, lastReachableAt], ['unknown', null]);
    (await answered(frame)).vanish();
    await until(async () => (await world.gateway.facts(serial))?.connected === false, 'it sleeps');
    const asleep = await ping(world, true);
    assert.equal([asleep.success, asleep.state, asleep.data?.firmware], [false, 'sleeping', '3.0.21']);
  }));

test.run();
