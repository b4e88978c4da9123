import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerMs } from '../../gateway/commands/command-frame.ts';
import type { CommandRow } from '../../gateway/commands/command-log.ts';
import { systemClock } from '../../runtime/clock.ts';
import { isPostgres, transact } from '../../runtime/database/database.ts';
import { heldBack } from '../database.ts';
import { type NativeLine, nativeLine } from './native-line.ts';
import { placeFrame } from './placed-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('commands');
const serial = 'epd7-b0c1d2e3f405';
const other = 'epd7-b0c1d2e3f406';
const dayMs = 86_400_000;
const { after: soon } = systemClock;

/** A registered frame: `wake` connects it anew and says hello, which is answered before anything else comes. */
async function hang(world: GatewayWorld, named = serial): Promise<{ wake(): Promise<NativeLine> }> {
  const credential = await world.provision(named);
  await world.activate(named);
  return {
    async wake() {
      const frame = await nativeLine(world, named, credential);
      await frame.hello();
      const answer = await frame.line.message();
      assert.ok('settings' in answer, 'the answer to hello comes first');
      return frame;
    },
  };
}

async function sleep(world: GatewayWorld, frame: NativeLine, named = serial): Promise<void> {
  await frame.say('bye', { sleepSeconds: 3600 });
  frame.line.vanish();
  await until(async () => (await world.gateway.facts(named))?.connected === false, 'it is gone');
}

/** Commands that a frame heard so far. */
async function heard(frame: NativeLine): Promise<string[]> {
  await frame.line.ping();
  return frame.line.received
    .map((packet) => (packet.cmd === 'publish' && packet.topic.endsWith('/command') ? packet.payload.toString() : ''))
    .filter((text) => text !== '')
    .map((text) => (JSON.parse(text) as { name: string }).name);
}

const rows = (world: GatewayWorld): Promise<CommandRow[]> => world.db('frame_commands').orderBy('created_at');
const states = async (world: GatewayWorld) => (await rows(world)).map(({ name, state }) => `${name} ${state}`);
const stages = async (world: GatewayWorld, named = serial) =>
  (await world.events(named, 'command')).map(({ payload }) => payload.stage);

test('A-16: a frame that is awake is really asked, and the round trip is measured', async () => {
  await withGateway(async (world) => {
    const frame = await (await hang(world)).wake();
    for (const waitForData of [true, false]) {
      const pinged = world.gateway.ping(serial.toUpperCase(), { waitForData });
      const command = await frame.line.message();
      assert.is(command.name, 'ping');
      world.clock.passes(700);
      await frame.say('reply', { command: command.id, ok: true, data: { batteryMv: 4900 } });
      const { roundTripMs = 0, lastReachableAt, ...found } = { ...(await pinged) };
      assert.ok(roundTripMs >= 700 && roundTripMs < 10_000, `${roundTripMs} ms`);
      assert.ok(world.clock.now() - Number(lastReachableAt) < 10_000);
      const { asleep_until } = await world.db('frames').first('asleep_until');
      const awake = { success: true, reachable: true, state: 'awake', expectedWakeAt: asleep_until };
      assert.equal(found, { ...awake, ...(waitForData && { data: { batteryMv: 4900 } }) });
    }
    assert.equal(await stages(world), ['sent', 'answered', 'sent', 'answered']);
    assert.equal(await states(world), ['ping answered', 'ping answered']);
  });
});

test('A-16, C-26: a frame that does not answer is given up clearly, and its late answer changes nothing', async () => {
  await withGateway(async (world) => {
    const frame = await (await hang(world)).wake();
    let waitedMs = 0;
    world.clock.after = (delayMs, run) => {
      waitedMs = delayMs;
      return soon(20, run);
    };
    const pinged = world.gateway.ping(serial, { waitForData: true });
    const { id } = await frame.line.message();
    const found = await pinged;
    assert.is(waitedMs, 5000);
    assert.equal([found?.success, found?.reachable, found?.state], [false, false, 'silent']);
    assert.not.ok('roundTripMs' in (found ?? {}));
    const before = await rows(world);
    assert.is(before[0]?.state, 'expired');
    await frame.say('reply', { command: id, ok: true });
    assert.equal(await rows(world), before);
    assert.equal(await stages(world), ['sent', 'unanswered', 'stray reply']);
  });
});

