/** Frames that stay away: one alert an outage, one word when they are back, and sleeps learned from the last ones. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expectWake, modelOf } from '../../gateway/frames/expect-wake.ts';
import { judgeSilence, watchMs } from '../../gateway/frames/watch-presence.ts';
import { nativeLine } from './native-line.ts';
import { placeFrame } from './placed-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('presence watch');
const serial = 'epd7-b0c1d2e3f405';
const minute = 60_000;
const hour = 60 * minute;
const now = 1_800_000_000_000;

/** The stages of a frame's alerts, in order. */
async function stages(world: GatewayWorld, of = serial): Promise<unknown[]> {
  return (await world.events(of, 'alert')).map(({ payload }) => payload.stage);
}

/** Lets time pass and the watch look; resolves when it is armed again. An alarm that is not set yet would not ring. */
async function lookAfter(world: GatewayWorld, ms: number): Promise<void> {
  await until(() => world.clock.isArmed(watchMs), 'the look before is over');
  world.clock.elapses(ms);
  await until(() => world.clock.isArmed(watchMs), 'the look is over');
}

const isGone = (world: GatewayWorld) => async () => (await world.gateway.facts(serial))?.connected === false;

test('A-12, W-39: a frame that stays away is reported once, after its sleep and the grace, and once when it is back', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    await frame.wake();
    await until(isGone(world), 'its connection is gone');
    await lookAfter(world, hour);
    await lookAfter(world, 5 * minute);
    assert.equal(await stages(world), [], 'late, within the grace');
    await lookAfter(world, 2 * minute);
    await until(async () => (await stages(world)).length > 0, 'the alert is recorded');
    for (let round = 0; round < 5; round++) await lookAfter(world, hour);
    assert.equal(await stages(world), ['overdue']);
    assert.is((await world.gateway.facts(serial))?.status, 'offline');

    await frame.wake();
    await frame.wake();
    assert.equal(await stages(world), ['overdue', 'recovered']);
    await until(isGone(world), 'its connection is gone');
    await lookAfter(world, 67 * minute);
    await until(async () => (await stages(world)).length > 2, 'the next outage is another one');
    assert.equal(await stages(world), ['overdue', 'recovered', 'overdue']);
  });
});

test('an outage outlives a restart: it is neither reported again nor forgotten', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    await frame.wake();
    await until(isGone(world), 'its connection is gone');
    await lookAfter(world, 67 * minute);
    await until(async () => (await stages(world)).length > 0, 'the alert is recorded');
    await world.restart();
    for (let round = 0; round < 3; round++) await lookAfter(world, 2 * hour);
    assert.equal(await stages(world), ['overdue']);
    await frame.wake();
    assert.equal(await stages(world), ['overdue', 'recovered']);
  });
});

test('no storm after the service was away: frames get one more sleep and grace, once an outage', async () => {
  await withGateway(async (world) => {
    const serials = [1, 2, 3].map((number) => `epd7-00000000000${number}`);
    for (const one of serials) await (await placeFrame(world, one)).wake();
    world.clock.passes(90 * minute);
    await world.restart();
    await lookAfter(world, watchMs);
    await lookAfter(world, 60 * minute);
    for (const one of serials) assert.equal(await stages(world, one), [], 'one more sleep');
    await world.restart();
    await lookAfter(world, 8 * minute);
    await until(async () => (await stages(world, serials[2])).length > 0, 'a second restart excuses nobody again');
    for (const one of serials) assert.equal(await stages(world, one), ['overdue']);
  });
});

test('a frame that is connected, or that was released, is never overdue', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    await world.activate(serial);
    const { hello, line } = await nativeLine(world, serial, credential);
    await hello();
    const released = await placeFrame(world, 'epd7-000000000001');
    await released.wake();
    await world.release(released.serial);
    for (let round = 0; round < 4; round++) await lookAfter(world, 2 * hour);
    assert.equal(await stages(world), []);
    assert.equal(await stages(world, released.serial), []);
    line.vanish();
    await until(isGone(world), 'its connection is gone');
    await lookAfter(world, hour);
    await until(async () => (await stages(world)).length > 0, 'gone long after its time: overdue');
  });
});

test('a sleep of any length is written down: its grace is whole milliseconds', async () => {
  await withGateway(async (world) => {
    await world.provision(serial);
    const toldMs = hour + 5_123;
    await expectWake(world.db, serial, { now, announcedUntil: now + toldMs });
    const { due_at: dueAt } = await world.db('frame_watch').where({ serial }).first('due_at');
    assert.is(dueAt, now + toldMs + Math.ceil(toldMs / 10));
  });
});

