import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plannedAfter } from '../../gateway/frames/planned-changes.ts';
import type { FrameRow } from '../../gateway/frames/registry.ts';
import { readReasons } from '../../reasons/reason.ts';
import { hourMs, minuteMs } from '../alerts/alert-world.ts';
import { withDeadlines } from './deadline-world.ts';

const test = suite('deadlines/watch-deadlines');

test('a picture that is proven in time is met once, with its proof (DL-13)', async () => {
  await withDeadlines(async (world) => {
    const frame = await world.addFrame();
    await world.submit('menu');
    await world.addDeadline({});
    const [before] = await world.occurrences();
    assert.is(before?.state, 'planned');
    await frame.wakes();
    await world.works();
    const [after] = await world.occurrences();
    assert.is(after?.state, 'met');
    assert.is(after?.grade, 'named');
    assert.ok((after?.proof_at ?? Infinity) <= world.clock.now());
    await world.works();
    assert.equal(await world.events(), ['deadline.met']);
    assert.equal(world.sent, [], 'nobody was worried, so nobody hears of it');
  });
});

test('a sleep beyond the time makes a miss unavoidable in that moment, and once (DL-12)', async () => {
  await withDeadlines(async (world) => {
    const frame = await world.addFrame();
    const channel = await world.addChannel();
    await world.submit('menu');
    const by = world.clock.now() + hourMs;
    await world.addDeadline({ by });
    await frame.wakes({ fetches: false, shows: false });
    const toldAt = world.clock.now();
    await world.sleeps(frame.serial, by + minuteMs);
    await world.works();
    await world.works();
    const [row] = await world.occurrences();
    assert.is(row?.state, 'unavoidable');
    assert.is(row?.will_miss_at, toldAt);
    assert.is(row?.foreseeable, 1);
    const [cause] = readReasons(row?.cause ?? null);
    assert.is(typeof cause === 'object' && cause.code, 'deadline-asleep');
    assert.equal(await world.events(), ['deadline.will-miss']);
    assert.equal(
      world.sent.map(({ to, at }) => [to, at]),
      [[channel, toldAt]],
    );
    const [message] = world.sent;
    assert.match(message?.message.title ?? '', /will not be on “.*” by /);
    assert.match(message?.message.text ?? '', /Press its button/);
    assert.is(message?.message.deadlines?.[0]?.cause, 'deadline-asleep');
    // Somebody presses the button.
    await frame.wakes();
    await world.works();
    assert.equal(await world.events(), ['deadline.will-miss', 'deadline.met']);
    assert.match(world.sent.at(-1)?.message.title ?? '', /proven at/);
    assert.is(world.sent.length, 2);
  });
});

test('a frame that does not come is missed, after it was said, and met late (DL-15, DL-24)', async () => {
  await withDeadlines(async (world) => {
    const frame = await world.addFrame();
    await world.submit('menu');
    const by = world.clock.now() + hourMs;
    await world.sleeps(frame.serial, by - 30 * minuteMs);
    await world.addDeadline({ by });
    await world.passes(2 * hourMs);
    const [row] = await world.occurrences();
    assert.is(row?.state, 'missed');
    assert.is(row?.foreseeable, 0, 'nobody knew it when the frame fell asleep');
    const missable = by - 19_000;
    assert.ok(
      (row?.will_miss_at ?? 0) <= by && (row?.will_miss_at ?? 0) > missable - minuteMs,
      'when too little time was left',
    );
    await frame.wakes();
    await world.works();
    const kinds = ['deadline.at-risk', 'deadline.will-miss', 'deadline.missed', 'deadline.met-late'];
    assert.equal(await world.events(), kinds);
    await world.line.stop();
    await world.passes(26 * hourMs, hourMs);
    assert.is((await world.occurrences())[0]?.due_at, null, 'nothing of it is looked at any longer');
    assert.equal(await world.events(), kinds);
  });
});

test('a picture that was taken and not reported is unproven (DL-14)', async () => {
  await withDeadlines(async (world) => {
    const frame = await world.addFrame();
    await world.submit('menu');
    await world.addDeadline({});
    await frame.wakes({ shows: false });
    await world.passes(2 * hourMs);
    assert.is((await world.occurrences())[0]?.state, 'shown-unproven');
    assert.ok((await world.events()).includes('deadline.unproven'));
    assert.not((await world.events()).includes('deadline.missed'));
  });
});

test('another picture before the time begins again', async () => {
  await withDeadlines(async (world) => {
    const frame = await world.addFrame();
    await world.submit('menu');
    const by = world.clock.now() + hourMs;
    await world.addDeadline({ by });
    await frame.wakes();
    await world.works();
    await world.sleeps(frame.serial, by + minuteMs);
    assert.is((await world.occurrences())[0]?.state, 'met');
    world.clock.passes(minuteMs);
    await world.submit('other menu');
    await world.works();
    const [row] = await world.occurrences();
    assert.is(row?.state, 'unavoidable');
    assert.is(row?.round, 2);
    assert.is(row?.foreseeable, 0, 'it came when the frame slept');
    const [cause] = readReasons(row?.cause ?? null);
    assert.is(typeof cause === 'object' && cause.code, 'deadline-came-late');
    assert.equal(await world.events(), ['deadline.met', 'deadline.will-miss']);
  });
});

test('the wakes that a deadline needs are planned for its frame until it is met (DL-10)', async () => {
  await withDeadlines(async (world) => {
    const frame = await world.addFrame();
    await world.submit('menu');
    const by = world.clock.now() + hourMs;
    const planned = async () => {
      const row = await world.db<FrameRow>('frames').where({ serial: frame.serial }).first();
      return plannedAfter(row ?? {}, 'planned_deadlines', world.clock.now()).map(({ at }) => by - at);
    };
    await world.addDeadline({ by });
    const [needed = 0, ...more] = await planned();
    assert.ok(needed > minuteMs && needed < 2 * minuteMs, `${needed}`);
    assert.equal(more, []);
    await frame.wakes();
    await world.works();
    assert.equal(await planned(), []);
  });
});

test('a rule opens its next day, and the one after it when it is near', async () => {
  await withDeadlines(async (world) => {
    // 10 January 2026 is a Saturday.
    await world.addFrame();
    await world.submit('menu');
    await world.addDeadline({ by: { weekdays: [1, 2, 3, 4, 5], time: '07:00' } });
    const times = async () => (await world.occurrences()).map(({ by_at }) => new Date(by_at).toISOString());
    assert.equal(await times(), ['2026-01-12T06:00:00.000Z']);
    await world.addFrame();
    await world.line.stop();
    await world.passes(25 * hourMs, hourMs);
    assert.equal(
      await times(),
      ['2026-01-12T06:00:00.000Z', '2026-01-12T06:00:00.000Z', '2026-01-13T06:00:00.000Z', '2026-01-13T06:00:00.000Z'],
      'a frame that came since joins it',
    );
  });
});

test.run();
