import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { factoryFlags } from './fielded-frame.ts';
import { placeFrame } from './placed-frame.ts';
import { until, withGateway } from './world.ts';

const test = suite('classic activation');
const serial = 'epd7-b0c1d2e3f405';

test('a frame nobody registered that never had a picture hears not_started and pairs (W-17, W-18)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial, { registered: false });
    const cycle = await frame.wake();
    assert.equal(cycle.said, [{ act: 'not_started' }]);
    assert.is(cycle.outcome, 'pairing');
    await world.activate(serial);
    assert.is((await frame.wake()).said[0]?.act, 'activated');
  });
});

test('a frame nobody registered that holds a picture is answered neutrally, with an alert (W-18)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial, { registered: false });
    Object.assign(frame.flash, { file: 1_750_000_000, activated: true });
    const cycle = await frame.wake();
    assert.equal(cycle.said, [{ act: 'activated', timeout: 300, t: 1_750_000_000, sleepdisabled: false }]);
    assert.is(cycle.outcome, 'slept');
    assert.is(frame.flash.factoryResets, 0);
    assert.is((await world.events(serial, 'alert')).length, 1);
    const problem = 'shows a picture but is not registered to anyone';
    assert.equal(world.warnings, [{ fields: { frame: serial, problem }, message: 'alert about a frame' }]);
  });
});

test('a frame its owner released is reset, once (W-17)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    await world.offer(serial, 'roses');
    await frame.wake();
    await world.release(serial);
    const cycle = await frame.wake();
    assert.equal(cycle.said, [{ act: 'not_started' }, { act: 'reset' }]);
    assert.is(cycle.outcome, 'factory reset');
    assert.is(frame.flash.factoryResets, 1);
    assert.is((await frame.wake()).outcome, 'pairing');
  });
});

test('act 0 of a first set-up does not undo a registration made before it (W-36)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    const cycle = await frame.setUp();
    assert.equal(cycle.said[0], { act: 'reset' });
    assert.is(cycle.said[1]?.act, 'activated');
    assert.is(cycle.outcome, 'updated');
    await until(async () => (await world.lacks(upload)).length === 0, 'the evidence is complete');
  });
});

test('act 0 of a frame that was answered before is a reset by its user: unpaired (W-36)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    await frame.wake();
    const said = await frame.sayDeactivate();
    assert.equal(said.said, [{ act: 'reset' }]);
    Object.assign(frame.flash, { file: 0, activated: false });
    assert.is((await frame.wake()).outcome, 'pairing');
    await world.activate(serial);
    assert.is((await frame.wake()).said[0]?.act, 'activated');
  });
});

test('a garbled version of a frame nobody registered does not count as none: it gets no answer (W-17, W-18)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial, { registered: false });
    const line = await frame.connect();
    await line.publish(`$aws/things/${serial}/activateepaper`, '{"act": 1,"v": "3.0.21","file": "17#0"}');
    await until(async () => (await world.events(serial, 'alert')).length === 1, 'the report was judged');
    // Had there been an answer to the first message, it would come before the one to the second.
    await line.publish(`$aws/things/${serial}/activateepaper`, '{"act": 0}');
    assert.equal(await line.message(), { act: 'reset' });
    line.vanish();
  });
});

test('act 0 repeated is answered each time, and act 1 on the same connection is judged again (W-36, W-22)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const line = await frame.connect();
    const say = (payload: string) => line.publish(`$aws/things/${serial}/activateepaper`, payload);
    await say(frame.wakeReport('1'));
    assert.is((await line.message()).act, 'activated');
    for (let time = 0; time < 2; time++) {
      await say('{"act": 0}');
      assert.equal(await line.message(), { act: 'reset' });
    }
    await say(frame.wakeReport('1'));
    assert.equal(await line.message(), { act: 'not_started' });
    line.vanish();
  });
});

test('the timeout a person set goes out in every answer, within the frame’s limits (W-20, W-28)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    for (const [wished, told] of [
      ['900', 900],
      [5, 60],
      [1_000_000, 86_400],
      ['soon', 3600],
    ] as const) {
      await world.gateway.configure(world.db, serial, { sleepTime: wished });
      assert.is((await frame.wake()).said[0]?.timeout, told);
    }
    assert.is(frame.flash.timeoutSeconds, 3600);
  });
});

test('an older report with fw and a word for wake is understood (W-37)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const line = await frame.connect();
    const report =
      '{"act": 1, "fw": "2.9.0", "file": "0", "wake": "BUTTON", "wifi": "odd", "orient": "-1", "new": [{}]}';
    await line.publish(`$aws/things/${serial}/activateepaper`, report);
    assert.is((await line.message()).act, 'activated');
    const [hello] = await world.events(serial, 'hello');
    assert.is(hello?.payload.firmware, '2.9.0');
    assert.is(hello?.payload.wake, 'button');
    assert.is(hello?.payload.orientation, -1);
    line.vanish();
  });
});

/** Reports over one live line while the tables are out of reach, and returns what was answered. */
async function reportInTrouble(file: number): Promise<readonly Record<string, unknown>[]> {
  const answers: Record<string, unknown>[] = [];
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    frame.flash.file = file;
    const line = await frame.connect();
    await world.db.raw('alter table frames rename to frames_away');
    await world.db.raw('alter table frame_certificates rename to certificates_away');
    await line.publish(`$aws/things/${serial}/activateepaper`, frame.wakeReport('3'));
    await line.ping();
    if (file > 0) answers.push(await line.message());
    await world.db.raw('alter table frames_away rename to frames');
    await world.db.raw('alter table certificates_away rename to frame_certificates');
    // The trouble is over: the repeat of the same cycle is answered from the store again.
    await line.publish(`$aws/things/${serial}/activateepaper`, frame.wakeReport('3'));
    answers.push(await line.message());
    line.vanish();
  });
  return answers;
}

test('store trouble is answered neutrally, and the repeat properly once it is over (W-19, W-21)', async () => {
  const [neutral, proper] = await reportInTrouble(1_750_000_000);
  assert.equal(neutral, { act: 'activated', timeout: 300, t: 1_750_000_000, sleepdisabled: false });
  assert.equal(proper, { act: 'activated', timeout: 3600, t: 1_750_000_000, ...factoryFlags });
});

test('store trouble leaves a frame without a picture unanswered: a neutral answer would draw over it (W-19)', async () => {
  assert.equal(await reportInTrouble(0), [{ act: 'activated', timeout: 3600, t: 0, ...factoryFlags }]);
});

test.run();
