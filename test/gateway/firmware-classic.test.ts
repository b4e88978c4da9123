/** Firmware to frames in the field: the manifest at every wake, the image it names, and frames that stay away. */

import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeClassicManifest } from '../../firmware-protocol/classic-manifest.ts';
import { pauseRollout, raiseRollout, resumeRollout } from '../../gateway/firmware/rollouts.ts';
import { readReasons, reasonOf } from '../../reasons/reason.ts';
import { imageFile, looks, outcomes, rollOut, rolloutNow } from './firmware-world.ts';
import { type Got, getPicture } from './picture-get.ts';
import { placeFrame } from './placed-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('firmware, classic');
const hour = 3_600_000;

/** Returns the answer to a frame of a kind at its wake: the status, and the image that the manifest leads to. */
async function manifest(world: GatewayWorld, kind = 'epd7'): Promise<Got> {
  const got = await getPicture(`${world.url}/ota/${kind}`);
  if (got === undefined) throw new Error('no answer');
  return got;
}

test('W-33: without a rollout the manifest is 404 at once, with one it names version and image in exact lengths', async () => {
  await withGateway(async (world) => {
    for (const kind of ['epd7', 'openpaper13', 'nonsense', '']) {
      const none = await manifest(world, kind);
      assert.equal([none.status, none.headers['content-length']], [404, '0'], kind);
    }
    const rollout = await rollOut(world, '3.1.0', { dialect: 'classic' });
    const got = await manifest(world);
    const url = world.url + rollout.path;
    assert.is(got.body.toString(), JSON.stringify({ type: 'esp32-fota-http', version: '3.1.0', url }));
    assert.is(got.headers['content-length'], String(got.body.length));
    assert.equal((await manifest(world, 'epd7/')).body, got.body, 'A-3: a closing slash makes no difference');
    assert.is((await manifest(world, 'openpaper13')).status, 404, 'another kind');
    const image = await getPicture(url);
    assert.equal([image?.status, image?.headers['content-length']], [200, String(rollout.bytes)]);
    assert.ok(image?.body.equals(imageFile('3.1.0')));
    assert.is((await getPicture(url, 'whole', { method: 'POST' }))?.status, 405);
    await pauseRollout(world.db, rollout.id, world.clock.now());
    await looks(world);
    assert.is((await manifest(world)).status, 404);
    assert.is((await getPicture(url))?.status, 404);
  });
});

test('W-33: manifest and image come from memory: neither waits for the database or the disk', async () => {
  await withGateway(async (world) => {
    const rollout = await rollOut(world, '3.1.0', { dialect: 'classic' });
    await unlink(join(world.dataFolder, 'firmware', rollout.sha256));
    const only = await world.db.transaction();
    const read = decodeClassicManifest((await manifest(world)).body);
    if (!read.ok) throw new Error(read.problem);
    assert.ok((await getPicture(read.value.url))?.body.equals(imageFile('3.1.0')));
    await only.rollback();
  });
});

test('a native image never appears in a manifest, and classic frames cannot be reached one by one', async () => {
  await withGateway(async (world) => {
    await rollOut(world, '9.0.0');
    assert.is((await manifest(world)).status, 404);
    const frame = await placeFrame(world, 'epd7-000000000001');
    await frame.wake();
    for (const more of [{ percent: 50 }, { serial: 'epd7-000000000001' }]) {
      await rollOut(world, '3.1.0', { dialect: 'classic', ...more }).then(
        () => assert.unreachable(),
        (refusal: Error) => assert.match(refusal.message, 'only be reached all at once'),
      );
    }
    await rollOut(world, '9.1.0', { serial: 'epd7-000000000001' }).then(
      () => assert.unreachable(),
      (refusal: Error) => assert.match(refusal.message, 'speaks the classic dialect'),
    );
    const whole = await rollOut(world, '3.1.0', { dialect: 'classic' });
    await raiseRollout(world.db, whole.id, 100, world.clock.now()).then(
      () => assert.unreachable(),
      (refusal: Error) => assert.match(refusal.message, 'already reaches 100 percent'),
    );
  });
});