test('A-16: a frame that sleeps, is overdue or never came is answered for at once and not asked', async () => {
  await withGateway(async (world) => {
    const { after } = world.clock;
    world.clock.after = (delayMs, run) => {
      if (delayMs === answerMs) throw new Error('no answer is waited for');
      return after(delayMs, run);
    };
    const home = await hang(world);
    assert.is(await world.gateway.ping('epd7-nobody', { waitForData: true }), undefined);
    const nothing = { success: false, reachable: false, lastReachableAt: null, expectedWakeAt: null };
    assert.equal(await world.gateway.ping(serial, { waitForData: true }), { ...nothing, state: 'unknown' });
    const frame = await home.wake();
    await frame.say('bye', { sleepSeconds: 3600 });
    const saidAt = world.clock.now();
    // Still connected, but it said goodbye.
    const dozing = await world.gateway.ping(serial, { waitForData: true });
    assert.equal([dozing?.success, dozing?.reachable, dozing?.state], [false, false, 'sleeping']);
    assert.ok(Math.abs(Number(dozing?.expectedWakeAt) - saidAt - 3_600_000) < 10_000);
    assert.ok(Math.abs(Number(dozing?.lastReachableAt) - saidAt) < 10_000);
    await sleep(world, frame);
    assert.is((await world.gateway.ping(serial, { waitForData: false }))?.state, 'sleeping');
    world.clock.passes(2 * 3_600_000);
    assert.is((await world.gateway.ping(serial, { waitForData: false }))?.state, 'overdue');
    assert.equal(await rows(world), []);
    assert.equal(await stages(world), []);
  });
});

test('A-17: a frame that is awake is asked at once, and its answer is the answer', async () => {
  await withGateway(async (world) => {
    const frame = await (await hang(world)).wake();
    const identified = world.gateway.command(serial, { name: 'identify', data: { seconds: 5 } });
    const command = await frame.line.message();
    assert.equal([command.name, command.data], ['identify', { seconds: 5 }]);
    await frame.say('reply', { command: command.id, ok: true });
    assert.equal(await identified, { state: 'answered', commandId: command.id, expectedAt: null });

    const refused = world.gateway.command(serial, { name: 'reboot' });
    const { id } = await frame.line.message();
    await frame.say('reply', { command: id, ok: false, data: { problem: 'busy drawing' } });
    assert.equal(await refused, {
      state: 'refused',
      commandId: id,
      expectedAt: null,
      data: { problem: 'busy drawing' },
      message: 'The frame refuses: busy drawing',
    });
    assert.equal(await states(world), ['identify answered', 'reboot refused']);
    assert.equal(await stages(world), ['queued', 'sent', 'answered', 'queued', 'sent', 'refused']);
  });
});

test("a refusal whose reason stands under another key is returned with the frame's whole answer", async () => {
  await withGateway(async (world) => {
    const frame = await (await hang(world)).wake();
    for (const [data, message] of [
      [{ why: 'no lamp', code: 7 }, 'why: no lamp, code: 7'],
      [{ problem: '' }, 'problem: '],
      [undefined, 'it gives no reason'],
    ] as const) {
      const refused = world.gateway.command(serial, { name: 'identify' });
      await frame.say('reply', { command: (await frame.line.message()).id, ok: false, ...(data && { data }) });
      assert.is((await refused)?.message, `The frame refuses: ${message}`);
    }
  });
});

