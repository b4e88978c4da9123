/** The sleep that a person sets: sent at once or at the next wake, and noted when the frame has it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recurring, startAt } from '../../api/devices/recurrence-rule.ts';
import type { UpdateSchedule } from '../../gateway/frames/update-windows.ts';
import { transact } from '../../runtime/database/database.ts';
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
async function set(world: GatewayWorld, sleepTime: unknown, windows: UpdateSchedule | null = null): Promise<boolean> {
  const settings = { sleepTime, updateSchedule: windows };
  const isNews = await transact(world.db, (trx) => world.gateway.configure(trx, serial, settings));
  if (isNews) await world.gateway.announceSettings(serial);
  return isNews;
}

/** Returns the record of settings, and what is known to be wished and kept. */
async function known(world: GatewayWorld) {
  const events = (await world.events(serial, 'settings')).map(
    ({ payload }) => `${payload.stage} ${payload.sleepSeconds}`,
  );
  const facts = await world.gateway.facts(serial);
  return { events, wished: facts?.sleepSeconds, kept: facts?.keptSleepSeconds };
}

test('A-17: an awake frame gets settings at once, alongside the announced picture, and has them by its bye', () =>
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

test('A-17: a frame that has reported its picture as shown gets the setting alone', () =>
  withGateway(async (world) => {
    const frame = await awake(world);
    await world.offer(serial, 'roses');
    await frame.hello();
    const picture = await frame.desired();
    if (picture === undefined) throw new Error('no picture was desired');
    await frame.fetch(picture);
    await frame.report(picture);
    await set(world, '900');
    const pushed = await frame.line.message();
    assert.equal([pushed.settings, pushed.picture], [{ sleepSeconds: 900 }, undefined]);
  }));

test('A-17: a sleeping frame gets them at its next wake, and the wake after that shows that it took them', () =>
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

test('the same wish again is not news, and a first hello takes nothing', () =>
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

/** An hour's window each day; it opens so many seconds from now, on a whole minute. */
function opensIn(world: GatewayWorld, seconds: number): UpdateSchedule {
  const start = startAt(Math.ceil(world.clock.now() / 60_000) * 60_000 + seconds * 1000, 'UTC');
  return [{ ...recurring({ ...start, firstDay: start.firstDay - 9 }, 'day'), durationMinutes: 60 }];
}

/** Whether some seconds are as many as asked for, or up to so many more or less that went by or were rounded. */
const isAbout = (seconds: unknown, asked: number): boolean =>
  typeof seconds === 'number' && Math.abs(seconds - asked) <= 61;

/** In how many seconds the frame is expected, and from when on its silence is an outage. */
async function expected(world: GatewayWorld) {
  const [now, facts] = [world.clock.now(), await world.gateway.facts(serial)];
  const watch = await world.db('frame_watch').where({ serial }).first();
  return { wakeSeconds: ((facts?.expectedWakeAt ?? 0) - now) / 1000, dueSeconds: (watch.due_at - now) / 1000 };
}

test('C-59: outside its windows a frame is told to sleep until the next, and expected then; inside as was set', () =>
  withGateway(async (world) => {
    const frame = await awake(world);
    await set(world, '900', opensIn(world, 20_000));
    await frame.hello();
    const told = (await frame.line.message()).settings as { sleepSeconds: number };
    assert.ok(isAbout(told.sleepSeconds, 20_000), String(told.sleepSeconds));
    await frame.say('bye', told);
    const asleep = await expected(world);
    assert.ok(isAbout(asleep.wakeSeconds, 20_000), String(asleep.wakeSeconds));
    assert.ok(isAbout(asleep.dueSeconds, 22_000), 'a tenth more is no outage yet');
    const kept = await known(world);
    assert.equal([kept.wished, kept.kept], [told.sleepSeconds, told.sleepSeconds], 'the frame has what is wished');
    assert.equal((await world.gateway.facts(serial))?.status, 'online');

    world.clock.passes(20_060_000);
    await frame.hello({ sleepSeconds: told.sleepSeconds });
    assert.equal((await frame.line.message()).settings, { sleepSeconds: 900 });
    await frame.say('bye', { sleepSeconds: 900 });
    assert.ok(isAbout((await expected(world)).wakeSeconds, 900));
    assert.equal([(await known(world)).wished, (await known(world)).kept], [900, 900]);

    world.clock.passes(3_600_000);
    await frame.hello({ sleepSeconds: 900 });
    const evening = (await frame.line.message()).settings as { sleepSeconds: number };
    assert.ok(isAbout(evening.sleepSeconds, 86_400 - 3_660), String(evening.sleepSeconds));
    await frame.say('bye', { sleepSeconds: 1 });
    assert.is((await known(world)).kept, 900, 'a reboot takes nothing');
    assert.equal((await known(world)).events, ['wished 900'], 'what changes with the hour is no news');
  }));

test('C-59, A-17: windows that are set while a frame is awake reach it at once; the same again are not news', () =>
  withGateway(async (world) => {
    const frame = await awake(world);
    await frame.hello();
    await frame.line.message();
    const windows = opensIn(world, 7_200);
    world.clock.passes(1_200_000);
    assert.is(await set(world, 3600, windows), true);
    const pushed = (await frame.line.message()).settings as { sleepSeconds: number };
    assert.ok(isAbout(pushed.sleepSeconds, 7_200), 'what is known of it, and what it is told, count from its wake');
    assert.is((await known(world)).wished, pushed.sleepSeconds);
    assert.is(await set(world, 3600, windows), false);
    const [event] = await world.events(serial, 'settings');
    assert.equal(event?.payload, { stage: 'wished', sleepSeconds: 3600, updateWindows: 1 });
    assert.is(await set(world, 3600), true);
    assert.equal((await frame.line.message()).settings, { sleepSeconds: 3600 });
    assert.is((await world.events(serial, 'settings')).at(-1)?.payload.updateWindows, null);
  }));

test('C-59: a fielded frame finds the next window in its answer, is expected then, and reset it forgets them', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    await set(world, '900', opensIn(world, 20_000));
    const [night] = (await frame.wake()).said as { timeout: number }[];
    assert.ok(isAbout(night?.timeout, 20_000), String(night?.timeout));
    assert.ok(isAbout((await expected(world)).wakeSeconds, 20_000));
    assert.equal([(await known(world)).wished, (await known(world)).kept], [night?.timeout, night?.timeout]);
    world.clock.passes(20_060_000);
    const [day] = (await frame.wake()).said as { timeout: number }[];
    assert.is(day?.timeout, 900);
    assert.equal((await known(world)).events, ['wished 900'], 'what changes with the hour is no news');
    assert.ok(isAbout((await expected(world)).wakeSeconds, 900));
    world.clock.passes(3_600_000);
    await world.gateway.command(serial, { name: 'reset' });
    assert.is(((await frame.wake()).said[0] as { timeout: number }).timeout, 3600);
  }));

test('C-59, T-47: a frame that may be a copy gets them by the clock, since its wake is not recorded', () =>
  withGateway(async (world) => {
    const frame = await awake(world);
    await set(world, '900', opensIn(world, 20_000));
    await frame.hello({ boot: 7 });
    await frame.line.message();
    world.clock.passes(10_000_000);
    await frame.hello({ boot: 3 });
    const { sleepSeconds } = (await frame.line.message()).settings as { sleepSeconds: number };
    assert.ok(isAbout(sleepSeconds, 10_000), String(sleepSeconds));
  }));

test('C-59, T-63: anyone who registers a frame again does not get the windows and the sleep of the one before', () =>
  withGateway(async (world) => {
    const frame = await awake(world);
    await set(world, '900', []);
    await frame.hello();
    assert.equal((await frame.line.message()).settings, { sleepSeconds: 86_400 });
    await world.release(serial);
    await world.activate(serial);
    await frame.hello();
    assert.equal((await frame.line.message()).settings, { sleepSeconds: 3600 });
  }));

test.run();
