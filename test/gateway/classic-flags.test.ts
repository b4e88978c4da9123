/** The flags that a frame in the field keeps: sent with every activation, and never one to stay awake (W-27). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { transact } from '../../runtime/database/database.ts';
import { placeFrame } from './placed-frame.ts';
import { type GatewayWorld, withGateway } from './world.ts';

const test = suite('flags of fielded frames');
const serial = 'epd7-b0c1d2e3f405';

const optimizeOptions = (world: GatewayWorld, settings: Parameters<GatewayWorld['gateway']['configure']>[2]) =>
  transact(world.db, (trx) => world.gateway.configure(trx, serial, settings));

/** Returns the flags in an answer. */
const flagsOf = ({ sleepdisabled, overlay, clearscreen, lut }: Record<string, unknown> = {}) => ({
  sleepdisabled,
  overlay,
  clearscreen,
  lut,
});

const fromTheFactory = { sleepdisabled: false, overlay: true, clearscreen: true, lut: undefined };

test('W-27: every activation says that the frame may sleep, with a picture and without one', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const [nothing] = (await frame.wake()).said;
    assert.equal([nothing?.act, flagsOf(nothing)], ['activated', fromTheFactory]);
    await world.offer(serial, 'roses');
    const [picture] = (await frame.wake()).said;
    assert.equal([typeof picture?.url, flagsOf(picture)], ['string', fromTheFactory]);
    assert.is((await frame.setUp()).said.find(({ act }) => act === 'reset')?.sleepdisabled, undefined);
  }));

test('W-27: a frame that is activated somewhere else may sleep as well', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial, { registered: false });
    frame.flash.file = 5;
    const [neutral] = (await frame.wake()).said;
    assert.equal([neutral?.act, neutral?.sleepdisabled], ['activated', false]);
  }));

test('W-27, W-05: what a person set is sent from the next wake on, in a packet that fits, until the frame is let go', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const flags = { overlay: false, clearscreen: false, lut: 'l'.repeat(32) };
    assert.is(await optimizeOptions(world, { sleepTime: 86_400, flags }), true, 'its sleep is another');
    await world.offer(serial, 'roses');
    // The frame's buffers are hard: a packet over 512 bytes would end the cycle.
    assert.equal(flagsOf((await frame.wake()).said[0]), { sleepdisabled: false, ...flags });
    assert.is(await optimizeOptions(world, { sleepTime: 86_400 }), false);
    assert.equal(flagsOf((await frame.wake()).said[0]), fromTheFactory, 'what is not said any more is as it was');
    await optimizeOptions(world, { sleepTime: 3600, flags });
    await world.release(serial);
    await world.activate(serial);
    assert.equal(flagsOf((await frame.wake()).said[0]), fromTheFactory);
  }));

test.run();
