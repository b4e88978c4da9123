/** Firmware to native frames: offered, fetched, proven by the next hello; a rollout that loses frames stops. */

import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pauseRollout, raiseRollout, resumeRollout, rolloutLog } from '../../gateway/firmware/rollouts.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { readReasons, reasonOf } from '../../reasons/reason.ts';
import { imageFile, looks, type Offered, outcomes, rollOut, rolloutNow, updatingFrame } from './firmware-world.ts';
import { nativeLine } from './native-line.ts';
import { getPicture } from './picture-get.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('firmware, native');
const serial = 'epd7-b0c1d2e3f405';
const minute = 60_000;

function present(firmware: Offered | undefined): Offered {
  if (firmware === undefined) throw new Error('no firmware was offered');
  return firmware;
}

const stages = async (world: GatewayWorld, of = serial) =>
  (await world.events(of, 'firmware')).map(({ payload }) => payload.stage);

test('a newer firmware is offered at hello, fetched whole, reported by phases, and proven by the next hello', async () => {
  await withGateway(async (world) => {
    const frame = await updatingFrame(world, serial);
    assert.is(await frame.offered(), undefined, 'nothing is rolled out');
    const rollout = await rollOut(world, '1.5.0');
    const firmware = present(await frame.offered({ boot: 8 }));
    assert.equal([firmware.version, firmware.bytes, firmware.sha256], ['1.5.0', rollout.bytes, rollout.sha256]);
    assert.match(firmware.url, new RegExp(`^${world.url}/firmware/[\\w-]{22}$`));
    assert.is.not(firmware.url, world.url + rollout.path, 'each frame has an address of its own');
    await frame.update(firmware.offer, 'fetching');
    assert.is(await frame.take(firmware), rollout.sha256);
    await frame.update(firmware.offer, 'fetched');
    await frame.update(firmware.offer, 'restarting');
    assert.equal(await outcomes(world, rollout.id), { [serial]: null }, 'its word is no proof');
    assert.is(await frame.offered({ boot: 9, firmware: '1.5.0', wake: 'reset' }), undefined);
    assert.equal(await outcomes(world, rollout.id), { [serial]: 'updated' });
    assert.equal(await stages(world), ['offered', 'fetching', 'taken', 'fetched', 'restarting', 'updated']);
    assert.is((await getPicture(firmware.url))?.status, 404, 'the address was for that once');
  });
});

test('A-13, C-22: what is offered to a frame is known of it as its newest firmware, and what is not offered is not', async () => {
  await withGateway(async (world) => {
    const latest = async (of = serial) => (await world.gateway.facts(of))?.firmwareLatest;
    const frame = await updatingFrame(world, serial);
    const rollout = await rollOut(world, '1.5.0');
    assert.is(await latest(), null, 'nothing is known of what it speaks');
    await frame.offered({ firmware: '1.4.2' });
    assert.is(await latest(), '1.5.0');
    await frame.offered({ firmware: '1.5.0', boot: 8 });
    assert.is(await latest(), '1.5.0', 'it has it');
    await frame.offered({ firmware: '1.6.0', boot: 9 });
    assert.is(await latest(), null, 'it has something newer');
    const [other, large] = ['epd7-000000000001', 'epd13-000000000001'];
    await (await updatingFrame(world, other)).offered({ firmware: '1.4.2' });
    await (await updatingFrame(world, large)).offered({ panel: 'openpaper13' });
    assert.equal([await latest(other), await latest(large)], ['1.5.0', null], 'another kind');
    await pauseRollout(world.db, rollout.id, world.clock.now());
    await looks(world);
    assert.is(await latest(other), null, 'paused');
    await unlink(join(world.dataFolder, 'firmware', rollout.sha256));
    await resumeRollout(world.db, rollout.id, world.clock.now());
    await looks(world);
    assert.is(await latest(other), null, 'its image is lost');
    await rollOut(world, '1.5.1', { serial });
    assert.is(await latest(other), null, 'meant for another frame');
    await rollOut(world, '3.1.0', { dialect: 'classic' });
    assert.is(await latest(other), null, 'another dialect');
    await rollOut(world, '1.5.2');
    assert.is(await latest(other), '1.5.2');
  });
});

