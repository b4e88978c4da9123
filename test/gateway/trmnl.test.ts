/**
 * Frames that poll as TRMNL's do: adopted, given pictures to show, and believed only as far as their wakes prove it.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { waitingFrames } from '../../gateway/adoption/waiting-frames.ts';
import { adopt, adopted, serialOf, sleep, type TrmnlFrame, trmnlFrame } from './trmnl-frame.ts';
import { type GatewayWorld, withGateway } from './world.ts';

const test = suite('frames that poll');

test('a device that nobody knows is seen and waits, gets its key once it is adopted, and no other one', () =>
  withGateway(async (world) => {
    const frame = trmnlFrame(world);
    const waits = await frame.setup();
    assert.equal([waits.status, waits.body.status, waits.body.api_key], [200, 404, null]);
    const [seen] = await waitingFrames(world.db, world.clock.now());
    assert.equal([seen?.serial, seen?.model, seen?.panel, seen?.asks], [serialOf(frame), 'og', 'trmnl4', 1]);
    await adopt(world, frame);
    assert.equal(await waitingFrames(world.db, world.clock.now()), []);
    assert.is((await frame.setup()).body.status, 200);
    const answer = await frame.ask();
    assert.equal([answer.status, answer.body.status], [200, 0]);
    assert.is((await frame.setup()).body.status, 404, 'whoever knows the address gets no key of a frame that has one');
  }));

test('a picture is proven by the next wake: whole download, echo, time', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    const upload = await world.offer(serial, 'one');
    const told = await frame.wake();
    assert.match(String(told.body.filename), /^pgate-[0-9a-f]{6}-\d{10}$/);
    assert.ok((await world.evidence(upload)).fetchedAt);
    assert.ok((await world.lacks(upload)).length > 0, 'nothing is proven before the next wake');
    assert.is((await world.evidence(upload)).grade, 'fetched');
    sleep(world, frame);
    const next = await frame.wake();
    assert.equal(await world.lacks(upload), []);
    assert.is((await world.evidence(upload)).grade, 'processed');
    assert.is(next.body.filename, told.body.filename, 'what is on the glass keeps its name');
    assert.is.not(next.body.refresh_rate, told.body.refresh_rate, 'each answer has an echo of its own');
  }));

const failures: readonly (readonly [
  what: string,
  fails: (frame: TrmnlFrame, world: GatewayWorld) => Promise<Record<string, string>>,
])[] = [
  [
    'the download was cut, and the firmware keeps the echo all the same (1.5.5 to 1.8.14)',
    async (frame) => {
      const { body } = await frame.ask();
      frame.refreshRate = Number(body.refresh_rate);
      await frame.download(String(body.image_url), 'half');
      return {};
    },
  ],
  [
    'the frame noticed an error and stored a value of its own',
    async (frame) => {
      await frame.wake();
      frame.refreshRate = 15;
      return {};
    },
  ],
  [
    'the frame was awake too shortly to draw anything',
    async (frame) => {
      await frame.wake();
      return { 'wake-time': '200' };
    },
  ],
  [
    'the frame logged an error',
    async (frame) => {
      await frame.wake();
      assert.is(await frame.log([{ message: 'Error decoding image', level: 'error' }]), 204);
      return {};
    },
  ],
];

for (const [what, fails] of failures) {
  test(`nothing is proven when ${what}; the picture is announced again, and proven then`, () =>
    withGateway(async (world) => {
      const { frame, serial } = await adopted(world);
      const upload = await world.offer(serial, 'one');
      const more = await fails(frame, world);
      await world.downloadsSettled();
      const before = frame.remembered;
      sleep(world, frame);
      const again = await frame.wake(more);
      assert.ok((await world.lacks(upload)).length > 0);
      assert.is.not(again.body.filename, before, 'a name that the frame may remember would be skipped');
      sleep(world, frame);
      await frame.wake();
      assert.equal(await world.lacks(upload), []);
    }));
}

test('a restart in the middle of drawing echoes at once, and proves nothing', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    const upload = await world.offer(serial, 'one');
    await frame.wake();
    world.clock.passes(12_000);
    frame.remembered = undefined;
    await frame.wake({ 'update-source': 'powercycle' });
    assert.ok((await world.lacks(upload)).length > 0);
    sleep(world, frame);
    await frame.wake();
    assert.equal(await world.lacks(upload), []);
  }));

test('a restart late in a short sleep proves nothing either: a clock does not run that fast', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    frame.firmware = '1.6.9';
    await world.db('frames').where({ serial }).update({ sleep_seconds: 64 });
    const upload = await world.offer(serial, 'one');
    await frame.wake({ 'update-source': '' });
    sleep(world, frame, 0.7);
    frame.remembered = undefined;
    await frame.wake({ 'update-source': '' });
    assert.ok((await world.lacks(upload)).length > 0);
  }));

test('an echo that an earlier answer carried comes from somebody else: the frame is in conflict', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    await frame.wake();
    const replayed = frame.refreshRate;
    for (let wakes = 0; wakes < 2; wakes++) {
      sleep(world, frame);
      await frame.wake();
    }
    assert.equal(await world.events(serial, 'alert'), []);
    await frame.ask({ 'refresh-rate': `${replayed}` });
    assert.equal(
      (await world.events(serial, 'alert')).map(({ payload }) => payload.problem),
      ['an echo of an earlier answer came back after a later one'],
    );
  }));

test('a caller without a key, or with that of another frame, learns nothing of a frame and changes nothing', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    const upload = await world.offer(serial, 'one');
    const other = trmnlFrame(world, 'AA:BB:CC:00:11:33');
    await other.setup();
    await adopt(world, other);
    await other.setup();
    for (const key of ['', 'x'.repeat(200), other.key ?? '']) {
      const answer = await frame.ask({ 'access-token': key });
      assert.match(String(answer.body.filename), /^pgate-waiting-/);
    }
    assert.is((await world.evidence(upload)).announcedAt, null);
    assert.equal(await world.events(serial, 'hello'), []);
  }));

test('headers without sense are left out, and a call without an address is refused', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    const nonsense = {
      'refresh-rate': '-1',
      'battery-voltage': '1e9',
      rssi: '999999',
      width: '0',
      height: 'x',
      'wake-time': '',
    };
    const answer = await frame.ask(nonsense);
    assert.is(answer.body.status, 0);
    const row = await world.db('frames').where({ serial }).first('battery_mv', 'rssi');
    assert.equal([row?.battery_mv, row?.rssi], [null, null]);
    assert.is((await frame.ask({ id: 'AA:BB' })).status, 400);
    assert.is((await fetch(`${world.url}/trmnl/api/other`)).status, 404);
    assert.is((await fetch(`${world.url}/trmnl/api/display`, { method: 'POST' })).status, 405);
  }));

test('what a frame logs is kept in bounds, and what cannot be read is dropped without an error', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    for (let call = 0; call < 12; call++) {
      const lines = Array.from({ length: 40 }, (_, at) => ({ message: `${at} ${'x'.repeat(600)}` }));
      assert.is(await frame.log(lines), 204);
    }
    const kept = await world.events(serial, 'log');
    assert.is(kept.length, 60);
    assert.ok(kept.every(({ payload }) => String(payload.message).length <= 512));
    const headers = { id: frame.mac, 'access-token': frame.key ?? '' };
    for (const body of ['', '{', '[]', '{"logs":7}', 'x'.repeat(200_000)]) {
      const response = await fetch(`${world.url}/trmnl/api/log`, { method: 'POST', headers, body });
      assert.is(response.status, 204, body.slice(0, 20));
    }
    assert.is((await world.events(serial, 'log')).length, 60);
  }));

test('a device that was another server’s is adopted with the key that it has', () =>
  withGateway(async (world) => {
    const frame = trmnlFrame(world);
    frame.key = 'a-key-of-another-server';
    assert.match(String((await frame.ask()).body.filename), /^pgate-waiting-/);
    const serial = await adopt(world, frame);
    await world.offer(serial, 'one');
    assert.match(String((await frame.wake()).body.filename), /^pgate-[0-9a-f]{6}-/);
    sleep(world, frame);
    await frame.wake();
    frame.key = 'another-key-of-somebody';
    assert.match(String((await frame.ask()).body.filename), /^pgate-waiting-/);
  }));

test('a client that names the picture it has drawn is believed at once, by version and digest', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    frame.firmware = 'HomePlate';
    const upload = await world.offer(serial, 'one');
    const { body } = await frame.wake();
    const name = String(body.filename);
    assert.is(await frame.log([{ message: `display: updated ${name.replace('pgate-', 'pgate-0')}` }]), 204);
    assert.ok((await world.lacks(upload)).length > 0);
    assert.is(await frame.log([{ message: `display: updated ${name}` }]), 204);
    assert.equal(await world.lacks(upload), []);
    assert.is((await world.evidence(upload)).grade, 'named');
    // EV-14: its echo at the next wake says less, and takes nothing from that.
    frame.firmware = '1.8.14';
    sleep(world, frame);
    await frame.wake();
    assert.is((await world.evidence(upload)).grade, 'named');
  }));

test('a client that sends no echo takes each picture once, and proves none', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    const upload = await world.offer(serial, 'one');
    const silent = { 'refresh-rate': '', 'update-source': '', 'image-cached': '', 'wake-time': '' };
    const names = new Set<unknown>();
    for (let wakes = 0; wakes < 4; wakes++) {
      names.add((await frame.wake(silent)).body.filename);
      sleep(world, frame);
    }
    assert.is(names.size, 1);
    assert.equal(
      [(await world.evidence(upload)).fetchedAt !== null, (await world.evidence(upload)).shownAt],
      [true, null],
    );
    assert.is((await world.evidence(upload)).grade, 'fetched');
  }));

test.run();
