/** The sleep a person sets: told at once or at the next wake, and noted when the frame has it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { transact } from '../../gateway/runtime/database.ts';
import { type NativeLine, nativeLine } from './native-line.ts';
import { placeFrame } from './placed-frame.ts';
import { type GatewayWorld, withGateway } from './world.ts';

const test = suite('settings of frames');
const serial = 'epd7-b0c1d2e3f405';

async function awake(world: GatewayWorld): Promise<NativeLine> {
  const credential = await world.provision(serial);
  await world.activate(serial);
  return nativeLine(world, serial, credential);
}

/** A person sets the sleep, as the API does it. */
async function set(world: GatewayWorld, sleepTime: unknown): Promise<boolean> {
  const isNews = await transact(world.db, (trx) => world.gateway.configure(trx, serial, { sleepTime }));
  if (isNews) await world.gateway.announceSettings(serial);
  return isNews;
}

/** What is recorded of settings, and what is known to be wished and kept. */
async function known(world: GatewayWorld) {
  const events = (await world.events(serial, 'settings')).map(
    ({ payload }) => `${payload.stage} ${payload.sleepSeconds}`,
  );
  const facts = await world.gateway.facts(serial);
  return { events, wished: facts?.sleepSeconds, kept: facts?.keptSleepSeconds };
}

test('A-17: a frame that is awake is told at once, beside the picture it was told of, and has it by its bye', () =>
  withGateway(async (world) => {
    const frame = await awake(world);
    const upload = await world.offer(serial, 'roses');
    await frame.hello();
    const first = await frame.line.message();
    const before = await world.db('uploads').where({ id: upload }).first();
    assert.is(await set(world, '900'), true);
    const pushed = await frame.line.message();
    assert.equal(pushed.settings, { sleepSeconds: 900 });
    assert.equal(pushed.picture, first.picture);
    assert.equal(await world.db('uploads').where({ id: upload }).first(), before, 'nothing is weighed');
    assert.equal(await known(world), { events: ['wished 900'], wished: 900, kept: 3600 });
    await frame.say('bye', { sleepSeconds: 900 });
    assert.equal(await known(world), { events: ['wished 900', 'taken 900'], wished: 900, kept: 900 });
    await frame.hello({ sleepSeconds: 900 });
    assert.is((await known(world)).events.length, 2, 'and no second time');
  }));

test('A-17: a frame that sleeps is told at its next wake, and the wake after that shows that it took it', () =>
  withGateway(async (world) => {
    const frame = await awake(world);
    await frame.hello();
    await frame.line.message();
    await frame.say('bye', { sleepSeconds: 3600 });
    const said = frame.line.received.length;
    await set(world, '900');
    await frame.line.ping();
    assert.is(frame.line.received.slice(said).filter(({ cmd }) => cmd === 'publish').length, 0);
    assert.equal(await known(world), { events: ['wished 900'], wished: 900, kept: 3600 });
    await frame.hello();
    assert.equal((await frame.line.message()).settings, { sleepSeconds: 900 });
    await frame.say('bye', { sleepSeconds: 1 });
    assert.equal(await known(world), { events: ['wished 900'], wished: 900, kept: 3600 }, 'a reboot takes nothing');
    await frame.hello({ sleepSeconds: 900 });
    assert.equal(await known(world), { events: ['wished 900', 'taken 900'], wished: 900, kept: 900 });
  }));

test('the same wish again is no news, and a first hello takes nothing', () =>
  withGateway(async (world) => {
    const frame = await awake(world);
    assert.is((await known(world)).kept, null);
    await frame.hello();
    await frame.line.message();
    assert.is(await set(world, 3600), false);
    assert.equal(await known(world), { events: [], wished: 3600, kept: 3600 });
    await set(world, 5);
    assert.is(await set(world, '10'), false, 'both are a minute');
    assert.equal((await known(world)).events, ['wished 60']);
  }));

test('settings for a frame that nobody registered carry no picture', () =>
  withGateway(async (world) => {
    const credential = await world.provision(serial);
    const frame = await nativeLine(world, serial, credential);
    await world.offer(serial, 'roses');
    await frame.hello();
    await frame.line.message();
    await set(world, '900');
    const pushed = await frame.line.message();
    assert.equal([pushed.settings, pushed.picture], [{ sleepSeconds: 900 }, undefined]);
  }));

test('W-20, W-24: a fielded frame hears of it with its next answer and never in between', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    await frame.wake();
    const line = await frame.connect();
    await set(world, '900');
    await line.ping();
    assert.is(line.received.filter(({ cmd }) => cmd === 'publish').length, 0);
    line.vanish();
    assert.equal(await known(world), { events: ['wished 900'], wished: 900, kept: 3600 });
    await frame.wake();
    await frame.wake();
    assert.equal(await known(world), { events: ['wished 900', 'told 900'], wished: 900, kept: 900 });
  }));

test.run();
