import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { publishPacketBytes } from '../../firmware-protocol/classic.ts';
import { checkFrameUrl } from '../../gateway/pictures/frame-url.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { factoryFlags } from './fielded-frame.ts';
import { placeFrame } from './placed-frame.ts';
import { epd13Bytes, pictureFile, until, withGateway } from './world.ts';

const test = suite('classic cycle');
const serial = 'epd7-b0c1d2e3f405';

test('a picture comes from offer to glass with complete evidence (W-01, W-02, W-07, W-13, W-14)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    assert.is((await world.evidence(upload)).announcedAt, null);
    const cycle = await frame.wake();

    assert.is(cycle.outcome, 'updated');
    const { fileVersion } = await world.evidence(upload);
    const path = await world.path(upload);
    assert.equal(cycle.said, [{ act: 'activated', timeout: 3600, t: fileVersion, url: path, ...factoryFlags }]);
    assert.equal(
      world.requests.filter((asked) => asked === `GET ${path}`),
      [`GET ${path}`, `GET ${path}`],
    );
    assert.equal(frame.flash.glass, pictureFile('roses').subarray(4));
    await until(async () => (await world.lacks(upload)).length === 0, 'the evidence is complete');
    const known = await world.evidence(upload);
    assert.is(known.digestMatches, undefined);
    assert.is(known.pictureSynced, true);
    assert.is(known.confirmedAt, null);
    assert.ok(world.reported.length >= 3);
  });
});

test('the 13-inch file takes the same road', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, 'epd13-b0c1d2e3f405', { pixelBytes: 960_000 });
    const upload = await world.offer('epd13-b0c1d2e3f405', 'mountain', epd13Bytes);
    assert.is((await frame.wake()).outcome, 'updated');
    assert.equal(frame.flash.glass, pictureFile('mountain', epd13Bytes).subarray(4));
    await until(async () => (await world.lacks(upload)).length === 0, 'the evidence is complete');
  });
});

test('with nothing newer t equals the reported file and no url is sent (W-01, W-02)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    frame.flash.file = 1_700_000_000;
    const cycle = await frame.wake();
    assert.equal(cycle.said, [{ act: 'activated', timeout: 3600, t: 1_700_000_000, ...factoryFlags }]);
    assert.is(cycle.outcome, 'slept');
    assert.equal(world.requests, []);
  });
});

test('a repeated report gets the very same answer (W-22)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    await world.offer(serial, 'roses');
    const { said } = await frame.wake({ reports: 3 });
    assert.is(said.length, 3);
    assert.equal(said[1], said[0]);
    assert.equal(said[2], said[0]);
    assert.is((await world.events(serial, 'hello')).length, 1);
  });
});

test('of several pictures offered between wakes the newest wins', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const first = await world.offer(serial, 'first');
    await world.offer(serial, 'second');
    const third = await world.offer(serial, 'third');
    await frame.wake();
    assert.equal(frame.flash.glass, pictureFile('third').subarray(4));
    await until(async () => (await world.lacks(third)).length === 0, 'the newest is proven');
    assert.is((await world.evidence(first)).announcedAt, null);
    assert.is((await world.evidence(first)).replaced, true);
  });
});

test('a picture offered while the frame is awake is not pushed and waits for the next cycle (W-23, W-24)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const first = await world.offer(serial, 'first');
    let second = '';
    const cycle = await frame.wake({
      beforeState: async () => {
        second = await world.offer(serial, 'second');
      },
    });
    assert.is(cycle.said.length, 1);
    assert.equal(frame.flash.glass, pictureFile('first').subarray(4));
    await until(async () => (await world.evidence(first)).shownAt !== null, 'the report was taken for the first');
    assert.equal(await world.lacks(second), ['announced', 'fetched', 'shown', 'version']);

    const stays = await frame.connect();
    await stays.publish(`$aws/things/${serial}/activateepaper`, frame.wakeReport('3'));
    const answer = await stays.message();
    assert.ok(Number(answer.t) > frame.flash.file);
    await world.offer(serial, 'third');
    await stays.publish(`$aws/things/${serial}/activateepaper`, frame.wakeReport('3'));
    assert.equal(await stays.message(), answer, 'still the version of this cycle');
    assert.is(stays.received.filter(({ cmd }) => cmd === 'publish').length, 2);
    stays.vanish();
  });
});

