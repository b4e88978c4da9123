import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeadlineStep } from '../../api/deadlines/steps.ts';
import { hourMs, minuteMs } from '../alerts/alert-world.ts';
import { type DeadlineWorld, withDeadlines } from './deadline-world.ts';

const test = suite('deadlines/deadline-steps');

/** A frame that is told to sleep beyond a deadline with these steps, in an hour. */
async function atStake(world: DeadlineWorld, steps: readonly DeadlineStep[]) {
  const frame = await world.addFrame();
  await world.submit('menu');
  const by = world.clock.now() + hourMs;
  const { id } = await world.addDeadline({ by, steps });
  await frame.wakes({ fetches: false, shows: false });
  await world.sleeps(frame.serial, by + 10 * hourMs);
  await world.works();
  await world.line.stop();
  return { frame, by, id };
}

const told = ({ sent }: DeadlineWorld, since: number): string[] =>
  sent.map(({ to, at, message: { isOver } }) => `${to} ${Math.round((at - since) / minuteMs)}${isOver ? ' over' : ''}`);

async function addMember(world: DeadlineWorld, email: string): Promise<string> {
  await world.addPerson('user');
  const { id } = await world
    .db('users')
    .where({ organization_id: world.organizationId })
    .orderBy('id', 'desc')
    .first('id');
  await world.db('users').where({ id }).update({ email });
  return id;
}

test('steps are taken one after the other, each counted from the one before (DL-21)', async () => {
  await withDeadlines(async (world) => {
    const channel = await world.addChannel();
    const person = await addMember(world, 'bo@example.org');
    const { frame, by } = await atStake(world, [
      { when: { state: 'unavoidable' }, to: { channel }, urgent: false },
      { when: { minutesLater: 10 }, to: { person }, urgent: false },
      { when: { minutesLater: 5 }, to: { channels: 'all' }, urgent: false },
      { when: { minutesAfter: 30 }, to: { person }, urgent: true },
    ]);
    await world.passes(2 * hourMs);
    const since = by - hourMs;
    assert.equal(told(world, since), [`${channel} 0`, 'bo@example.org 10', `${channel} 15`, 'bo@example.org 90']);
    await frame.wakes();
    await world.works();
    assert.equal(told(world, since).slice(4).sort(), ['bo@example.org 120 over', `${channel} 120 over`].sort());
    assert.ok((await world.notices()).every(({ sent_at, due_at }) => sent_at !== null && due_at === null));
  });
});

test('an acknowledgement stops the steps for 15 minutes, and they go on where they stopped (DL-21)', async () => {
  await withDeadlines(async (world) => {
    const channel = await world.addChannel();
    const { by } = await atStake(world, [
      { when: { state: 'unavoidable' }, to: { channel }, urgent: false },
      { when: { minutesLater: 5 }, to: { channel }, urgent: false },
    ]);
    await world.passes(2 * minuteMs);
    const now = world.clock.now();
    const until = {
      acknowledged_at: now,
      acknowledged_by: 'Ada',
      acknowledged_until: now + 15 * minuteMs,
      due_at: now,
    };
    await world.db('deadline_occurrences').update(until);
    await world.passes(30 * minuteMs);
    assert.equal(told(world, by - hourMs), [`${channel} 0`, `${channel} 17`]);
  });
});

test('steps before the time are taken where nothing is proven yet, and none after it was met', async () => {
  await withDeadlines(async (world) => {
    const channel = await world.addChannel();
    const frame = await world.addFrame();
    await world.submit('menu');
    const by = world.clock.now() + hourMs;
    await world.addDeadline({
      by,
      steps: [
        { when: { minutesBefore: 30 }, to: { channel }, urgent: false },
        { when: { minutesBefore: 10 }, to: { channel }, urgent: false },
      ],
    });
    await world.passes(40 * minuteMs);
    assert.equal(told(world, by), [`${channel} -30`]);
    await frame.wakes();
    await world.works();
    await world.passes(2 * hourMs, 10 * minuteMs);
    assert.equal(told(world, by), [`${channel} -30`, `${channel} -20 over`]);
  });
});

test('quiet hours hold back a message, and none that was declared urgent', async () => {
  await withDeadlines(async (world) => {
    // It is nine in the morning in Berlin.
    const channel = await world.addChannel({ quiet: ['08:00', '09:30'] });
    const { by } = await atStake(world, [
      { when: { state: 'unavoidable' }, to: { channel }, urgent: false },
      { when: { minutesLater: 5 }, to: { channel }, urgent: true },
    ]);
    await world.passes(10 * minuteMs);
    assert.equal(told(world, by - hourMs), [`${channel} 5`]);
    await world.passes(30 * minuteMs);
    assert.equal(told(world, by - hourMs), [`${channel} 5`, `${channel} 30`]);
  });
});

test('a step puts the paper on another frame, whose proof is watched as well', async () => {
  await withDeadlines(async (world) => {
    const other = await world.addFrame(null);
    const { frame, by } = await atStake(world, [
      { when: { state: 'unavoidable' }, to: { device: other.deviceId }, urgent: false },
    ]);
    const papers = await world.db('devices').orderBy('id').select('id', 'paper_id');
    assert.equal(
      papers.map(({ paper_id }) => paper_id),
      [world.paperId, world.paperId],
    );
    const rows = await world.occurrences();
    assert.equal(
      rows.map(({ device_id, by_at }) => [device_id, by_at]).sort(),
      [frame.deviceId, other.deviceId].map((id) => [id, by]).sort(),
    );
    assert.equal(
      (await world.notices()).map(({ target_kind, target_id }) => [target_kind, target_id]),
      [['frame', other.deviceId]],
    );
  });
});

test('a receiver that fails is tried again, and told once', async () => {
  await withDeadlines(async (world) => {
    const channel = await world.addChannel();
    world.mail.arrives = false;
    const { by } = await atStake(world, [{ when: { state: 'unavoidable' }, to: { channel }, urgent: false }]);
    await world.passes(5 * minuteMs);
    assert.equal(world.sent, []);
    assert.ok(((await world.notices())[0]?.attempts ?? 0) > 2);
    world.mail.arrives = true;
    await world.passes(20 * minuteMs);
    assert.is(told(world, by).length, 1);
  });
});

test.run();
