/** A picture that the disk gives back damaged, or not at all: never sent, never counted, never announced (T-67). */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { transact } from '../../runtime/database/database.ts';
import { nativeLine } from './native-line.ts';
import { getPicture } from './picture-get.ts';
import { placeFrame } from './placed-frame.ts';
import { type GatewayWorld, pictureFile, until, withGateway } from './world.ts';

const test = suite('damaged pictures');
const serial = 'epd7-b0c1d2e3f405';

const damages: readonly (readonly [how: string, hurt: (file: string) => void])[] = [
  [
    'damaged',
    (file) => {
      const bytes = readFileSync(file);
      bytes[1000] = (bytes[1000] as number) ^ 1;
      writeFileSync(file, bytes);
    },
  ],
  ['gone', (file) => rmSync(file)],
];

async function fileOf(world: GatewayWorld, upload: string): Promise<string> {
  const { picture_sha256 } = await world.db('uploads').where({ id: upload }).first('picture_sha256');
  return join(world.dataFolder, 'pictures', picture_sha256);
}

/** As the delivery line does, with what it has drawn. */
async function remake(world: GatewayWorld, revision: string): Promise<void> {
  const lost = (await world.gateway.lostPictures()).find((one) => one.revision === revision);
  if (lost === undefined) throw new Error(`${revision} is not lost`);
  const file = pictureFile(revision);
  const sha256 = await world.gateway.storePicture(file);
  const picture = { sha256, bytes: file.length, format: 'nibble', panel: 'epd7' } as const;
  if (await transact(world.db, (trx) => world.gateway.remakeOffer(trx, lost, picture))) {
    await world.gateway.announce(serial);
  }
}

for (const [how, hurt] of damages) {
  test(`classic: of a picture whose file is ${how} nothing is sent, and its frame's word counts for nothing`, () =>
    withGateway(async (world) => {
      const frame = await placeFrame(world, serial);
      const roses = await world.offer(serial, 'roses');
      const before = await world.evidence(roses);
      hurt(await fileOf(world, roses));
      const cycle = await frame.wake();
      assert.equal(cycle.gets.filter(Boolean), [], 'W-11: no answer at all');
      assert.equal(
        (await world.gateway.lostPictures()).map(({ uploadId }) => uploadId),
        [roses],
      );
      const line = await frame.connect();
      await line.publish(`$aws/things/${serial}/epaper/updatestate`, '{"state": "update_ok"}');
      await line.ping();
      line.vanish();
      const { fetchedAt, shownAt, confirmedAt } = await world.evidence(roses);
      assert.equal([fetchedAt, shownAt, confirmedAt], [null, null, null]);
      assert.is(await world.gateway.lastShown(serial), undefined);
      frame.flash.file = before.fileVersion - 10;
      const [answer] = (await frame.wake()).said;
      assert.equal([answer?.t, answer?.url], [frame.flash.file, undefined], 'W-11: announced when its file is ready');
      await remake(world, 'roses');
      const next = await frame.wake();
      assert.is(next.outcome, 'updated');
      assert.ok(Number(next.said[0]?.t) > before.fileVersion, 'under a new version');
      await until(async () => (await world.lacks(roses)).length === 0, 'it is proven under the offer that it was');
    }));

  test(`native: a picture whose file is ${how} is neither given whole nor in part, and is announced once it was made again`, () =>
    withGateway(async (world) => {
      const frame = await nativeLine(world, serial, await world.provision(serial));
      await world.activate(serial);
      const roses = await world.offer(serial, 'roses');
      await frame.hello();
      const picture = await frame.desired();
      if (picture === undefined) throw new Error('no picture was desired');
      hurt(await fileOf(world, roses));
      for (const more of [{}, { method: 'HEAD' }, { headers: { Range: 'bytes=0-99' } }]) {
        assert.is(await getPicture(picture.url, 'whole', more), undefined, JSON.stringify(more));
      }
      assert.is((await world.gateway.lostPictures()).length, 1);
      await frame.hello();
      assert.is(await frame.desired(), undefined);
      await remake(world, 'roses');
      const again = await frame.desired();
      if (again === undefined) throw new Error('it is awake, and is told at once');
      assert.ok(again.fileVersion > picture.fileVersion && again.url !== picture.url);
      assert.is(await frame.fetch(again), again.sha256);
      await frame.report(again);
      assert.equal(await world.lacks(roses), []);
    }));
}

test('what a frame has taken stays as it is when its file is lost later and comes back the same', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const roses = await world.offer(serial, 'roses');
    await frame.wake();
    await until(async () => (await world.lacks(roses)).length === 0, 'it is proven');
    const before = await world.evidence(roses);
    const shown = await world.gateway.lastShown(serial);
    rmSync(await fileOf(world, roses));
    assert.is(await shown?.read(), undefined);
    assert.is((await frame.wake()).outcome, 'slept', 'it is confirmed, as ever');
    await remake(world, 'roses');
    assert.equal(await world.gateway.lostPictures(), []);
    assert.is((await world.evidence(roses)).fileVersion, before.fileVersion);
    assert.equal(await (await world.gateway.lastShown(serial))?.read(), pictureFile('roses'));
    assert.is((await frame.wake()).outcome, 'slept');
  }));

test('a newer offer ends the search for a lost one, and so does another owner', () =>
  withGateway(async (world) => {
    for (const end of [() => world.offer(serial, 'tulips'), () => world.release(serial)]) {
      await placeFrame(world, serial);
      const roses = await world.offer(serial, 'roses');
      rmSync(await fileOf(world, roses));
      await (await world.gateway.lastOffer(serial))?.read();
      const [lost] = await world.gateway.lostPictures();
      if (lost === undefined) throw new Error('nothing is lost');
      await end();
      assert.equal(await world.gateway.lostPictures(), []);
      const picture = { sha256: '0'.repeat(64), bytes: 1, format: 'nibble', panel: 'epd7' } as const;
      assert.is(await transact(world.db, (trx) => world.gateway.remakeOffer(trx, lost, picture)), false);
    }
  }));

test.run();
