/** Frames that poll and whose glass does not show what they believe: an error screen, a restart, a picture that was skipped. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sizedPanel } from '../../firmware-protocol/sized-panels.ts';
import { requestSettings } from '../../gateway/frames/settings.ts';
import { drawNeutral } from '../../gateway/pictures/neutral-picture.ts';
import { transact } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';
import { getPicture } from './picture-get.ts';
import { adopted, sleep, type TrmnlFrame } from './trmnl-frame.ts';
import { type GatewayWorld, withGateway } from './world.ts';

const test = suite('glass that heals itself');

const dayMs = 24 * 3_600_000;

/** A frame whose picture is proven. */
async function proven(
  world: GatewayWorld,
  firmware = '1.8.14',
): Promise<{ frame: TrmnlFrame; serial: string; upload: string }> {
  const { frame, serial } = await adopted(world);
  frame.firmware = firmware;
  const upload = await world.offer(serial, 'one');
  await frame.wake();
  sleep(world, frame);
  await frame.wake();
  assert.equal(await world.lacks(upload), []);
  return { frame, serial, upload };
}

/** Its Wi-Fi fails once: the screen says so, the name that it remembers stays, and it sleeps for a minute. */
function wifiFails(world: GatewayWorld, frame: TrmnlFrame): void {
  sleep(world, frame);
  frame.glass = 'Wi-Fi failed';
  frame.refreshRate = 60;
  world.clock.passes(60_000);
}

const stages = async (world: GatewayWorld, serial: string, stage: string) =>
  (await world.events(serial, 'picture'))
    .filter(({ payload }) => payload.stage === stage)
    .map(({ payload }) => payload);

test('an error screen over a proven picture is healed by a fresh name within one wake, and once', () =>
  withGateway(async (world) => {
    const { frame, serial, upload } = await proven(world);
    wifiFails(world, frame);
    await frame.wake();
    assert.instance(frame.glass, Buffer, 'the picture is drawn again');
    assert.ok((await world.lacks(upload)).length > 0, 'it counts again once it is proven again');
    sleep(world, frame);
    await frame.wake();
    assert.equal(await world.lacks(upload), []);
    const name = frame.remembered;
    sleep(world, frame);
    await frame.wake();
    assert.is(frame.remembered, name);
    const told = await stages(world, serial, 'told again');
    assert.equal(
      told.map(({ because }) => because),
      ['the frame stored a value of its own'],
    );
  }));

test('a second error screen within a day stays until the day is over, and nobody says meanwhile that the picture shows', () =>
  withGateway(async (world) => {
    const { frame, serial, upload } = await proven(world);
    wifiFails(world, frame);
    await frame.wake();
    const healedAt = world.clock.now();
    sleep(world, frame);
    await frame.wake();
    wifiFails(world, frame);
    let wakes = 0;
    do {
      await frame.wake();
      assert.is(frame.glass, 'Wi-Fi failed', 'one redraw a day');
      assert.ok((await world.lacks(upload)).length > 0, 'an echo proves nothing of a name that was skipped');
      sleep(world, frame);
      wakes++;
    } while (world.clock.now() < healedAt + dayMs);
    assert.ok(wakes > 20);
    const [covered, ...more] = await stages(world, serial, 'covered');
    assert.equal(more, [], 'it is said once');
    assert.ok(Math.abs(Number(covered?.healedAt) - healedAt - dayMs) < 60_000, 'with the time of its end');
    await frame.wake();
    assert.instance(frame.glass, Buffer);
    sleep(world, frame);
    await frame.wake();
    assert.equal(await world.lacks(upload), []);
  }));

test('the first failures of the service leave the glass as it is, and cost no redraw', () =>
  withGateway(async (world) => {
    const { frame, upload } = await proven(world);
    const name = frame.remembered;
    for (const stored of [15, 30, 5, 10]) {
      sleep(world, frame);
      frame.refreshRate = stored;
      world.clock.passes(stored * 1000);
      await frame.wake();
      assert.equal([frame.remembered, await world.lacks(upload)], [name, []]);
    }
  }));

for (const firmware of ['1.8.16', '1.8.17', '1.9.0', '2.0.0']) {
  test(`${firmware}: 300 is stored at failures that are not shown, and 900 comes with an error screen`, () =>
    withGateway(async (world) => {
      const { frame, serial, upload } = await proven(world, firmware);
      const name = frame.remembered;
      // Eleven wakes without Wi-Fi leave the glass as it is.
      sleep(world, frame);
      frame.refreshRate = 300;
      world.clock.passes(11 * 300_000);
      assert.is(await frame.log([{ message: 'Connection failed! WL Status: 6', level: 'fatal' }]), 204);
      await frame.wake();
      assert.equal([frame.remembered, await world.lacks(upload)], [name, []]);
      assert.equal(await stages(world, serial, 'told again'), []);
      sleep(world, frame);
      frame.glass = 'Wi-Fi failed';
      frame.refreshRate = 900;
      world.clock.passes(900_000);
      await frame.wake();
      assert.instance(frame.glass, Buffer, 'the redraw of the day was not spent on an intact glass');
      assert.is((await stages(world, serial, 'told again')).length, 1);
    }));
}