test('nothing is offered to frames that run it, that run something newer, whose version is invalid, or that nobody registered', async () => {
  await withGateway(async (world) => {
    const frame = await updatingFrame(world, serial);
    await rollOut(world, '1.5.0');
    for (const firmware of ['1.5.0', '1.5.1', '2.0.0-rc.1', 'dev']) {
      assert.is(await frame.offered({ firmware }), undefined, firmware);
    }
    const stranger = await nativeLine(world, 'epd7-000000000001', await world.provision('epd7-000000000001'));
    await stranger.hello();
    assert.is((await stranger.line.message()).firmware, undefined);
    const large = await updatingFrame(world, 'epd13-000000000001');
    assert.is(await large.offered({ panel: 'openpaper13' }), undefined, 'another kind');
    assert.is((await frame.offered({ firmware: '1.5.0-rc.2' }))?.version, '1.5.0');
  });
});

test('a frame whose battery is nearly empty is not offered a firmware; one on a cable is', async () => {
  await withGateway(async (world) => {
    const frame = await updatingFrame(world, serial);
    await rollOut(world, '1.5.0');
    assert.is(await frame.offered({ batteryMv: 4199 }), undefined);
    assert.ok(await frame.offered({ batteryMv: 0 }));
    assert.ok(await frame.offered({ batteryMv: 4200 }));
  });
});

test('picture and firmware fit into one answer, and the offer stays the same when a picture is pushed', async () => {
  await withGateway(async (world) => {
    const frame = await updatingFrame(world, serial);
    await rollOut(world, '1.5.0');
    await world.offer(serial, 'roses');
    await frame.hello();
    const both = await frame.line.message();
    assert.ok(both.picture);
    await world.offer(serial, 'tulips');
    assert.equal((await frame.line.message()).firmware, both.firmware);
    assert.equal(await stages(world), ['offered']);
  });
});

test('a paused rollout offers nothing and serves nothing; resumed it goes on where it was', async () => {
  await withGateway(async (world) => {
    const frame = await updatingFrame(world, serial);
    const rollout = await rollOut(world, '1.5.0');
    const firmware = present(await frame.offered());
    await pauseRollout(world.db, rollout.id, world.clock.now());
    assert.is(await frame.take(firmware), undefined, 'at once, before the gateway looks');
    await frame.update(firmware.offer, 'failed', 'HTTP 404');
    assert.is(await frame.offered({ boot: 8 }), undefined);
    await looks(world);
    assert.is(await frame.offered({ boot: 9 }), undefined);
    await resumeRollout(world.db, rollout.id, world.clock.now());
    await looks(world);
    const again = present(await frame.offered({ boot: 10 }));
    assert.equal(again, firmware);
    assert.is(await frame.take(again), rollout.sha256);
  });
});

test('a percentage picks the same frames whatever happens; raising it only adds frames', async () => {
  await withGateway(async (world) => {
    const serials = Array.from({ length: 12 }, (_, at) => `epd7-0000000000${10 + at}`);
    const frames = await Promise.all(serials.map((one) => updatingFrame(world, one)));
    const rollout = await rollOut(world, '1.5.0', { percent: 40 });
    const reached = async (boot: number) => {
      const offers = await Promise.all(frames.map((frame) => frame.offered({ boot })));
      return serials.filter((_, at) => offers[at] !== undefined);
    };
    const few = await reached(8);
    assert.ok(few.length > 0 && few.length < serials.length, `${few.length} of ${serials.length}`);
    assert.equal(await reached(9), few);
    await raiseRollout(world.db, rollout.id, 80, world.clock.now());
    const more = await reached(10);
    assert.ok(more.length > few.length && few.every((one) => more.includes(one)), `${few} then ${more}`);
    await raiseRollout(world.db, rollout.id, 100, world.clock.now());
    assert.equal(await reached(11), serials);
  });
});