test('a pass touches what is due and nothing else', async () => {
  await withGateway(async (world) => {
    for (const one of ['epd7-000000000001', 'epd7-000000000002']) await (await placeFrame(world, one)).wake();
    await world.db('frame_watch').where({ serial: 'epd7-000000000002' }).update({ due_at: null });
    const asked: string[] = [];
    world.db.on('query', ({ sql, bindings }: { sql: string; bindings: unknown[] }) => {
      if (/^update .frame_watch/.test(sql)) asked.push(String(bindings));
    });
    await lookAfter(world, minute);
    assert.equal(asked, []);
    await lookAfter(world, 70 * minute);
    await until(async () => (await stages(world, 'epd7-000000000001')).length > 0, 'the alert is recorded');
    assert.ok(asked.length > 0 && asked.every((bindings) => bindings.includes('epd7-000000000001')));
  });
});

const heard = { activation: 'activated', asleep_until: now, last_contact_at: now - hour } as const;
const listening = { connected: false, excused: false, startedAt: now - 100 * hour, now: now + 7 * minute };
const silenceTable: readonly [
  why: string,
  frame: Partial<Parameters<typeof judgeSilence>[0]>,
  known: Partial<Parameters<typeof judgeSilence>[1]>,
  verdict: ReturnType<typeof judgeSilence>,
][] = [
  ['silent past its grace', {}, {}, { do: 'alert' }],
  ['within its grace', {}, { now: now + 5 * minute }, { do: 'look again', at: now + 6 * minute }],
  ['nobody’s', { activation: 'released' }, {}, { do: 'forget' }],
  ['reset by its owner', { activation: 'reset' }, {}, { do: 'forget' }],
  ['never told when to return', { asleep_until: null }, {}, { do: 'forget' }],
  ['connected', {}, { connected: true }, { do: 'look again', at: now + 13 * minute }],
  [
    'it may have come while nobody listened',
    {},
    { startedAt: now + minute },
    { do: 'look again', at: now + minute + hour + 6 * minute, excused: true },
  ],
  [
    'excused before, the service just started',
    {},
    { startedAt: now + 5 * minute, excused: true },
    { do: 'look again', at: now + 11 * minute },
  ],
  ['excused before, a grace after the start', {}, { startedAt: now + minute, excused: true }, { do: 'alert' }],
  ['expected right after the start', {}, { startedAt: now - minute, now: now + 6 * minute }, { do: 'alert' }],
];
for (const [why, frame, known, verdict] of silenceTable) {
  test(`A-12: ${why}`, () => assert.equal(judgeSilence({ ...heard, ...frame }, { ...listening, ...known }), verdict));
}

test('W-39: whatever was recorded, no alert comes before the expected wake and the grace', () => {
  const times = fc.record({
    slept: fc.integer({ min: 0, max: 90_000_000 }),
    late: fc.integer({ min: -90_000_000, max: 90_000_000 }),
    started: fc.integer({ min: -200_000_000, max: 200_000_000 }),
    excused: fc.boolean(),
  });
  fc.assert(
    fc.property(times, ({ slept, late, started, excused }) => {
      const frame = { ...heard, last_contact_at: now - slept };
      const known = { connected: false, excused, startedAt: now + Math.min(started, late), now: now + late };
      const verdict = judgeSilence(frame, known);
      const graceMs = Math.max(minute, slept / 10);
      if (verdict.do === 'alert') assert.ok(late >= graceMs && known.now >= known.startedAt + graceMs);
      // It asks for a time to come, or the next pass decides otherwise.
      else if (verdict.do === 'look again') assert.ok(verdict.at > known.now || verdict.excused === true);
    }),
  );
});

test('W-29: what the release before learned is believed: its periods count as sleeps of one length', () => {
  assert.equal(modelOf({ periods: '[1.05,1.05,1.05]', sleeps: null }), { isLearned: true, offset: 0, drift: 1.05 });
  assert.equal(modelOf({ periods: '[1.05,1.05]', sleeps: null }), { isLearned: false, offset: 0, drift: 1 });
  const both = { periods: '[1.05,1.05,1.05]', sleeps: '[[3600,3600],[3600,3600],[3600,3600]]' };
  assert.is(modelOf(both).drift, 1, 'the sleeps with their lengths count');
  assert.is(modelOf(undefined).isLearned, false, 'a frame that was never sent to sleep');
});

test('W-29: a frame whose hours last 5 % longer is expected when it really comes', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    await world.activate(serial);
    for (let wake = 1; wake <= 5; wake++) {
      const { line, hello, say } = await nativeLine(world, serial, credential);
      await hello({ boot: wake });
      await say('bye', { sleepSeconds: 3600 });
      const expectedMs = Number((await world.gateway.facts(serial))?.expectedWakeAt) - world.clock.now();
      const minutes = Math.round(expectedMs / minute);
      assert.is(minutes, wake <= 3 ? 60 : 63, `after wake ${wake}`);
      line.vanish();
      world.clock.passes(63 * minute);
    }
  });
});

test.run();
