/** The operator's view of other nodes: each change is a line with the node's name, and a count. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMetrics } from '../../api/status/metrics.ts';
import { measureChannelLag } from '../../cluster/nodes/channel-lag.ts';
import { takeLease, workUnderLease } from '../../cluster/nodes/leases.ts';
import { deadAfterMs, type NodeSeen } from '../../cluster/nodes/node-life.ts';
import { watchNodes } from '../../cluster/nodes/watch-nodes.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import { processLogger } from '../../runtime/logger.ts';
import { steppedClock, withNodeTables } from './nodes-world.ts';

const test = suite('what nodes say of each other');

/** A log that is kept, a line for each entry without the fields that a test does not ask for. */
function keptLog(): { readonly logger: Logger; take(): string[] } {
  let lines: string[] = [];
  const keep = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push(`${level} ${fields.other ?? fields.lease ?? ''}: ${message}`);
  const logger = { debug() {}, info: keep('info'), warn: keep('warn'), error: keep('error') };
  return {
    logger,
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

const node = (name: string, state: NodeSeen['state'], id = name): NodeSeen => ({
  id,
  name,
  state,
  isDeaf: false,
  version: '1',
  schema: 1,
  address: `http://${name}`,
  startedAt: 0,
  heartbeatAt: state === 'dead' ? 0 : deadAfterMs + 3_000,
});

/** Counts by label as `/metrics` would export them. */
function countsOf() {
  const counts: Record<string, number> = {};
  const meter = {
    count(name: string, labels: object, times = 1) {
      const key = `${name.replace(/^papergate_|_total$/g, '')} ${Object.values(labels).join(' ')}`;
      counts[key] = (counts[key] ?? 0) + times;
    },
    time(name: string, seconds: number) {
      counts[name] = seconds;
    },
  };
  return { meter, counts };
}

test('a node that dies, one that is killed and started again, one that comes, drains, leaves and returns are each logged once', () => {
  const { logger, take } = keptLog();
  const { meter, counts } = countsOf();
  const watch = watchNodes({ logger, meter }, 'a');
  const a = node('a', 'alive');
  const sees = (...nodes: readonly NodeSeen[]): string[] => {
    watch([a, ...nodes], true);
    return take();
  };
  assert.equal(sees(node('b', 'alive')), [], 'what was there before is no change');
  assert.equal(sees(node('b', 'dead')), ['warn b: a node is dead: the others take over its work']);
  assert.equal(sees(node('b', 'dead')), [], 'it is told once');
  assert.equal(sees(node('b', 'alive')), [
    'warn b: a node that was dead is heard again: its machine was paused or cut off',
  ]);
  assert.equal(sees(node('b', 'alive', 'b-2')), ['warn b: a node ended without draining, and was started again']);
  assert.equal(sees(node('b', 'draining', 'b-2')), ['info b: a node is draining']);
  assert.equal(
    sees(node('b', 'alive', 'b-3')),
    ['info b: a node joined'],
    'one that drained was restarted as it should be',
  );
  assert.equal(sees(node('b', 'alive', 'b-3'), node('c', 'alive')), ['info c: a node joined']);
  assert.equal(sees(node('c', 'alive')), ['info b: a node left']);
  assert.equal(sees(node('c', 'dead')), ['warn c: a node is dead: the others take over its work']);
  assert.equal(sees(), [], 'somebody forgot a dead node');
  assert.equal(counts, {
    'node_changes dead': 2,
    'node_changes returned': 1,
    'node_changes replaced': 1,
    'node_changes draining': 1,
    'node_changes joined': 2,
    'node_changes left': 1,
  });
});

test('while this node’s own heartbeats fail nobody is called dead; afterwards who stays silent is', () => {
  const { logger, take } = keptLog();
  const watch = watchNodes({ logger }, 'a');
  watch([node('a', 'alive'), node('b', 'alive')], true);
  watch([node('a', 'alive'), node('b', 'dead')], false);
  assert.equal(take(), []);
  watch([node('a', 'alive'), node('b', 'dead')], true);
  assert.equal(take(), ['warn b: a node is dead: the others take over its work']);
});

test('a lease that is taken, lost and given back is logged with its name', () =>
  withNodeTables(async (db) => {
    const { logger, take } = keptLog();
    const { meter, counts } = countsOf();
    const clock = steppedClock();
    const work = workUnderLease({ db, clock, logger, meter, holder: 'a' }, 'tasks', () => () => {});
    await clock.elapses(0);
    assert.equal(take(), ['info tasks: this node holds the lease now']);
    await db('leases').update({ until_at: 1 });
    await takeLease(db, 'tasks', 'b');
    await clock.elapses(5_000);
    assert.equal(take(), ['warn tasks: this node has lost the lease: it was not renewed in time']);
    await db('leases').update({ until_at: 1 });
    await clock.elapses(5_000);
    await work.stop();
    assert.equal(take(), ['info tasks: this node holds the lease now', 'info tasks: this node gives the lease back']);
    assert.equal(counts, { 'lease_changes taken': 2, 'lease_changes lost': 1, 'lease_changes returned': 1 });
  }));

test('the lag of the channel is measured from saying to hearing; what is late is logged once, and nonsense is not a time', () => {
  const { logger, take } = keptLog();
  const { meter, counts } = countsOf();
  let now = 1_800_000_000_000;
  let hear: (text: string) => void = () => {};
  const posted: string[] = [];
  const channel = {
    node: 'a',
    post: (_: string | undefined, text: string) => void posted.push(text),
    open: (hearing: { receive(from: string, text: string): void }) => {
      hear = (text) => hearing.receive('b', text);
    },
    close() {},
    receivedAt: () => undefined,
  };
  const lag = measureChannelLag(channel, { now: () => now, logger, meter });
  lag.publish();
  const [said = ''] = posted;
  now += 40;
  hear(said);
  assert.equal(counts, { papergate_node_channel_seconds: 0.04 });
  now += 3_000;
  hear(said);
  hear(said);
  assert.equal(take().length, 1);
  hear(String(now));
  assert.equal(take(), ['info : what other nodes say arrives in time again']);
  const before = { ...counts };
  for (const nonsense of ['', 'null', '{}', '-5', '1e300', '9'.repeat(400), '0', 'NaN']) hear(nonsense);
  assert.equal([counts, take()], [before, []]);
});

test('the lines of a node have its name, those of a process that is alone have none', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  processLogger('info', destination, { node: 'a' }).info({ other: 'b' }, 'hello');
  processLogger('info', destination).info({}, 'hello');
  assert.equal(
    lines.map((line) => JSON.parse(line).node),
    ['a', undefined],
  );
});

test('what becomes of nodes is in the exposition that Prometheus reads', async () => {
  const metrics = openMetrics(systemClock);
  watchNodes({ logger: keptLog().logger, meter: metrics }, 'a')([node('b', 'dead')], true);
  assert.is(metrics.totals().papergate_node_changes_total, 1);
});

test.run();
