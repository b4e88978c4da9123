import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Mischief } from './fielded-frame.ts';
import { getPicture } from './picture-get.ts';
import { type PlacedFrame, placeFrame } from './placed-frame.ts';
import { type GatewayWorld, pictureFile, until, withGateway } from './world.ts';

const test = suite('classic evidence');
const serial = 'epd7-b0c1d2e3f405';

/** A cycle that ends in `update_ok` and must prove nothing; then an honest one, which must prove it (W-12). */
async function liesThenHeals(world: GatewayWorld, frame: PlacedFrame, mischief: Mischief): Promise<void> {
  const upload = await world.offer(serial, 'roses');
  const { path, version } = { path: await world.path(upload), version: (await world.evidence(upload)).fileVersion };
  assert.is((await frame.wake(mischief)).state, 'update_ok');
  await until(async () => (await world.evidence(upload)).shownAt !== null, 'the claim was recorded');
  await world.downloadsSettled();
  assert.is((await world.evidence(upload)).fetchedAt, null);
  assert.equal(await world.lacks(upload), ['fetched', 'shown', 'in step']);

  const honest = await frame.wake();
  assert.ok(Number(honest.said[0]?.t) > version, 'the old version is never fetched again');
  assert.is.not(honest.said[0]?.url, path);
  assert.equal(frame.flash.glass, pictureFile('roses').subarray(4));
  await until(async () => (await world.lacks(upload)).length === 0, 'the evidence is complete');
}

test('update_ok after the probe alone proves nothing, and the next wake brings a new version (W-12, W-13)', async () => {
  await withGateway(async (world) => {
    await liesThenHeals(world, await placeFrame(world, serial), { skipSecondGet: true });
  });
});

test('T-47: whole downloads before the announcement neither count nor help a lie (W-13)', async () => {
  for (const mischief of [{ neverGet: true }, undefined]) {
    await withGateway(async (world) => {
      const frame = await placeFrame(world, serial);
      const upload = await world.offer(serial, 'roses');
      const url = world.url + (await world.path(upload));
      for (let get = 0; get < 3; get++) assert.is((await getPicture(url))?.status, 200);
      await world.downloadsSettled();
      assert.is((await world.evidence(upload)).fetchedAt, null);
      await frame.wake(mischief);
      await until(async () => (await world.evidence(upload)).shownAt !== null, 'the claim was recorded');
      await world.downloadsSettled();
      assert.equal(await world.lacks(upload), mischief === undefined ? [] : ['fetched', 'shown', 'in step']);
    });
  }
});

test('update_ok after a truncated download proves nothing, and the next wake brings a new version (W-12)', async () => {
  await withGateway(async (world) => {
    await liesThenHeals(world, await placeFrame(world, serial), { cutSecondGet: true });
  });
});

test('update_ok without any download proves nothing (W-11, T-49)', async () => {
  await withGateway(async (world) => {
    await liesThenHeals(world, await placeFrame(world, serial), { neverGet: true });
  });
});

test('update_ok after a 404 proves nothing: the old picture was drawn again (W-11)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    frame.flash.glass = Buffer.from('old');
    await liesThenHeals(world, frame, { otherPath: '/f/0123456789' });
  });
});

test('a download of an earlier cycle does not vouch for a later claim (W-13)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    await frame.wake({ loseState: true });
    await world.downloadsSettled();
    assert.is.not((await world.evidence(upload)).fetchedAt, null);
    // Drawing was interrupted five times (W-30): the version was not stored, and the picture is announced again.
    frame.flash.file = 0;
    assert.is((await frame.wake({ neverGet: true })).state, 'update_ok');
    await until(async () => (await world.evidence(upload)).shownAt !== null, 'the claim was recorded');
    assert.equal(await world.lacks(upload), ['fetched', 'shown', 'in step']);
  });
});

test('the probe counts again in every cycle: one whole download of a second cycle is not evidence (W-13)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    await frame.wake({ loseState: true });
    frame.flash.file = 0;
    const line = await frame.connect();
    await line.publish(`$aws/things/${serial}/activateepaper`, frame.wakeReport('3'));
    await line.message();
    assert.is((await getPicture(world.url + (await world.path(upload))))?.status, 200);
    await world.downloadsSettled();
    assert.is((await world.evidence(upload)).fetchedAt, null);
    line.vanish();
  });
});

test('when the report is lost, the version a fetched picture is echoed with proves it at the next wake (W-15)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    await frame.wake({ loseState: true });
    assert.equal(await world.lacks(upload), ['shown', 'in step', 'version']);
    const echo = await frame.wake();
    assert.is(echo.outcome, 'slept');
    await until(async () => (await world.evidence(upload)).confirmedAt !== null, 'the echo was recorded');
    assert.equal(await world.lacks(upload), []);
  });
});

test('an echo of a version that was never fetched proves nothing (W-15)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    await frame.wake({ neverGet: true, loseState: true });
    const next = await frame.wake({ neverGet: true, loseState: true });
    assert.is(next.outcome, 'updated', 'it is told a new version');
    assert.is((await world.evidence(upload)).confirmedAt, null);
    assert.ok((await world.lacks(upload)).includes('shown'));
  });
});

test('what was confirmed once is not counted again under a new version', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    await frame.wake();
    await frame.wake();
    await until(async () => (await world.evidence(upload)).confirmedAt !== null, 'confirmed');
    // Another service gave it something newer meanwhile.
    frame.flash.file += 1000;
    await frame.wake({ neverGet: true, loseState: true });
    const known = await world.evidence(upload);
    assert.is(known.confirmedAt, null);
    assert.is(known.fetchedAt, null);
    assert.is(known.shownAt, null);
  });
});

test('a failed update leaves its reason, keeps the version open and is announced again (W-11, W-16)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    // Without any picture of its own the frame says so after a 404.
    assert.is((await frame.wake({ otherPath: '/f/0123456789' })).state, 'update_failed');
    await until(async () => (await world.evidence(upload)).failedAt !== null, 'the failure was recorded');
    assert.equal((await world.evidence(upload)).reasons, ['update_failed']);
    assert.is((await world.gateway.facts(serial))?.status, 'error');
    const before = (await world.evidence(upload)).fileVersion;
    const again = await frame.wake();
    assert.is(again.said[0]?.t, before);
    await until(async () => (await world.lacks(upload)).length === 0, 'the evidence is complete');
    assert.is((await world.evidence(upload)).grade, 'reported');
    assert.is((await world.evidence(upload)).failedAt, null);
  });
});

test('claims repeated in any later order change nothing (T-48, INV-40)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const first = await world.offer(serial, 'first');
    await frame.wake();
    await until(async () => (await world.lacks(first)).length === 0, 'the first is proven');
    const second = await world.offer(serial, 'second');
    const line = await frame.connect();
    for (const state of ['update_ok', 'download_ok', 'update_ok']) {
      await line.publish(`$aws/things/${serial}/epaper/updatestate`, `{"state": "${state}"}`);
    }
    await until(async () => (await world.events(serial, 'state')).length === 1, 'all three were handled');
    line.vanish();
    assert.equal(await world.lacks(second), ['announced', 'fetched', 'shown', 'version']);
  });
});

test.run();
