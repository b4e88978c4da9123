/** Lies: messages of a frame in any order, with any clock and about any version, that prove nothing (T-48 to T-50). */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limits } from '../../firmware-protocol/limits.ts';
import { type DesiredPicture, type NativeLine, nativeLine } from './native-line.ts';
import { type GatewayWorld, withGateway } from './world.ts';

const test = suite('lies');
const serial = 'epd7-b0c1d2e3f405';
const tenYears = 10 * 365 * 86_400;

async function awake(world: GatewayWorld): Promise<NativeLine> {
  const credential = await world.provision(serial);
  await world.activate(serial);
  const frame = await nativeLine(world, serial, credential);
  await frame.hello();
  await frame.desired();
  return frame;
}

function present(picture: DesiredPicture | undefined): DesiredPicture {
  if (picture === undefined) throw new Error('no picture was desired');
  return picture;
}

/** Returns the record of an upload; of when it was last reported as shown only whether, since the truth may be repeated. */
async function recorded(world: GatewayWorld, upload: string) {
  const { shownAt, lastContactAt: _heard, expectedWakeAt: _due, ...evidence } = await world.evidence(upload);
  return {
    ...evidence,
    shown: shownAt !== null,
    failed: (await world.db('frames').where({ serial }).first()).last_failure,
  };
}

/** Everything the frame has published so far, to be said again. */
type Said = readonly [name: string, message: Record<string, unknown>];

test('T-48, INV-40: whatever a frame said before, said again in any order, moves neither an old upload nor the newest', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const said: Said[] = [];
    const report = (picture: DesiredPicture, more: Record<string, unknown> = {}): Promise<boolean> => {
      const { upload, fileVersion, sha256 } = picture;
      const message = { upload, fileVersion, stage: 'shown', sha256, pictureSynced: true, ...more };
      said.push(['report', message]);
      return frame.say('report', message);
    };
    const first = await world.offer(serial, 'first');
    const one = present(await frame.desired());
    await report(one, { stage: 'failed', reason: 'no memory', pictureSynced: false });
    await frame.fetch(one);
    await report(one, { stage: 'fetched', pictureSynced: false });
    await report(one);
    assert.equal(await world.lacks(first), []);
    const second = await world.offer(serial, 'second');
    const two = present(await frame.desired());
    // Prepared words about a picture that was never taken are lies from the start.
    said.push(['report', { ...two, stage: 'shown', fileVersion: one.fileVersion, pictureSynced: true }]);
    said.push(['report', { ...one, stage: 'shown', fileVersion: two.fileVersion, pictureSynced: true }]);
    await replay();
    assert.ok((await world.lacks(second)).includes('shown'));
    await frame.fetch(two);
    await report(two);
    assert.equal(await world.lacks(second), [], 'and the truth is still believed');
    await report(two, { stage: 'fetched', pictureSynced: false });
    await replay();

    async function replay(): Promise<void> {
      const before = [await recorded(world, first), await recorded(world, second)];
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray([...said, ...said], { minLength: 1 }), async (order) => {
          world.clock.passes(60_000);
          for (const [name, message] of order) assert.is(await frame.say(name, message), true);
          assert.equal([await recorded(world, first), await recorded(world, second)], before);
        }),
        { numRuns: 15, endOnFailure: true },
      );
    }
  });
});

test('T-50: a version ten years ahead or behind, in hello or report, is not evidence and stops no later picture', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const now = Math.floor(world.clock.now() / 1000);
    for (const fileVersion of [now + tenYears, now - tenYears]) {
      const upload = await world.offer(serial, `clock at ${fileVersion}`);
      const picture = present(await frame.desired());
      const before = await recorded(world, upload);
      await frame.report({ ...picture, fileVersion });
      await frame.report({ ...picture, fileVersion }, { stage: 'failed', reason: 'time travel' });
      assert.equal(await recorded(world, upload), before);
      await frame.hello({ fileVersion, sha256: picture.sha256, pictureSynced: true });
      const again = present(await frame.desired());
      assert.ok(again.fileVersion > fileVersion, 'told under a version the frame will take');
      assert.ok((await world.lacks(upload)).includes('fetched'));
      await frame.fetch(again);
      await frame.report(again);
      assert.equal(await world.lacks(upload), []);
    }
    const [{ at = 0 } = {}] = await world.db('frame_events').where({ serial }).orderBy('at', 'desc').select('at');
    assert.ok(Math.abs(at - world.clock.now()) < 60_000, 'the gateway’s own time is what is written down');
  });
});