/** Says one wake report with this firmware version, as a frame after its update does. */
async function wakesWith(world: GatewayWorld, serial: string, version: string): Promise<void> {
  const frame = await placeFrame(world, serial);
  const line = await frame.connect();
  await line.publish(
    `$aws/things/${serial}/activateepaper`,
    frame.wakeReport('0').replace('"v": "3.0.21"', `"v": "${version}"`),
  );
  await line.take('publish');
  line.vanish();
}

test('frames whose version rose count as updated; three that stay away without it pause the rollout', async () => {
  await withGateway(async (world) => {
    const serials = [1, 2, 3, 4, 5].map((number) => `epd7-00000000000${number}`);
    for (const one of serials) await (await placeFrame(world, one)).wake();
    await wakesWith(world, 'epd7-000000000006', '3.1.0');
    const rollout = await rollOut(world, '3.1.0', { dialect: 'classic' });
    const [first = '', second = ''] = serials;
    await wakesWith(world, first, '3.1.0');
    await wakesWith(world, 'epd7-000000000006', '3.1.0');
    assert.equal(await outcomes(world, rollout.id), { [first]: 'updated' }, 'who had it before was not updated');
    await (await placeFrame(world, second)).wake();
    for (const one of serials) {
      await until(async () => (await world.gateway.facts(one))?.connected === false, 'its connection is gone');
    }
    await looks(world, 2 * hour);
    await until(async () => {
      await looks(world);
      return (await rolloutNow(world, rollout.id)).state === 'paused';
    }, 'it is paused');
    assert.equal(readReasons((await rolloutNow(world, rollout.id)).reason), [
      reasonOf('rollout-losing', { lost: 4, started: 5 }),
    ]);
    assert.is((await manifest(world)).status, 404);
    const alerts = (await world.events(second, 'alert')).map(({ payload }) => payload.problem);
    assert.is(alerts.at(-1), 'stayed away while a firmware was published');

    await (await placeFrame(world, second)).wake();
    assert.is(
      (await outcomes(world, rollout.id))[second],
      undefined,
      'it is back with the old one: away for another reason',
    );
    await wakesWith(world, serials[2] ?? '', '3.1.0');
    assert.is((await outcomes(world, rollout.id))[serials[2] ?? ''], 'updated');
    await resumeRollout(world.db, rollout.id, world.clock.now());
    await looks(world);
    assert.is((await manifest(world)).status, 200);
  });
});

test('W-37: a report without a version, or with none that can be read, proves no update and undoes no loss', async () => {
  await withGateway(async (world) => {
    const one = 'epd7-000000000001';
    await (await placeFrame(world, one)).wake();
    const rollout = await rollOut(world, '3.1.0', { dialect: 'classic' });
    for (const version of ['', 'garbage', 'v3.1.0']) {
      await wakesWith(world, one, version);
      assert.equal(await outcomes(world, rollout.id), {}, version);
      await wakesWith(world, one, '3.0.21');
    }
    await looks(world, 2 * hour);
    await until(async () => {
      await looks(world);
      return (await outcomes(world, rollout.id))[one] === 'lost';
    }, 'it is away');
    await wakesWith(world, one, '');
    assert.equal(await outcomes(world, rollout.id), { [one]: 'lost' });
    await wakesWith(world, one, '3.1.0');
    assert.equal(await outcomes(world, rollout.id), { [one]: 'updated' });
  });
});

test('frames that were overdue before the rollout are not its losses', async () => {
  await withGateway(async (world) => {
    const serials = [1, 2, 3].map((number) => `epd7-00000000000${number}`);
    for (const one of serials) await (await placeFrame(world, one)).wake();
    await looks(world, 2 * hour);
    const rollout = await rollOut(world, '3.1.0', { dialect: 'classic' });
    for (let round = 0; round < 3; round++) await looks(world, hour);
    assert.equal(await outcomes(world, rollout.id), {});
    assert.is((await rolloutNow(world, rollout.id)).state, 'running');
  });
});

test.run();
