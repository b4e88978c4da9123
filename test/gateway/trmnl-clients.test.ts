/** Findings of an emulator that was written from the sources of TRMNL's firmware and of HomePlate alone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { getPicture } from './picture-get.ts';
import { adopted, sleep } from './trmnl-frame.ts';
import { withGateway } from './world.ts';

const test = suite('clients of TRMNL’s protocol');

test('the log of HomePlate, which names no address, is that of the frame whose key it shows, and its remarks are not errors', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    frame.firmware = '1.2.0';
    const upload = await world.offer(serial, 'one');
    const log = async (key: string, messages: readonly string[]): Promise<number> => {
      const headers = { 'access-token': key, 'content-type': 'application/json' };
      const body = JSON.stringify({ logs: messages.map((message) => ({ message })) });
      return (await fetch(`${world.url}/trmnl/api/log`, { method: 'POST', headers, body })).status;
    };
    const name = String((await frame.wake()).body.filename);
    const drawn = ['boot: count=3 reason=timer sleep=900s', `display: updated ${name}`];
    assert.is(await log('the-key-of-nobody-at-all', drawn), 400);
    assert.is((await world.evidence(upload)).grade, 'fetched');
    assert.is(await log(frame.key ?? '', drawn), 204);
    assert.is((await world.evidence(upload)).grade, 'named');
    sleep(world, frame);
    assert.is((await frame.wake()).body.filename, name, 'it is not told again');
    await log(frame.key ?? '', ['error: failed to render image']);
    const levels = (await world.events(serial, 'log')).map(({ payload }) => payload.level);
    assert.equal(levels, ['info', 'info', 'error']);
  }));

test('firmware that takes a name it knows for a failure has no error screen, and costs no redraw', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    frame.firmware = '1.5.2';
    const upload = await world.offer(serial, 'one');
    await frame.wake();
    sleep(world, frame);
    const { filename } = (await frame.wake()).body;
    for (const stored of [5, 10, 30, 900, 900]) {
      frame.refreshRate = stored;
      sleep(world, frame);
      assert.is((await frame.wake()).body.filename, filename, `after ${stored}`);
    }
    assert.equal(await world.lacks(upload), []);
    frame.refreshRate = 900;
    sleep(world, frame, 5);
    assert.is.not((await frame.wake()).body.filename, filename, 'it was away longer: an error screen may cover it');
  }));

test('a frame that drew from its flash proves nothing by a whole download that somebody else made', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    const upload = await world.offer(serial, 'one');
    await frame.wake();
    sleep(world, frame);
    await frame.wake({ 'image-cached': 'true' });
    assert.ok((await world.lacks(upload)).includes('shown'));
    assert.is((await world.evidence(upload)).grade, 'fetched');
  }));

for (const [firmware, isHeld] of [
  ['1.6.9', false],
  ['1.6.10', true],
  ['1.8.14', true],
  ['1.9.0', true],
] as const) {
  test(`${firmware}: a whole download by somebody else proves ${isHeld ? 'nothing' : 'what nobody can tell apart'}, whatever comes back`, () =>
    withGateway(async (world) => {
      const { frame, serial } = await adopted(world);
      frame.firmware = firmware;
      const upload = await world.offer(serial, 'one');
      // The frame's own download fails, and the sleep that it was sent stays stored.
      const { body } = await frame.ask();
      frame.refreshRate = Number(body.refresh_rate);
      const url = String(body.image_url);
      const others = [
        {},
        { ID: frame.mac, 'Access-Token': 'a-key-of-somebody-else' },
        { ID: 'AA:BB:CC:00:11:99', 'Access-Token': frame.key ?? '' },
      ];
      for (const headers of others) assert.is((await getPicture(url, 'whole', { headers }))?.status, 200);
      await world.downloadsSettled();
      assert.is((await world.evidence(upload)).fetchedAt === null, isHeld);
      sleep(world, frame);
      await frame.wake();
      assert.is((await world.evidence(upload)).grade === 'processed', !isHeld);
      if (!isHeld) return;
      sleep(world, frame);
      await frame.wake();
      assert.is((await world.evidence(upload)).grade, 'processed', 'its own download counts');
    }));
}

test('a client with versions of its own, and a frame that knows the service by another address, are not held to headers', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    frame.model = 'Inkplate 10';
    frame.firmware = '2.3.0';
    const upload = await world.offer(serial, 'one');
    await getPicture(String((await frame.ask({ width: '800', height: '480' })).body.image_url));
    await world.downloadsSettled();
    assert.ok((await world.evidence(upload)).fetchedAt);
  }));

test('the log of HomePlate right after its download counts: the service waits until it knows how that ended', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    const upload = await world.offer(serial, 'one');
    const { body } = await frame.ask();
    await frame.download(String(body.image_url));
    assert.is(await frame.log([{ message: `display: updated ${body.filename}` }]), 204);
    assert.is((await world.evidence(upload)).grade, 'named');
  }));

test.run();
