/**
 * Messages that no honest frame that polls sends: each is refused, doubted or bounded, with an event, and everything else
 * goes on.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noteAsking, waitingFrames } from '../../gateway/adoption/waiting-frames.ts';
import { adopted, type TrmnlFrame, trmnlFrame } from './trmnl-frame.ts';
import { type GatewayWorld, withGateway } from './world.ts';

const test = suite('bad input of frames that poll');

const sleeps = (world: GatewayWorld, frame: TrmnlFrame): void => world.clock.passes(frame.refreshRate * 1000 + 5_000);
const problems = async (world: GatewayWorld, serial: string) =>
  (await world.events(serial, 'alert')).map(({ payload }) => payload.problem);

test('two devices that wake in turn with one address and one key are in conflict, also where no echo ever came back', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    const copy = trmnlFrame(world, frame.mac);
    copy.key = frame.key;
    await frame.wake();
    sleeps(world, frame);
    await copy.wake();
    assert.equal(await problems(world, serial), []);
    sleeps(world, frame);
    await frame.wake();
    assert.equal(await problems(world, serial), ['an echo of an earlier answer came back after a later one']);
  }));

test('a frame that lost its power after an answer, or asks again at once, is in no conflict', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    await frame.wake();
    sleeps(world, frame);
    // Its answer is lost, and it tries again within the same wake.
    await frame.ask();
    world.clock.passes(17_000);
    await frame.ask();
    sleeps(world, frame);
    await frame.ask({ 'update-source': 'powercycle' });
    assert.equal(await problems(world, serial), []);
  }));

test('a call that a suspended machine receives a day after it was sent is in no conflict', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    await frame.wake();
    sleeps(world, frame);
    // Its answer is lost, and so is the power of the frame once it has tried again.
    await frame.ask();
    world.clock.passes(86_400_000);
    await frame.ask();
    assert.equal(await problems(world, serial), []);
    await frame.ask({ 'update-source': 'reset' });
    assert.equal(await problems(world, serial), []);
  }));

test('made-up names from one address hide no device for long: one that asks again is there', () =>
  withGateway(async (world) => {
    const ask = async (at: number): Promise<void> => {
      world.clock.passes(1_000);
      const call = { serial: `trmnl-${String(at).padStart(12, '0')}`, firmware: undefined, refreshSeconds: undefined };
      const from = { address: '10.0.0.9', token_hash: null };
      await noteAsking(world.db, call as Parameters<typeof noteAsking>[1], from, world.clock.now());
    };
    for (let at = 1; at <= 60; at++) {
      await ask(at);
      if (at % 20 === 0) await ask(1);
    }
    await ask(1);
    const waiting = (await waitingFrames(world.db, world.clock.now())).map(({ serial }) => Number(serial.slice(6)));
    assert.is(waiting.length, 50);
    assert.is(waiting[0], 1);
    assert.equal([waiting.includes(60), waiting.includes(2)], [true, false]);
  }));

test('a double click and what sensors measured stand in the event of the wake', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    await frame.wake({
      'update-source': 'button',
      special_function: 'true',
      sensors: 'make=a;model=b;kind=temperature;value=21.5;unit=celsius;created_at=1,kind=<script>;value=1;unit=x',
    });
    const [hello] = await world.events(serial, 'hello');
    const { wake, pressedTwice, sensors } = hello?.payload ?? {};
    assert.equal([wake, pressedTwice, sensors], ['button', true, 'temperature 21.5 celsius']);
    sleeps(world, frame);
    const answer = await frame.wake();
    assert.equal([answer.body.special_function, 'action' in answer.body], ['none', false]);
  }));

test('headers of 16 kB are refused before anything is read of them, and the frame goes on', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    const before = await world.db('polled_answers').where({ serial }).first();
    const refused = await fetch(`${world.url}/trmnl/api/display`, {
      headers: { id: frame.mac, 'access-token': frame.key ?? '', 'fw-version': 'x'.repeat(17_000) },
    });
    assert.is(refused.status, 431);
    assert.equal(await world.db('polled_answers').where({ serial }).first(), before);
    assert.is((await frame.wake()).status, 200);
  }));

test('a device that comes back as another model: what it showed proves nothing of its new panel, and an event says so', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    await frame.wake();
    sleeps(world, frame);
    await frame.wake();
    assert.equal(await problems(world, serial), []);
    frame.model = 'reterminal_e1003';
    sleeps(world, frame);
    const answer = await frame.ask({ width: '1872', height: '1404' });
    assert.equal([answer.status, answer.body.filename], [200, frame.remembered], 'it is told what it was told before');
    const [problem] = await problems(world, serial);
    assert.match(String(problem), /reports panel seeede1003/);
    const { panel, kind } = await world.db('frames').where({ serial }).first();
    assert.equal([panel, kind], ['seeede1003', 'trmnl4']);
    frame.refreshRate = Number(answer.body.refresh_rate);
    sleeps(world, frame);
    await frame.wake();
    assert.equal(await problems(world, serial), [problem], 'it is told once');
  }));

test('while the picture of a frame is made again it gets the same one again', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    await frame.wake();
    await world.db('uploads').where({ serial }).update({ remake_at: world.clock.now() });
    sleeps(world, frame);
    const answer = await frame.ask();
    assert.equal([answer.status, answer.body.filename], [200, frame.remembered]);
  }));

test.run();
