/** Two nodes watch the deadlines of one database: each step is taken once, by the node that comes first. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeadlineStep } from '../../api/deadlines/steps.ts';
import { alone } from '../../cluster/alone.ts';
import { hourMs, minuteMs } from '../alerts/alert-world.ts';
import { type DeadlineWorld, withDeadlines } from './deadline-world.ts';

const test = suite('deadlines/two-nodes');

/** Starts two nodes besides each other, in place of the one of the world. `holds` says which of them sweeps. */
async function startTwo(world: DeadlineWorld, holds: () => number) {
  await world.watch.stop();
  const nodes = [0, 1].map((at) => world.otherNode({ ...alone.single, isOurs: () => holds() === at }));
  for (const node of nodes) node.start();
  /** Lets both look at the same time, until both have nothing to do. */
  const work = async (): Promise<void> => {
    for (const node of nodes) node.nudge();
    await Promise.all(nodes.map((node) => node.idle()));
  };
  await work();
  return { nodes, work };
}

test('each event, step and message comes once, also when the task goes from one node to the other', async () => {
  await withDeadlines(async (world) => {
    const { clock, db } = world;
    const channel = await world.addChannel();
    const [frame, spare] = [await world.addFrame(), await world.addFrame(null)];
    await world.submit('menu');
    await world.line.idle();
    let holder = 0;
    const { nodes, work } = await startTwo(world, () => holder);
    const to = { channel };
    const steps: readonly DeadlineStep[] = [
      { when: { state: 'unavoidable' }, to, urgent: false },
      { when: { minutesLater: 10 }, to: { device: spare.deviceId }, urgent: false },
      { when: { minutesLater: 10 }, to: { channels: 'all' }, urgent: false },
      { when: { minutesAfter: 5 }, to, urgent: true },
    ];
    const by = clock.now() + hourMs;
    const { id } = await world.addDeadline({ by, steps, devices: [frame.deviceId] });
    await frame.wakes({ fetches: false, shows: false });
    await db('frames')
      .where({ serial: frame.serial })
      .update({ asleep_until: by + 2 * hourMs, updated_at: clock.now() });
    for (const node of nodes) node.nudge({ reported: frame.serial });
    await Promise.all(nodes.map((node) => node.look(id)));
    for (let minute = 0; minute < 80; minute++) {
      await work();
      clock.passes(minuteMs);
      holder = minute % 7 === 6 ? 1 - holder : holder;
    }
    await work();
    const own = (await world.occurrences()).filter(({ device_id }) => device_id === frame.deviceId);
    assert.equal(
      own.map(({ state, steps_taken }) => [state, steps_taken]),
      [['missed', 4]],
    );
    const notices = (await world.notices()).filter(({ occurrence_id }) => occurrence_id === own[0]?.id);
    assert.equal(
      notices.map(({ step, target_kind }) => `${step} ${target_kind}`),
      ['0 channel', '1 frame', '2 channel', '3 channel'],
    );
    const events = await db('deadline_events').where({ occurrence_id: own[0]?.id }).orderBy('at').pluck('kind');
    assert.equal(events.slice().sort(), ['deadline.missed', 'deadline.will-miss']);
    assert.equal(
      world.sent.map(({ to: receiver, at }) => [receiver, Math.round((at - by + hourMs) / minuteMs)]),
      [0, 20, 65].map((minute) => [channel, minute]),
    );
    for (const node of nodes) await node.stop();
  });
});

test.run();