test('a rollout for one frame reaches that one, and is finished when it has it; a newer rollout takes the place', async () => {
  await withGateway(async (world) => {
    const [frame, other] = [await updatingFrame(world, serial), await updatingFrame(world, 'epd7-000000000001')];
    const single = await rollOut(world, '1.5.0', { serial: serial.toUpperCase() });
    assert.is(await other.offered(), undefined);
    present(await frame.offered());
    await frame.offered({ boot: 8, firmware: '1.5.0' });
    assert.is((await rolloutNow(world, single.id)).state, 'finished');
    await looks(world);
    const latest = async (of: string) => (await world.gateway.facts(of))?.firmwareLatest;
    assert.equal([await latest(serial), await latest('epd7-000000000001')], ['1.5.0', null], 'C-22: it has it');
    await frame.offered({ boot: 9, firmware: '1.4.0' });
    assert.is(await latest(serial), null, 'flashed by hand, it is offered nothing');
    const first = await rollOut(world, '1.6.0');
    const second = await rollOut(world, '1.7.0');
    assert.equal([(await rolloutNow(world, first.id)).state, second.state], ['superseded', 'running']);
    assert.is((await other.offered({ boot: 8 }))?.version, '1.7.0');
    assert.is((await rolloutLog(world.db).live()).length, 1);
  });
});

test('a frame that says failed counts as lost and may try again, three times; one that rolls back does not', async () => {
  await withGateway(async (world) => {
    const frame = await updatingFrame(world, serial);
    const rollout = await rollOut(world, '1.5.0');
    for (const boot of [8, 9, 10]) {
      const { offer } = present(await frame.offered({ boot }));
      await frame.update(offer, 'fetching');
      await frame.update(offer, 'failed', 'the link broke');
      assert.equal(await outcomes(world, rollout.id), { [serial]: 'failed' });
    }
    assert.is(await frame.offered({ boot: 11 }), undefined);

    const other = await updatingFrame(world, 'epd7-000000000001');
    const { offer } = present(await other.offered());
    await other.update(offer, 'fetched');
    await other.update(offer, 'restarting');
    assert.ok(await other.offered(), 'the same wake still: its link broke');
    assert.is(await other.offered({ boot: 8 }), undefined);
    assert.is((await outcomes(world, rollout.id))['epd7-000000000001'], 'failed');
    const last = (await world.events('epd7-000000000001', 'firmware')).at(-1);
    assert.is(last?.payload.reason, 'came back with 1.0.0');
    await other.offered({ boot: 9, firmware: '1.5.0' });
    assert.is((await outcomes(world, rollout.id))['epd7-000000000001'], 'updated', 'it came through after all');
  });
});

test('T-47, T-48: phases of another’s offer, replayed ones, and those of a suspect frame move nothing', async () => {
  await withGateway(async (world) => {
    const [frame, other] = [await updatingFrame(world, serial), await updatingFrame(world, 'epd7-000000000001')];
    const rollout = await rollOut(world, '1.5.0');
    const { offer } = present(await frame.offered({ boot: 20 }));
    await other.offered();
    await other.update(offer, 'failed', 'spite');
    await other.update('no such offer', 'failed');
    assert.is((await outcomes(world, rollout.id))[serial], null);
    await frame.offered({ boot: 21, firmware: '1.5.0' });
    await frame.update(offer, 'failed', 'said before');
    assert.is((await outcomes(world, rollout.id))[serial], 'updated');
    assert.equal((await stages(world)).at(-1), 'stale failed');
    assert.is(await frame.offered({ boot: 5 }), undefined, 'a copy is offered nothing');
    await frame.update(offer, 'restarting');
    assert.equal((await stages(world)).at(-1), 'doubted restarting');
  });
});