test('before 1.8.16 a frame that stored 300 has drawn a screen', () =>
  withGateway(async (world) => {
    const { frame } = await proven(world, '1.8.15');
    const name = frame.remembered;
    frame.refreshRate = 300;
    sleep(world, frame, 12);
    await frame.wake();
    assert.is.not(frame.remembered, name);
  }));

test('1.8.16 shows the fourth failure of the service, after which it has stored what it stored before: its log tells', () =>
  withGateway(async (world) => {
    const { frame, serial } = await proven(world, '1.8.16');
    const name = frame.remembered;
    const fails = async (times: number): Promise<void> => {
      sleep(world, frame);
      frame.refreshRate = 300;
      world.clock.passes(times * 300_000);
      await frame.log(
        Array.from({ length: times }, () => ({ message: 'HTTP GET failed after 5 attempts', level: 'error' })),
      );
    };
    await fails(3);
    await frame.wake();
    assert.is(frame.remembered, name, 'three are quiet');
    await fails(4);
    frame.glass = 'service failed';
    await frame.wake();
    assert.instance(frame.glass, Buffer);
    assert.equal(
      (await stages(world, serial, 'told again')).map(({ because }) => because),
      ['the frame logged an error'],
    );
  }));

test('a version that nobody has read may store any value with an error screen: one that it was not sent is healed once a day', () =>
  withGateway(async (world) => {
    const { frame, serial } = await proven(world, '1.9.3');
    const name = frame.remembered;
    frame.refreshRate = 1_234;
    sleep(world, frame);
    await frame.wake();
    assert.is.not(frame.remembered, name);
    const healed = frame.remembered;
    sleep(world, frame);
    await frame.wake();
    frame.refreshRate = 1_234;
    sleep(world, frame);
    await frame.wake();
    assert.is(frame.remembered, healed);
    assert.equal(
      [(await stages(world, serial, 'told again')).length, (await stages(world, serial, 'covered')).length],
      [1, 1],
    );
  }));

test('an echo proves nothing of a picture in doubt that the frame did not download again', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    const upload = await world.offer(serial, 'one');
    await frame.wake();
    // It restarts again and again while it draws, until no fresh name is left for the day.
    for (let restarts = 0; restarts < 6; restarts++) {
      world.clock.passes(9_000);
      await frame.wake({ 'update-source': 'powercycle' });
    }
    for (let wakes = 0; wakes < 3; wakes++) {
      sleep(world, frame);
      await frame.wake();
      assert.ok((await world.lacks(upload)).length > 0, 'it took nothing in its last wake');
    }
    world.clock.passes(dayMs);
    await frame.wake();
    sleep(world, frame);
    await frame.wake();
    assert.equal(await world.lacks(upload), []);
  }));

test('an echo of a picture that was replaced meanwhile proves neither, and is reported', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    const one = await world.offer(serial, 'one');
    await frame.wake();
    const two = await world.offer(serial, 'two');
    sleep(world, frame);
    await frame.wake();
    assert.is((await world.evidence(one)).confirmedAt, null);
    assert.is((await world.evidence(two)).confirmedAt, null);
    const doubted = await stages(world, serial, 'doubted');
    assert.equal(
      doubted.map(({ uploadId, because }) => [uploadId, because]),
      [[one, ['replaced by a newer picture meanwhile']]],
    );
    sleep(world, frame);
    await frame.wake();
    assert.equal(await world.lacks(two), []);
  }));

test('a frame that is to prove soon sleeps shortly after a new picture, once, and as usual after that', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    const set = (provesSoon: boolean) => {
      const settings = { sleepTime: 3600, provesSoon };
      return transact(world.db, (trx) =>
        requestSettings(trx, serial, settings, { now: world.clock.now(), random: systemRandom(world.clock) }),
      );
    };
    await set(true);
    const upload = await world.offer(serial, 'one');
    await frame.wake();
    assert.ok(frame.refreshRate <= 100, `${frame.refreshRate} s: with the wake itself within two minutes`);
    sleep(world, frame);
    await frame.wake();
    assert.equal(await world.lacks(upload), []);
    assert.ok(frame.refreshRate > 3_000);
    await world.offer(serial, 'two');
    sleep(world, frame);
    await frame.wake();
    frame.remembered = undefined;
    frame.refreshRate = 15;
    world.clock.passes(15_000);
    await frame.wake();
    const retold = frame.refreshRate;
    assert.ok(retold <= 100, 'a fresh name is as new');
    await set(false);
    await world.offer(serial, 'three');
    sleep(world, frame);
    await frame.wake();
    assert.ok(frame.refreshRate > 3_000);
  }));

test('a frame of another size gets the neutral picture of its new owner after a restart of the service too', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world, 'mono-640x384');
    const size = { model: 'homeplate', width: '640', height: '384' };
    await world.offer(serial, 'one');
    await frame.wake(size);
    await world.release(serial);
    await world.activate(serial);
    const { body } = await frame.ask(size);
    await world.restart();
    const got = await getPicture(String(body.image_url).replace(/^https?:\/\/[^/]+/, world.url));
    const panel = sizedPanel('mono-640x384');
    assert.ok(panel);
    assert.equal(got?.body, Buffer.from((await drawNeutral(panel)).file));
  }));

test.run();
