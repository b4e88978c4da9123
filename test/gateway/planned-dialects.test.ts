/** Every dialect sends the sleep that ends just after the next change, each in its own field. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type PlannedColumn, storePlanned } from '../../gateway/frames/planned-changes.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { nativeLine } from './native-line.ts';
import { placeFrame } from './placed-frame.ts';
import { plainFrame } from './plain-frame.ts';
import { adopted } from './trmnl-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('planned sleeps of all dialects');
const serial = 'epd7-b0c1d2e3f405';
const minute = 60_000;
const reason = reasonOf('did-not-come-back');

/** Plans a change of a frame's picture in so many minutes. */
async function plan(world: GatewayWorld, of: string, minutes: number): Promise<number> {
  const [at = 0] = await planned(world, of, 'planned_changes', [minutes]);
  return at;
}

/** Plans changes or wakes of a frame in so many minutes, and returns their times. */
async function planned(
  world: GatewayWorld,
  of: string,
  column: PlannedColumn,
  minutes: readonly number[],
): Promise<readonly number[]> {
  const now = world.clock.now();
  const times = minutes.map((after) => now + after * minute);
  const frame = await frameRegistry(world.db).known(of);
  await storePlanned(world.db, frame, column, { planned: times.map((at) => ({ at, reason })), now });
  return times;
}

const facts = async (world: GatewayWorld, of: string) => {
  const found = await world.gateway.facts(of);
  if (found === undefined) throw new Error('no facts');
  return found;
};

/** Whether a frame is expected within some seconds after a moment. */
async function comesAfter(world: GatewayWorld, of: string, at: number, seconds: number): Promise<void> {
  const { expectedWakeAt } = await facts(world, of);
  const late = (Number(expectedWakeAt) - at) / 1000;
  assert.ok(late >= 0 && late <= seconds, `expected ${late} s after the change`);
}

test('WK-11, WK-18: a native frame is sent the sleep in desired, and its reason is kept after its bye', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    await world.activate(serial);
    const at = await plan(world, serial, 30);
    const { line, hello, say } = await nativeLine(world, serial, credential);
    await hello();
    const { settings } = (await line.message()) as { settings: { sleepSeconds: number } };
    assert.ok(settings.sleepSeconds > 1790 && settings.sleepSeconds < 1820, `${settings.sleepSeconds} s`);
    await say('bye', settings);
    await comesAfter(world, serial, at, 15);
    const { toldSleep, keptSleepSeconds } = await facts(world, serial);
    assert.equal([toldSleep?.end, toldSleep?.at, toldSleep?.reason], ['change', at, reason]);
    assert.is(keptSleepSeconds, settings.sleepSeconds);
    assert.equal(await world.events(serial, 'settings'), [], 'a planned sleep is not news of a setting');
    line.vanish();
  });
});

test('a native frame that says goodbye with another sleep is expected by that one, for no reason of ours', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    await world.activate(serial);
    await plan(world, serial, 30);
    const { line, hello, say } = await nativeLine(world, serial, credential);
    await hello();
    const now = world.clock.now();
    await say('bye', { sleepSeconds: 120 });
    const { expectedWakeAt, toldSleep } = await facts(world, serial);
    assert.is(Math.round((Number(expectedWakeAt) - now) / 10_000), 12);
    assert.is(toldSleep, null);
    line.vanish();
  });
});

test('WK-12: a classic frame is sent less than the time that is left, because it draws before it sleeps', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const sent = async () => Number((await facts(world, serial)).keptSleepSeconds);
    await plan(world, serial, 30);
    await frame.wake();
    const withoutPicture = await sent();
    assert.ok(withoutPicture > 1795 && withoutPicture <= 1812, `${withoutPicture} s`);
    await until(async () => !(await facts(world, serial)).connected, 'its connection is gone');
    world.clock.passes(31 * minute);
    await world.offer(serial, 'new');
    const at = await plan(world, serial, 30);
    await frame.wake();
    const withPicture = await sent();
    assert.ok(withPicture > 1745 && withPicture <= 1765, `${withPicture} s and fifty to draw`);
    assert.is((await facts(world, serial)).toldSleep?.at, at);
  });
});