test('A-17: what a sleeping frame is asked waits for its next wake and is given once, however often it wakes', async () => {
  await withGateway(async (world) => {
    const home = await hang(world);
    await sleep(world, await home.wake());
    const asked = await world.gateway.command(serial, { name: 'identify' });
    assert.is(asked?.state, 'queued');
    assert.ok(Number(asked?.expectedAt) > world.clock.now() + 3_500_000);
    await world.restart();

    const frame = await home.wake();
    const command = await frame.line.message();
    assert.equal(command, { id: asked?.commandId, name: 'identify' });
    await frame.hello();
    await frame.line.message();
    assert.equal(await heard(frame), ['identify'], 'not at a second hello');
    // It falls asleep without having answered: nobody knows whether it did it, so it is not asked again.
    await sleep(world, frame);
    const later = await home.wake();
    assert.equal(await heard(later), [], 'not at another wake');
    assert.equal(await states(world), ['identify sent']);
    await later.say('reply', { command: command.id, ok: true });
    assert.equal(await states(world), ['identify answered'], 'its answer still counts within the lifetime');
  });
});

test('A-17: what was not given within its lifetime never is, and lapsing is recorded', async () => {
  await withGateway(async (world) => {
    const home = await hang(world);
    await sleep(world, await home.wake());
    await world.gateway.command(serial, { name: 'identify', lifetimeMs: 60_000 });
    await world.gateway.command(serial, { name: 'reboot' });
    world.clock.passes(dayMs - 1000);
    const asked = await world.gateway.command(serial, { name: 'reset', lifetimeMs: 600_000 });
    world.clock.passes(1000);
    const frame = await home.wake();
    assert.equal(await frame.line.message(), { id: asked?.commandId, name: 'reset' });
    assert.equal(await heard(frame), ['reset']);
    assert.equal((await states(world)).sort(), ['identify expired', 'reboot expired', 'reset sent']);
    assert.is((await stages(world)).filter((stage) => stage === 'expired').length, 2);
  });
});

test('asking a sleeping frame again makes it happen once, and a reboot comes after everything else', async () => {
  await withGateway(async (world) => {
    const home = await hang(world);
    const asked = await Promise.all(
      (['reboot', 'reset', 'reboot', 'identify', 'reboot'] as const).map((name) =>
        world.gateway.command(serial, { name }),
      ),
    );
    assert.is(new Set(asked.map((outcome) => outcome?.commandId)).size, 3);
    assert.is(asked[0]?.expectedAt, null, 'nobody knows when a frame comes that never came');
    const frame = await home.wake();
    await until(async () => (await heard(frame)).length === 3, 'all three are given');
    const [first = '', second = '', last] = await heard(frame);
    assert.equal([...[first, second].sort(), last], ['identify', 'reset', 'reboot']);
  });
});

test('two who ask an awake frame for the same at the same moment ask it once, and both get its answer', async () => {
  await withGateway(async (world) => {
    const frame = await (await hang(world)).wake();
    const request = { name: 'identify' } as const;
    const both = await heldBack(world.db, 'frames', { serial }, 2, () =>
      Promise.all([world.gateway.command(serial, request), world.gateway.command(serial, request)]),
    );
    const said = async (stage: string) => (await stages(world)).filter((one) => one === stage).length;
    await until(async () => (await said('queued')) === 2, 'both have asked');
    const ids: string[] = await world.db('frame_commands').pluck('id');
    await until(async () => (await said('sent')) === ids.length, 'the frame was asked');
    // PostgreSQL may let the first one ask and give before the second asks: then they are two, one after the other.
    if (!isPostgres(world.db)) assert.is(ids.length, 1);
    for (const command of ids) await frame.say('reply', { command, ok: true });
    const answers = (await both.ended).map((answer) => [answer?.state, ids.includes(answer?.commandId ?? '')]);
    assert.equal(answers, [
      ['answered', true],
      ['answered', true],
    ]);
    assert.equal(
      await heard(frame),
      ids.map(() => 'identify'),
    );
  });
});