test('T-50: a frame that claims the last version there is can get nothing newer, and nobody else is touched', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const neighbour = 'epd7-000000000001';
    const credential = await world.provision(neighbour);
    await world.activate(neighbour);
    const beside = await nativeLine(world, neighbour, credential);
    await frame.hello({ fileVersion: limits.fileVersion, pictureSynced: true });
    await frame.desired();
    await world.offer(serial, 'too late').then(
      () => assert.unreachable('no version is left'),
      (error: Error) => assert.match(error.message, /version/i),
    );
    await beside.hello();
    await beside.desired();
    const theirs = await world.offer(neighbour, 'theirs');
    const picture = present(await beside.desired());
    await beside.fetch(picture);
    await beside.report(picture);
    assert.equal(await world.lacks(theirs), []);
    await frame.hello();
    assert.is(await frame.desired(), undefined, 'it is served, with nothing');
  });
});

test('a frame that claims the last version is answered and recorded, with one alert, until it starts over (W-37)', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const upload = await world.offer(serial, 'roses');
    const picture = present(await frame.desired());
    await frame.fetch(picture);
    await frame.report(picture);
    const { fileVersion: last } = limits;
    for (const batteryMv of [4801, 4802, 4803]) {
      assert.is(await frame.hello({ fileVersion: last, pictureSynced: true, batteryMv }), true, 'acknowledged');
      assert.is(await frame.desired(), undefined);
    }
    assert.is((await world.events(serial, 'hello')).at(-1)?.payload.batteryMv, 4803);
    const [alert, ...more] = await world.events(serial, 'alert');
    assert.match(String(alert?.payload.problem), /highest picture version/);
    assert.match(String(alert?.payload.remedy), /report 0.*papergate frames provision/);
    assert.equal(more, []);
    assert.match((await world.gateway.facts(serial))?.status ?? '', 'error');
    await frame.hello();
    const again = present(await frame.desired());
    assert.is(again.upload, upload);
    await frame.fetch(again);
    await frame.report(again);
    assert.equal(await world.lacks(upload), []);
  });
});

test('a frame that was given the last version is given pictures again once it is reset and provisioned again', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const { fileVersion: last } = limits;
    await world.offer(serial, 'roses');
    await frame.desired();
    await frame.hello({ fileVersion: last - 1, pictureSynced: true });
    const lastOne = present(await frame.desired());
    assert.is(lastOne.fileVersion, last);
    await frame.fetch(lastOne);
    await frame.report(lastOne);
    await frame.hello({ fileVersion: last, sha256: lastOne.sha256, pictureSynced: true });
    assert.is(await frame.desired(), undefined);
    assert.equal(await world.events(serial, 'alert'), [], 'it is in step');
    await frame.hello({ fileVersion: last, pictureSynced: false });
    assert.is(await frame.desired(), undefined, 'other bytes, and no version for them');
    assert.is((await world.events(serial, 'alert')).length, 1);
    await world.provision(serial);
    await frame.hello();
    const again = present(await frame.desired());
    assert.ok(again.fileVersion < last);
    await frame.fetch(again);
    await frame.report(again);
    assert.equal(await world.lacks(lastOne.upload), []);
    const tulips = await world.offer(serial, 'tulips');
    assert.is(present(await frame.desired()).upload, tulips);
  });
});

test('T-50: a sleep announced far into the future does not excuse more than the wire allows', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    for (const sleepSeconds of [tenYears, -1, 1e300]) {
      assert.is(await frame.say('bye', { sleepSeconds }), true, 'acknowledged like what cannot be read');
    }
    const upload = await world.offer(serial, 'still awake');
    assert.is(present(await frame.desired()).upload, upload);
    await frame.say('bye', { sleepSeconds: 604_800 });
    const { expectedWakeAt } = await world.evidence(upload);
    assert.ok(Number(expectedWakeAt) <= world.clock.now() + 604_800_000 * 1.1 + 120_000);
  });
});

test.run();
