/**
 * Another node goes on with a killed node's work, by real clocks, heartbeats and leases. The twenty seconds of INV-79 are
 * held by the simulation, whose time no busy machine stretches; here the other node's heartbeats are counted.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deliveryLine } from '../../api/delivery/delivery-line.ts';
import { openNode } from '../../cluster/nodes/open-node.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { nodeHub } from '../cluster/node-hub.ts';
import { until } from '../gateway/world.ts';
import { longTest } from '../some-times.ts';
import { type LineWorld, withLine } from './delivery-world.ts';

const test = suite('take-over');

/** Seven go by within twenty seconds, and one more may be under way. */
const maxHeartbeats = 8;

/** A node whose process can be killed: none of its timers rings any more, and nothing that it renders ends. */
async function killableNode(world: LineWorld, name: string, hub: ReturnType<typeof nodeHub>) {
  const process = { dead: false };
  const { now, after } = systemClock;
  const clock: Clock = { now, after: (delayMs, run) => after(delayMs, () => process.dead || run()) };
  const deps = { db: world.db, clock, logger: silentLogger, openChannel: hub.channel };
  const opened = await openNode(deps, { id: `id-${name}`, name, version: '1', schema: 1, address: `http://${name}` });
  const rendered: string[] = [];
  const render = { hangs: false };
  const line = deliveryLine({
    ...world.lineDeps,
    clock: opened.clock,
    cluster: opened,
    async render({ paperId }) {
      rendered.push(paperId);
      if (render.hangs) await new Promise(() => {});
      return { ok: true, file: Buffer.from('made') };
    },
  });
  line.start();
  const kill = (): void => {
    process.dead = true;
  };
  return { ...opened, line, rendered, render, kill };
}

const takesLong = longTest(test);

takesLong('a killed node’s delivery is offered by another one within a few heartbeats, single tasks and all', () =>
  withLine(async (world) => {
    await world.line.stop();
    // The lines work by real clocks, and so does what is accepted.
    world.clock.passes(Date.now() - world.clock.now());
    const hub = nodeHub();
    const nodes = [await killableNode(world, 'a', hub), await killableNode(world, 'b', hub)];
    const isReady = () => nodes.every(({ isSteady }) => isSteady()) && nodes.some(({ single }) => single.isOurs());
    await until(isReady, 'both have lived for a while');
    const [killed, other] = nodes[0]?.single.isOurs() ? nodes : [...nodes].reverse();
    if (killed === undefined || other === undefined) throw new Error('there are two nodes');
    await world.addFrame();
    killed.render.hangs = true;
    await world.submit('one');
    killed.line.nudge();
    const delivery = () => world.db('deliveries').first('state', 'attempts', 'claimed_by');
    await until(async () => (await delivery())?.claimed_by === killed.id, 'its work is under way');
    killed.kill();
    const heartbeats = new Set<number>();
    const isOffered = async (): Promise<boolean> => {
      for (const { id, heartbeatAt } of other.nodes()) if (id === other.id) heartbeats.add(heartbeatAt);
      return (await delivery()).state === 'prepared';
    };
    await until(isOffered, 'the other one goes on');
    assert.ok(heartbeats.size <= maxHeartbeats, `${heartbeats.size} heartbeats`);
    assert.equal(await delivery(), { state: 'prepared', attempts: 2, claimed_by: null });
    assert.is(other.single.isOurs(), true);
    await other.line.stop();
    await other.leave();
    await killed.leave();
  }),
);

test.run();
