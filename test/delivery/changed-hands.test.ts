/** Deliveries of frames that change hands (T-63), and of those whose picture the disk lost (T-67). */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeDelivery } from '../../api/submissions/describe-delivery.ts';
import { changeHands } from '../../gateway/provisioning/own-frame.ts';
import { transact } from '../../runtime/database/database.ts';
import { type LineWorld, withLine } from './delivery-world.ts';

const test = suite('deliveries of frames that change hands');

test('T-67: pushed content whose picture was lost is rendered again, and its delivery is synced by the new version', () =>
  withLine(async (world) => {
    const frame = await world.addFrame();
    const request = await world.submit('one');
    const [prepared] = await world.deliveries(request);
    assert.is(prepared?.state, 'prepared');
    const before = await world.db('uploads').where({ id: prepared?.upload_id }).first();
    rmSync(join(world.dataFolder, 'pictures', before.picture_sha256));
    assert.is(await (await world.gateway.lastOffer(frame.serial))?.read(), undefined);
    await world.settles();
    assert.is(world.renders.wanted.length, 2);
    const after = await world.db('uploads').where({ id: before.id }).first();
    assert.equal([after.picture_sha256, after.remake_at], [before.picture_sha256, null]);
    assert.ok(after.file_version > before.file_version);
    await frame.wakes();
    assert.equal(
      (await world.deliveries(request)).map(({ state, upload_id }) => [state, upload_id]),
      [['synced', before.id]],
    );
    assert.equal(await world.events(request), ['available', 'Frame 1: prepared', 'Frame 1: synced']);
  }));

/** Hands a frame on while a delivery of it waits for its proof; the device's row is still there, as in mid-transaction. */
async function handOn(world: LineWorld, serial: string): Promise<void> {
  await transact(world.db, (trx) => changeHands(trx, serial, { now: world.clock.now(), random: world.random }));
}

test('T-63: what a frame reports to its next owner proves no delivery of the former one, whatever it repeats', () =>
  withLine(async (world) => {
    const frame = await world.addFrame();
    const request = await world.submit('one');
    await frame.wakes({ shows: false });
    await handOn(world, frame.serial);
    await frame.wakes();
    await world.settles();
    assert.equal(
      (await world.deliveries(request)).map(({ state }) => state),
      ['prepared'],
    );
    const [delivery] = await world.deliveries(request);
    if (delivery === undefined || delivery.upload_id === null) throw new Error('nothing was offered');
    const evidence = await world.gateway.evidence(delivery.upload_id);
    const told = describeDelivery(delivery, evidence, evidence, world.clock.now());
    assert.is(told.expectedAt, undefined, 'when the frame comes and goes is its owner’s to know');
    assert.equal([evidence?.lastContactAt, evidence?.pictureSynced, evidence?.shownAt], [null, null, null]);
    // Back with its former delivery line: nothing from then counts.
    await frame.replays();
    assert.equal(
      (await world.deliveries(request)).map(({ state }) => state),
      ['prepared'],
    );
  }));

test.run();