test('WK-13: no value that a TRMNL frame may be sent for its echo ends before the change', async () => {
  await withGateway(async (world) => {
    const { frame, serial: adoptedSerial } = await adopted(world);
    for (const minutes of [30, 45, 20, 50]) {
      await world.offer(adoptedSerial, `the picture before those ${minutes} minutes`);
      const at = await plan(world, adoptedSerial, minutes);
      await frame.wake();
      // It is awake for ten seconds more, so that it may be sent that much less.
      const wakes = world.clock.now() + (frame.refreshRate + 10) * 1000;
      const late = (wakes - at) / 1000;
      // Once to the end of the band and back, and the guard.
      assert.ok(late >= 0 && late <= 2 * 60 + 20, `${late} s late after ${minutes} minutes`);
      world.clock.passes((frame.refreshRate + 10) * 1000);
    }
  });
});

test('DL-22: a TRMNL frame comes twice before a deadline: for the picture, and for its proof', async () => {
  await withGateway(async (world) => {
    const { frame, serial: adoptedSerial } = await adopted(world);
    await world.offer(adoptedSerial, 'first');
    await frame.wake();
    world.clock.passes((frame.refreshRate + 10) * 1000);
    await frame.wake();
    const [taken = 0, proven = 0] = await planned(world, adoptedSerial, 'planned_deadlines', [36, 39]);
    world.clock.passes(1000);
    await frame.wake();
    world.clock.passes((frame.refreshRate + 10) * 1000);
    assert.ok(world.clock.now() < taken, 'the wake for the picture begins in time');
    const upload = await world.offer(adoptedSerial, 'due');
    await frame.wake();
    world.clock.passes((frame.refreshRate + 10) * 1000);
    await frame.wake();
    assert.ok(world.clock.now() < proven, 'so does the wake for its proof');
    assert.equal(await world.lacks(upload), [], 'the picture is proven');
  });
});

test('WK-19: a frame that polls is sent the sleep in its header, and its report repeats that one', async () => {
  await withGateway(async (world) => {
    const frame = await plainFrame(world);
    await world.offer(frame.serial, 'first');
    const at = await plan(world, frame.serial, 30);
    const { headers } = await frame.poll();
    const sent = Number(headers['x-sleep-seconds']);
    assert.ok(sent >= 1805 && sent <= 1811, `${sent} s`);
    world.clock.passes(40_000);
    assert.is((await frame.report()).json.sleepSeconds, sent);
    await comesAfter(world, frame.serial, at, 15);
  });
});

test('WK-17: in each of these dialects a frame whose picture is being made comes back soon', async () => {
  const making = new Set<string>();
  await withGateway(
    async (world) => {
      const plain = await plainFrame(world);
      await world.offer(plain.serial, 'first');
      const polled = async () => Number((await plain.poll()).headers['x-sleep-seconds']);
      assert.is(await polled(), 3600);
      making.add(plain.serial);
      assert.is(await polled(), 90);
      assert.is((await facts(world, plain.serial)).toldSleep?.end, 'awaited');
      await world.offer(plain.serial, 'second');
      assert.is(await polled(), 3600, 'it is given one');

      const { frame: trmnl, serial: trmnlSerial } = await adopted(world);
      await world.offer(trmnlSerial, 'first');
      await trmnl.wake();
      making.add(trmnlSerial);
      // The wake that proves its picture.
      world.clock.passes((trmnl.refreshRate + 10) * 1000);
      await trmnl.wake();
      assert.ok(trmnl.refreshRate >= 60 && trmnl.refreshRate <= 100, `${trmnl.refreshRate} s`);

      const classic = await placeFrame(world, 'epd7-b0c1d2e3f4aa');
      making.add('epd7-b0c1d2e3f4aa');
      await classic.wake();
      assert.is((await facts(world, 'epd7-b0c1d2e3f4aa')).keptSleepSeconds, 90);

      const credential = await world.provision(serial);
      await world.activate(serial);
      making.add(serial);
      const { line, hello } = await nativeLine(world, serial, credential);
      await hello();
      const { settings } = (await line.message()) as { settings: { sleepSeconds: number } };
      assert.is(settings.sleepSeconds, 90);
      line.vanish();
    },
    { isBeingMade: (one) => making.has(one) },
  );
});

test('a frame without plans is sent its own sleep, as it was set', async () => {
  await withGateway(async (world) => {
    const frame = await plainFrame(world);
    await world.offer(frame.serial, 'first');
    assert.is((await frame.poll()).headers['x-sleep-seconds'], '3600');
    const { toldSleep } = await facts(world, frame.serial);
    assert.equal([toldSleep?.end, toldSleep?.at], ['longest', null]);
  });
});

test.run();
