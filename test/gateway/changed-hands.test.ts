/** A frame that changes hands: nothing of its former owner is offered, fetched, proven or asked any more (T-63). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fileBytes, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7, panels } from '../../firmware-protocol/panels.ts';
import { drawNeutral } from '../../gateway/pictures/neutral-picture.ts';
import { changeHands } from '../../gateway/provisioning/own-frame.ts';
import { transact } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';
import { type DesiredPicture, nativeLine } from './native-line.ts';
import { getPicture } from './picture-get.ts';
import { placeFrame } from './placed-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('frames that change hands');
const serial = 'epd7-b0c1d2e3f405';

/** The ways in which a frame becomes somebody else's. */
const ways = {
  async released(world: GatewayWorld): Promise<void> {
    await world.release(serial);
    await world.activate(serial);
  },
  async moved(world: GatewayWorld): Promise<void> {
    const at = world.clock.now();
    await transact(world.db, (trx) => changeHands(trx, serial, { now: at, random: systemRandom(world.clock) }));
  },
};

function present(picture: DesiredPicture | undefined): DesiredPicture {
  if (picture === undefined) throw new Error('no picture was desired');
  return picture;
}

async function nativeFrame(world: GatewayWorld) {
  const credential = await world.provision(serial);
  await world.activate(serial);
  const frame = await nativeLine(world, serial, credential);
  return {
    ...frame,
    async wakes(more: Record<string, unknown> = {}): Promise<DesiredPicture | undefined> {
      await frame.hello(more);
      return frame.desired();
    },
  };
}

for (const [way, hand] of Object.entries(ways)) {
  test(`classic, ${way}: the next wake draws a neutral picture, and the former one is fetched by nobody`, () =>
    withGateway(async (world) => {
      const frame = await placeFrame(world, serial);
      const roses = await world.offer(serial, 'roses');
      const path = await world.path(roses);
      await frame.wake();
      await until(async () => (await world.lacks(roses)).length === 0, 'the former owner’s picture is proven');
      const { fileVersion } = await world.evidence(roses);
      await hand(world);
      assert.is(await getPicture(world.url + path), undefined, 'W-11: no answer at all');
      assert.is(await world.gateway.lastShown(serial), undefined);
      assert.is(await world.gateway.lastOffer(serial), undefined);
      // As resold frames do, it reports that it holds nothing.
      Object.assign(frame.flash, { file: 0 });
      const cycle = await frame.wake();
      assert.is(cycle.outcome, 'updated');
      assert.ok(Number(cycle.said[0]?.t) > fileVersion, 'INV-32');
      assert.equal(frame.flash.glass, Buffer.from((await drawNeutral(epd7)).file).subarray(4));
      const neutral = await world.gateway.lastOffer(serial);
      assert.equal(await neutral?.read(), Buffer.from((await drawNeutral(epd7)).file));
      assert.is((await frame.wake()).outcome, 'slept', 'it is drawn once');
      const tulips = await world.offer(serial, 'tulips');
      await frame.wake();
      await until(async () => (await world.lacks(tulips)).length === 0, 'the next owner’s picture is proven');
      assert.ok((await world.lacks(roses)).includes('newest'));
    }));

  test(`native, ${way}: the next wake is given a neutral picture, and what was offered proves nothing`, () =>
    withGateway(async (world) => {
      const frame = await nativeFrame(world);
      const former = await world.offer(serial, 'roses');
      const roses = present(await frame.wakes());
      await hand(world);
      // It takes and shows what its former owner gave it, in the midst of which it was sold.
      assert.is(await getPicture(roses.url), undefined);
      await frame.report(roses);
      const stages = (await world.events(serial, 'picture')).map(({ payload }) => payload.stage);
      assert.is(stages.at(-1), 'stale shown');
      const evidence = await world.evidence(former);
      assert.equal([evidence.shownAt, evidence.replaced, evidence.lastContactAt], [null, true, null]);
      const neutral = present(await frame.wakes({ fileVersion: roses.fileVersion, sha256: roses.sha256 }));
      assert.ok(neutral.fileVersion > roses.fileVersion, 'INV-32');
      assert.equal((await getPicture(neutral.url))?.body, Buffer.from((await drawNeutral(epd7)).file));
      const tulips = await world.offer(serial, 'tulips');
      const next = present(await frame.desired());
      assert.is(next.upload, tulips);
      assert.is(await frame.fetch(next), next.sha256);
      await frame.report(next);
      assert.equal(await world.lacks(tulips), []);
      assert.ok((await world.lacks(former)).includes('newest'));
    }));
}

