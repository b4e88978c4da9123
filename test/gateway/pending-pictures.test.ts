/** C-24: from an offer to its proven download a frame is not in step, whatever it said of the picture before. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nativeLine } from './native-line.ts';
import { placeFrame } from './placed-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('pending pictures');
const serial = 'epd7-b0c1d2e3f405';

/** Whether an update is pending, and what the frame last said of its picture. */
async function known(world: GatewayWorld): Promise<[pending: boolean | undefined, said: boolean | null | undefined]> {
  const facts = await world.gateway.facts(serial);
  return [facts?.updatePending, facts?.pictureSynced];
}

test('C-24: a classic frame is out of step from each offer until it has fetched and shows it', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    assert.equal(await known(world), [false, null], 'nothing was offered');
    const first = await world.offer(serial, 'roses');
    assert.equal(await known(world), [true, null]);
    await frame.wake({ beforeState: async () => assert.equal(await known(world), [true, false]) });
    await until(async () => (await world.lacks(first)).length === 0, 'the evidence is complete');
    assert.equal(await known(world), [false, true]);
    const second = await world.offer(serial, 'tulips');
    assert.equal(await known(world), [true, true], 'asleep: it said so of the roses');
    await world.offer(serial, 'roses');
    assert.equal(await known(world), [true, true], 'also when the same comes back: it is another version');
    await frame.wake();
    await until(async () => (await known(world))[0] === false, 'it is proven');
    assert.is((await world.evidence(second)).replaced, true);
    await frame.wake();
    assert.equal(await known(world), [false, true], 'confirmed');
  }));

test('C-24: a native frame too, and its word without a download does not count', () =>
  withGateway(async (world) => {
    const frame = await nativeLine(world, serial, await world.provision(serial));
    await world.activate(serial);
    const wakes = async (glass: Record<string, unknown> = {}) => {
      await frame.hello(glass);
      const picture = await frame.desired();
      if (picture === undefined) throw new Error('no picture was desired');
      return picture;
    };
    await world.offer(serial, 'roses');
    const roses = await wakes();
    assert.equal(await known(world), [true, false]);
    await frame.fetch(roses);
    await frame.report(roses, { stage: 'fetched', pictureSynced: false });
    assert.equal(await known(world), [true, false], 'fetched, and not drawn yet');
    await frame.report(roses);
    assert.equal(await known(world), [false, true]);
    await frame.say('bye', { sleepSeconds: 600 });
    await world.offer(serial, 'tulips');
    assert.equal(await known(world), [true, true], 'asleep: it said so of the roses');
    const tulips = await wakes({ fileVersion: roses.fileVersion, sha256: roses.sha256, pictureSynced: true });
    await frame.report(tulips);
    assert.equal(await known(world), [true, true], 'said, and never fetched');
    await frame.fetch(tulips);
    await until(async () => (await known(world))[0] === false, 'it is proven');
  }));

test.run();