test('a command that arrives while the frame wakes is given in that wake, once', async () => {
  await withGateway(async (world) => {
    const home = await hang(world);
    for (let round = 0; round < 10; round++) {
      const waking = home.wake();
      const asked = world.gateway.command(serial, { name: 'identify' });
      const frame = await waking;
      const { id, name } = await frame.line.message();
      assert.is(name, 'identify');
      await frame.say('reply', { command: id, ok: true });
      assert.is((await asked)?.commandId, id);
      assert.equal(await heard(frame), ['identify']);
      await sleep(world, frame);
    }
  });
});

test('a reply with an old, an unknown or another frame’s id changes nothing, and no evidence comes of it', async () => {
  await withGateway(async (world) => {
    const frame = await (await hang(world)).wake();
    const stranger = await (await hang(world, other)).wake();
    const asked = world.gateway.command(serial, { name: 'identify' });
    const { id } = await frame.line.message();
    const before = await rows(world);
    await stranger.say('reply', { command: id, ok: true, data: { from: 'elsewhere' } });
    await frame.say('reply', { command: 'c1', ok: true });
    assert.equal(await rows(world), before);
    await frame.say('reply', { command: id, ok: true });
    assert.is((await asked)?.state, 'answered');
    const answered = await rows(world);
    await frame.say('reply', { command: id, ok: false, data: { problem: 'changed my mind' } });
    assert.equal(await rows(world), answered);
    assert.equal(await stages(world, other), ['stray reply']);
    assert.equal(await stages(world), ['queued', 'sent', 'stray reply', 'answered', 'stray reply']);
  });
});

test('what waits for a frame ends with its release: the next owner did not ask for it', async () => {
  await withGateway(async (world) => {
    const home = await hang(world);
    await sleep(world, await home.wake());
    await world.gateway.command(serial, { name: 'reboot' });
    await world.release(serial);
    await world.activate(serial);
    const frame = await home.wake();
    assert.equal(await heard(frame), []);
    assert.equal(await states(world), ['reboot expired']);
    assert.is(await world.gateway.command('epd7-nobody', { name: 'reboot' }), undefined);
  });
});

test('W-34, A-17: a fielded frame hears of no command; ping and reset are answered without it, and it stays activated', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    assert.is((await frame.wake()).outcome, 'no picture');
    await until(async () => (await world.gateway.facts(serial))?.connected === false, 'it sleeps');
    const asleep = await world.gateway.ping(serial, { waitForData: true });
    assert.equal([asleep?.success, asleep?.reachable, asleep?.state], [false, false, 'sleeping']);

    await transact(world.db, (trx) => world.gateway.configure(trx, serial, { sleepTime: '900' }));
    for (const name of ['reboot', 'identify'] as const) {
      const refused = await world.gateway.command(serial, { name });
      assert.equal([refused?.state, refused?.message], ['refused', `Frames of this kind know no ${name}`]);
    }
    const reset = await world.gateway.command(serial, { name: 'reset' });
    assert.is(reset?.state, 'queued');
    assert.ok(Number(reset?.expectedAt) > world.clock.now());
    assert.equal(await states(world), ['reboot refused', 'identify refused', 'reset answered']);

    const line = await frame.connect();
    const awake = await world.gateway.ping(serial, { waitForData: true });
    assert.equal([awake?.success, awake?.reachable, awake?.state], [true, true, 'awake']);
    const { reportedAt, ...said } = awake?.data ?? {};
    assert.equal(said, { firmware: '3.0.21', batteryMv: 4870, rssi: -61, orientation: 2, fileVersion: 0 });
    assert.match(String(reportedAt), /^\d{4}-.*Z$/, 'and when');
    line.vanish();
    const cycle = await frame.wake();
    assert.is(cycle.said.length, 1);
    assert.equal([cycle.said[0]?.act, cycle.said[0]?.timeout], ['activated', 3600]);
    assert.is(frame.flash.factoryResets, 0);
  });
});

test.run();