test('a download that ends after the frame changed hands counts for nobody', () =>
  withGateway(async (world) => {
    const frame = await nativeFrame(world);
    const former = await world.offer(serial, 'roses');
    const roses = present(await frame.wakes());
    let letGo = (): void => {};
    let served = (): void => {};
    const waits = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const isServed = new Promise<void>((resolve) => {
      served = resolve;
    });
    const getting = getPicture(roses.url, 'whole, later', { letGo: waits, served: () => served() });
    await isServed;
    await ways.released(world);
    letGo();
    await getting;
    await world.downloadsSettled();
    assert.is((await world.evidence(former)).fetchedAt, null);
    assert.equal(
      (await world.events(serial, 'picture')).filter(({ payload }) => payload.stage === 'fetched'),
      [],
    );
  }));

test('the same bytes as a former owner’s are fetched again: nothing vouches for them, and nothing tells of them', () =>
  withGateway(async (world) => {
    const frame = await nativeFrame(world);
    await world.offer(serial, 'roses');
    const roses = present(await frame.wakes());
    await frame.fetch(roses);
    await frame.report(roses);
    await ways.released(world);
    await frame.say('bye', { sleepSeconds: 600 });
    await world.offer(serial, 'roses');
    const glass = { fileVersion: roses.fileVersion, sha256: roses.sha256, pictureSynced: true };
    const again = present(await frame.wakes(glass));
    assert.is((again as { unchanged?: boolean }).unchanged, undefined);
  }));

test('what a former owner asked is over: what waits, and what was given and not answered', () =>
  withGateway(async (world) => {
    const frame = await nativeFrame(world);
    await frame.wakes();
    const asking = world.gateway.command(serial, { name: 'identify' });
    await frame.line.message();
    await frame.say('bye', { sleepSeconds: 600 });
    await world.gateway.command(serial, { name: 'reboot' });
    await ways.released(world);
    assert.equal(await world.db('frame_commands').orderBy('id').pluck('state'), ['expired', 'expired']);
    await frame.wakes();
    await frame.say('bye', { sleepSeconds: 600 });
    await frame.line.ping();
    world.clock.elapses(6_000);
    await asking;
    assert.equal(await world.db('frame_commands').whereIn('state', ['queued', 'sent']), []);
  }));

test('a frame that was given nothing before gets no neutral picture, and one of no known panel neither', () =>
  withGateway(async (world) => {
    const frame = await nativeFrame(world);
    await ways.released(world);
    assert.is(await frame.wakes(), undefined);
    await world.offer(serial, 'roses');
    await frame.desired();
    await ways.released(world);
    await world.db('frames').where({ serial }).update({ kind: 'epaper' });
    assert.is(await frame.wakes({ panel: 'nobody knows' }), undefined);
  }));

test('a frame without a version left gets no neutral picture, and wakes on', () =>
  withGateway(async (world) => {
    const frame = await nativeFrame(world);
    await world.offer(serial, 'roses');
    await ways.released(world);
    await world.db('frames').where({ serial }).update({ announced_version: 2_147_483_647 });
    assert.is(await frame.wakes(), undefined);
  }));

test('the neutral picture fits every panel: white, with an edge, whichever way it hangs', async () => {
  for (const panel of Object.values(panels)) {
    const { file } = await drawNeutral(panel);
    assert.ok(file.length <= fileBytes(panel), panel.name);
    // The offline firmware reads nothing but BMP; frames in the field take what begins like one for another file.
    if (panel.packing !== 'bitmap') assert.not.ok(file[0] === 0x42 && file[1] === 0x4d, `W-31: ${panel.name}`);
    const stored = unpackPicture(panel, file);
    if (!(stored instanceof Uint8Array)) throw new Error(`${panel.name}: ${stored.problem}`);
    // One pixel of a third gray: docs/polled-frames.md says on which boards, and why.
    if (panel.png === 'threeGrays') stored[0] = stored[1] as number;
    const names = new Set([...stored].map((index) => panel.colours[index]?.name));
    assert.equal([...names].sort(), ['black', 'white'], panel.name);
    assert.equal(stored, stored.slice().reverse(), `${panel.name}: the same upside down`);
  }
});

test.run();