test('versions only grow, also past a file the frame got elsewhere (INV-32)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    frame.flash.file = 1_999_999_999;
    const upload = await world.offer(serial, 'roses');
    const cycle = await frame.wake();
    assert.is(cycle.said[0]?.t, 2_000_000_000);
    await until(async () => (await world.lacks(upload)).length === 0, 'the evidence is complete');
    const next = await world.offer(serial, 'tulips');
    assert.is((await world.evidence(next)).fileVersion, 2_000_000_001);
    world.clock.passes(-86_400_000);
    const later = await world.offer(serial, 'lilies');
    assert.is((await world.evidence(later)).fileVersion, 2_000_000_002);
  });
});

test('a frame that says it has the last version is answered properly and recorded, with one alert (W-37)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    frame.flash.file = 2_147_483_647;
    await world.offer(serial, 'tulips');
    for (const _wake of [1, 2]) {
      assert.equal((await frame.wake()).said, [{ act: 'activated', timeout: 3600, t: 2_147_483_647, ...factoryFlags }]);
    }
    assert.is((await world.events(serial, 'hello')).length, 2);
    assert.is((await world.events(serial, 'alert')).length, 1);
    frame.flash.file = 0;
    assert.is((await frame.wake()).outcome, 'updated');
  });
});

test('a frame that asks for its url gets the one of its cycle, and nothing when there is none (W-03)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const line = await frame.connect();
    await line.publish(`$aws/things/${serial}/epaper/getimageurl`, '{"func": "request"}');
    await line.ping();
    const upload = await world.offer(serial, 'roses');
    await frame.wake({ neverGet: true });
    const again = await frame.connect();
    await again.publish(`$aws/things/${serial}/epaper/getimageurl`, '{"func": "request"}');
    assert.equal(await again.message(), { url: await world.path(upload) });
    assert.is(line.received.filter(({ cmd }) => cmd === 'publish').length, 0);
    again.vanish();
  });
});

test('the cycle survives a restart between download and report (W-14)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    const cycle = await frame.wake({ beforeState: () => world.restart() });
    assert.is(cycle.state, 'update_ok');
    await until(async () => (await world.lacks(upload)).length === 0, 'the evidence is complete');
  });
});

test('a replaced picture can be fetched for minutes, then the connection ends without an answer (W-07, W-11)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    await world.offer(serial, 'first');
    const inTime = await frame.wake({
      beforeDownload: async () => {
        await world.offer(serial, 'second');
        world.clock.passes(14 * 60_000);
      },
    });
    assert.equal(
      inTime.gets.map((got) => got?.status),
      [200, 200],
    );
    assert.is(inTime.outcome, 'updated');
    const tooLate = await frame.wake({
      beforeDownload: async () => {
        await world.offer(serial, 'third');
        world.clock.passes(16 * 60_000);
      },
    });
    assert.ok(tooLate.gets.every((got) => got === undefined));
    assert.is(tooLate.gets.length, 7);
    assert.is(tooLate.state, 'update_failed');
  });
});

test('every packet to a frame fits its buffers, whatever the spelling and the url (W-04, W-05)', async () => {
  await withGateway(async (world) => {
    const long = `epd13-${'F'.repeat(58)}`;
    const frame = await placeFrame(world, long);
    await world.offer(long, 'roses', epd13Bytes);
    const [answer] = (await frame.wake()).said;
    const bytes = publishPacketBytes(`$aws/things/${long}/epaper/receive`, JSON.stringify(answer).length);
    assert.ok(bytes <= 512, `${bytes} bytes`);
    assert.ok(world.url.length + String(answer?.url).length <= 49);
  });
});

test('a download prefix that would overflow the frame is refused at the start (W-04)', async () => {
  const longest = `http://${'a'.repeat(29)}`;
  checkFrameUrl(longest);
  assert.throws(
    () => checkFrameUrl(`${longest}a`),
    (error: unknown) => error instanceof Refusal && error.code === 'frame-url-too-long',
  );
});

test.run();