/** Lets a frame take a firmware and report that it restarts. */
async function restarts(world: GatewayWorld, one: string): Promise<void> {
  const frame = await updatingFrame(world, one);
  const { offer } = present(await frame.offered());
  await frame.update(offer, 'fetched');
  await frame.update(offer, 'restarting');
  await frame.leave();
}

test('three of few frames that do not come back pause the rollout by itself, after their wake and the grace', async () => {
  await withGateway(async (world) => {
    const rollout = await rollOut(world, '1.5.0');
    const serials = [1, 2, 3].map((number) => `epd7-00000000000${number}`);
    for (const one of serials) await restarts(world, one);
    await looks(world, 30_000);
    assert.is((await rolloutNow(world, rollout.id)).state, 'running', 'within the grace');
    await until(async () => {
      await looks(world, 2 * minute);
      return (await rolloutNow(world, rollout.id)).state === 'paused';
    }, 'it is paused');
    const { reason } = await rolloutNow(world, rollout.id);
    assert.equal(readReasons(reason), [reasonOf('rollout-losing', { lost: 3, started: 3 })]);
    for (const one of serials) {
      const alerts = (await world.events(one, 'alert')).map(({ payload }) => payload.stage);
      assert.equal(alerts, ['overdue', 'lost'], one);
    }
    const late = await updatingFrame(world, serial);
    assert.is(await late.offered(), undefined);

    await resumeRollout(world.db, rollout.id, world.clock.now());
    await looks(world);
    assert.is((await rolloutNow(world, rollout.id)).state, 'running', 'a person saw those three');
    assert.ok(await late.offered({ boot: 8 }));
    const back = await updatingFrame(world, serials[0] ?? '');
    await back.offered({ boot: 8, firmware: '1.5.0' });
    assert.is((await outcomes(world, rollout.id))[serials[0] ?? ''], 'updated');
  });
});

test('an image that is missing or damaged on disk is offered to nobody', async () => {
  await withGateway(async (world) => {
    const frame = await updatingFrame(world, serial);
    const rollout = await rollOut(world, '1.5.0');
    const file = join(world.dataFolder, 'firmware', rollout.sha256);
    await unlink(file);
    await world.restart();
    const again = await updatingFrame(world, serial);
    assert.is(await again.offered({ boot: 8 }), undefined);
    await writeFile(file, imageFile('other'));
    await looks(world);
    assert.is(await again.offered({ boot: 9 }), undefined);
    await writeFile(file, imageFile('1.5.0'));
    await looks(world);
    assert.ok(await again.offered({ boot: 10 }));
    frame.line.vanish();
  });
});

test('an owner’s rollout reaches the frames that it lists, before the operator’s, until they change hands', async () => {
  await withGateway(async (world) => {
    const [mine, other] = [serial, 'epd7-000000000002'];
    const frame = await updatingFrame(world, mine);
    const beside = await updatingFrame(world, other);
    const { ownership } = await frameRegistry(world.db).known(mine);
    const owned = { owner: 'an owner', frames: [{ serial: mine, ownership }] };
    await rollOut(world, '1.5.0');
    const rollout = await rollOut(world, '1.6.0', { owned });
    assert.is((await rolloutLog(world.db).live()).length, 2, 'neither takes the place of the other');
    assert.is((await beside.offered())?.version, '1.5.0');
    const firmware = present(await frame.offered({ boot: 8 }));
    assert.is(firmware.version, '1.6.0');
    await frame.update(firmware.offer, 'fetching');
    await frame.take(firmware);
    await frame.update(firmware.offer, 'fetched');
    await frame.offered({ boot: 9, firmware: '1.6.0' });
    assert.equal(await outcomes(world, rollout.id), { [mine]: 'updated' });
    await frameRegistry(world.db).change(mine, { ownership: ownership + 1 }, 1);
    assert.is((await frame.offered({ boot: 10, firmware: '1.4.2' }))?.version, undefined, 'a moment later already');
    await looks(world);
    assert.is((await frame.offered({ boot: 11, firmware: '1.4.2' }))?.version, '1.5.0');
  });
});

test.run();
