/** Two or three nodes over one database: they share the work, nothing is done twice, and a dead one's work is taken over. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RenderedPicture } from '../../api/drawing/wanted-picture.ts';
import { type ClusterInHand, type Core, heldOpen, untilHolds, withCluster } from './cluster-world.ts';
import type { LineWorld } from './delivery-world.ts';

const test = suite('several cores');

const minuteMs = 60_000;
const rendered = (cores: readonly Core[]): number => cores.reduce((sum, core) => sum + core.rendered.length, 0);

async function framesOf(world: LineWorld, count: number, paperId?: string) {
  const frames = [];
  for (let at = 0; at < count; at++) frames.push(await world.addFrame(paperId));
  return frames;
}

/** Frames that show their paper's page until content is pushed to it; the node does the single tasks. */
async function homeAt(world: LineWorld, cluster: ClusterInHand, single: Core, count: number) {
  cluster.singleAt(single);
  const frames = await framesOf(world, count);
  await look(cluster, [single]);
  for (const core of cluster.cores) core.rendered.splice(0);
  await world.db('uploads').delete();
  return frames;
}

const deliveries = (world: LineWorld): Promise<{ state: string; attempts: number; claimed_by: string | null }[]> =>
  world.db('deliveries').orderBy('created_at').select('state', 'attempts', 'claimed_by');

/** Has these lines look at the same moment, and waits for what they do. */
async function look(cluster: ClusterInHand, cores: readonly Core[] = cluster.cores): Promise<void> {
  for (const { line } of cores) line.nudge({ assignments: true });
  await settle(cluster, cores);
}

/** Lets time pass until nothing is under way at these nodes. */
async function settle(cluster: ClusterInHand, cores: readonly Core[]): Promise<void> {
  let isDone = false;
  const done = Promise.all(cores.map((core) => core.settles())).then(() => {
    isDone = true;
  });
  while (!isDone) await cluster.elapses(1_000);
  await done;
}

/** Lets time pass until something holds, by far not until a lease ends. */
async function passUntil(cluster: ClusterInHand, holds: () => Promise<boolean>): Promise<void> {
  for (let passed = 0; !(await holds()); passed += 1_000) {
    assert.ok(passed < 10_000, `within 10 s: ${holds}`);
    await cluster.elapses(1_000);
  }
}

/** A render of this core that hangs until it is ended, and the others' that do not. */
function hangs(core: Core) {
  const held = heldOpen<RenderedPicture>();
  core.render = () => held.until;
  return { end: (picture: RenderedPicture = { ok: true, file: Buffer.from('late') }) => held.end(picture) };
}

test('lines that look at the same moment offer to each frame once, and make its picture once', () =>
  withCluster(3, async (world, cluster) => {
    await framesOf(world, 40);
    const request = await world.submit('one');
    for (let round = 0; round < 4; round++) await look(cluster);
    const done = await deliveries(world);
    assert.is(done.length, 40);
    assert.ok(done.every(({ state, attempts }) => state === 'prepared' && attempts === 1));
    assert.ok(
      done.every(({ claimed_by }) => claimed_by === null),
      'nobody holds what is done',
    );
    assert.is((await world.db('uploads')).length, 40);
    assert.is(rendered(cluster.cores), 1);
    const told = await world.events(request);
    assert.is(new Set(told).size, told.length, 'every event once');
  }));

test('content pushed at one node, to a frame at a second one, is reported by a third', () =>
  withCluster(3, async (world, cluster) => {
    const [first, second, third] = cluster.cores as [Core, Core, Core];
    const [frame] = await homeAt(world, cluster, first, 1);
    const request = await world.submit('one');
    first.line.nudge();
    await settle(cluster, [first]);
    await frame?.wakes();
    // The frame was heard by the second node; the others look by the way.
    for (const { line } of [third, first]) line.nudge();
    second.line.nudge({ reported: frame?.serial ?? '' });
    await settle(cluster, cluster.cores);
    assert.equal(await world.events(request), ['available', 'Frame 1: prepared', 'Frame 1: synced']);
    await third.outbox.drain();
    await third.outbox.idle();
    assert.is(third.sent.length, 3);
    assert.is((await world.db('callback_events').whereNull('delivered_at')).length, 0);
  }));

test('a node that waits for a picture of another one takes it, and its failure too', () =>
  withCluster(2, async (world, cluster) => {
    const [first, second] = cluster.cores;
    // One node takes up no more than sixteen of an organization; the other takes the rest.
    await framesOf(world, 20);
    const held = heldOpen<RenderedPicture>();
    first.render = () => held.until;
    await world.submit('one');
    first.line.nudge();
    await untilHolds(() => first.rendered.length === 1);
    await untilHolds(
      async () => (await deliveries(world)).filter(({ claimed_by }) => claimed_by === 'n0').length === 16,
    );
    second.line.nudge();
    await untilHolds(
      async () => (await deliveries(world)).filter(({ claimed_by }) => claimed_by === 'n1').length === 4,
    );
    await cluster.elapses(2_000);
    assert.equal(second.rendered, [], 'it waits');
    held.end({ ok: false, reason: 'the page said: no data' });
    await untilHolds(async () => (await world.db('made_pictures').where({ failed: 1 })).length === 1);
    await cluster.elapses(1_000);
    assert.ok((await deliveries(world)).every(({ state, attempts }) => state === 'pending' && attempts === 1));
    assert.is(rendered(cluster.cores), 1, 'the failure was everybody’s');
    first.render = second.render;
    await cluster.elapses(3_000);
    await look(cluster);
    assert.is(rendered(cluster.cores), 2, 'the next try is one for both again');
    assert.ok((await deliveries(world)).every(({ state }) => state === 'prepared'));
  }));

test('what a dead node has begun is taken over with the next look, and its late results are refused', () =>
  withCluster(2, async (world, cluster) => {
    const [first, second] = cluster.cores;
    await homeAt(world, cluster, second, 2);
    const request = await world.submit('one');
    const late = hangs(first);
    first.line.nudge();
    await untilHolds(async () => (await deliveries(world)).every(({ claimed_by }) => claimed_by === 'n0'));
    await cluster.elapses(9_000);
    assert.equal(second.rendered, [], 'as long as it lives the work is its own');
    await first.dies();
    await cluster.elapses(4_000);
    assert.equal(
      await deliveries(world),
      Array.from({ length: 2 }, () => ({ state: 'prepared', attempts: 2, claimed_by: null })),
      'the attempt that was lost counts',
    );
    const uploads = await world.db('uploads').orderBy('id');
    late.end();
    await cluster.elapses(1_000);
    await settle(cluster, [first]);
    assert.equal(await world.db('uploads').orderBy('id'), uploads, 'nothing is offered twice');
    assert.is((await world.events(request)).filter((event) => event.endsWith('prepared')).length, 2);
    assert.is(second.rendered.length, 1);
    const { outcome } = await world.db('made_pictures').orderBy('changed_at', 'desc').first('outcome');
    assert.is(JSON.parse(outcome).made.sha256, uploads[0].picture_sha256, 'nor does its picture count');
  }));

test('a late failure of such a node is refused as well, and between two holders nobody holds the work', () =>
  withCluster(2, async (world, cluster) => {
    const [first, second] = cluster.cores;
    await homeAt(world, cluster, second, 1);
    await world.submit('one');
    const late = hangs(first);
    first.line.nudge();
    await untilHolds(async () => (await deliveries(world))[0]?.claimed_by === 'n0');
    const slow = heldOpen<RenderedPicture>();
    second.render = () => slow.until;
    await first.dies();
    await cluster.elapses(4_000);
    assert.equal(await deliveries(world), [{ state: 'pending', attempts: 2, claimed_by: 'n1' }]);
    late.end({ ok: false, reason: 'the browser ended' });
    await cluster.elapses(1_000);
    assert.equal(await deliveries(world), [{ state: 'pending', attempts: 2, claimed_by: 'n1' }]);
    assert.is((await world.db('deliveries').first('reason')).reason, null);
    slow.end({ ok: true, file: Buffer.from('made') });
    await untilHolds(async () => (await deliveries(world))[0]?.state === 'prepared');
  }));

test('a result that comes after its claim was given back, and before anybody took it, is refused', () =>
  withCluster(2, async (world, cluster) => {
    const [first, second] = cluster.cores;
    await framesOf(world, 1);
    await world.submit('one');
    const late = hangs(first);
    first.line.nudge();
    await untilHolds(async () => (await deliveries(world))[0]?.claimed_by === 'n0');
    // The other one has given it back, and was stopped before it began.
    await world.db('deliveries').update({ claimed_by: null });
    late.end();
    await untilHolds(async () => (await world.db('made_pictures').whereNotNull('outcome')).length === 1);
    await settle(cluster, [first]);
    assert.equal(await deliveries(world), [{ state: 'pending', attempts: 1, claimed_by: null }]);
    assert.is((await world.db('uploads')).length, 0);
    second.line.nudge();
  }));

test('a claim of a node without a row is given back at once, no matter who asks', () =>
  withCluster(2, async (world, cluster) => {
    await framesOf(world, 1);
    await world.submit('one');
    hangs(cluster.cores[1]);
    cluster.cores[1].line.nudge();
    await untilHolds(async () => (await deliveries(world))[0]?.claimed_by === 'n1');
    // It was started again under its name, which gave it another id.
    await world.db('nodes').where({ id: 'n1' }).delete();
    await passUntil(cluster, async () => (await deliveries(world))[0]?.state === 'prepared');
    assert.is(cluster.cores[0].rendered.length, 1);
  }));

test('a node that takes over the single tasks looks at once for what the one before it had begun', () =>
  withCluster(2, async (world, cluster) => {
    const [first, second] = cluster.cores;
    await framesOf(world, 1);
    await world.submit('one');
    hangs(first);
    first.line.nudge();
    await untilHolds(async () => (await deliveries(world))[0]?.claimed_by === 'n0');
    await first.dies();
    cluster.singleAt(second);
    // Nothing waits for the clock here.
    await untilHolds(async () => (await deliveries(world))[0]?.state === 'prepared');
  }));

test('a node that is sure gives back what a dead one began, also while nobody who is sure has the single tasks', () =>
  withCluster(2, async (world, cluster) => {
    const [first] = cluster.cores;
    await framesOf(world, 1);
    await world.submit('one');
    hangs(first);
    first.line.nudge();
    await untilHolds(async () => (await deliveries(world))[0]?.claimed_by === 'n0');
    await first.dies();
    await passUntil(cluster, async () => (await deliveries(world))[0]?.state === 'prepared');
    assert.equal(await deliveries(world), [{ state: 'prepared', attempts: 2, claimed_by: null }]);
  }));

test('what a node heard and did not weigh before it died is weighed', () =>
  withCluster(2, async (world, cluster) => {
    const [first, second] = cluster.cores;
    const [frame] = await homeAt(world, cluster, second, 1);
    const request = await world.submit('one');
    await look(cluster, [first]);
    await cluster.elapses(4_000);
    // The line that would have received the report is the dead node's.
    await frame?.wakes();
    await world.db('deliveries').update({ due_at: world.clock.now() + minuteMs });
    await first.dies();
    await passUntil(cluster, async () => (await deliveries(world))[0]?.state === 'synced');
    assert.is((await world.events(request)).filter((event) => event.endsWith('synced')).length, 1);
  }));

test('INV-48: one node sweeps for all of them, and another one goes on with it', () =>
  withCluster(3, async (_world, cluster) => {
    const [first, second, third] = cluster.cores as [Core, Core, Core];
    const counts = () => [first, second, third].map(({ passes }) => passes);
    const before = counts();
    await cluster.elapses(30_000);
    assert.equal(counts(), [(before[0] ?? 0) + 3, before[1], before[2]]);
    cluster.singleAt(third);
    await cluster.elapses(500);
    assert.is(third.passes, (before[2] ?? 0) + 1, 'a node that takes over looks at once');
    await cluster.elapses(20_000);
    assert.equal(counts().slice(0, 2), [(before[0] ?? 0) + 3, before[1]]);
  }));

/** Frames with a website each, which was drawn once, and are about to wake. */
async function beforeTheirWake(world: LineWorld, cluster: ClusterInHand, count: number) {
  for (let at = 0; at < count; at++) {
    const paper = await world.addPaper({ orientation: 'landscape', url: `https://site.example/${at}` }, 'website');
    await framesOf(world, 1, paper);
  }
  await look(cluster, [cluster.cores[0]]);
  for (const core of cluster.cores) core.rendered.splice(0);
  await world.db('frames').update({ asleep_until: world.clock.now() + 4 * minuteMs });
}

test('pictures that change by themselves are made by all nodes, each by one', () =>
  withCluster(2, async (world, cluster) => {
    await beforeTheirWake(world, cluster, 12);
    await cluster.elapses(12_000);
    const [first, second] = cluster.cores.map((core) => core.rendered);
    const all = [...(first ?? []), ...(second ?? [])];
    assert.is(all.length, 12);
    assert.is(new Set(all).size, 12, 'none of them twice');
    assert.ok((first ?? []).length > 0 && (second ?? []).length > 0, 'both had their part');
  }));

test('a picture that another node was to make, and did not, is made here', () =>
  withCluster(2, async (world, cluster) => {
    await beforeTheirWake(world, cluster, 12);
    // The other one lives, and hears nothing.
    await cluster.cores[1].line.stop();
    await cluster.elapses(20_000);
    assert.is(cluster.cores[0].rendered.length, 12);
  }));

for (const [what, wasShown] of [
  ['a first picture', false],
  ['a changed one', true],
] as const) {
  test(`${what}: a failure that a paused node ends late does not undo what another one has shown`, () =>
    withCluster(2, async (world, cluster) => {
      const [first, second] = cluster.cores;
      cluster.singleAt(second);
      await cluster.elapses(500);
      const paper = await world.addPaper({ orientation: 'landscape', text: 'Hello' }, 'text');
      await framesOf(world, 1, paper);
      if (wasShown) {
        await look(cluster, [second]);
        await world.db('papers').where({ id: paper }).increment('edition', 1);
      }
      const late = hangs(first);
      first.line.nudge();
      await untilHolds(() => first.rendered.length === 1);
      await first.dies();
      await cluster.elapses(4_000);
      const shown = await world.db('shown_pictures').first();
      assert.equal([shown.attempts, shown.edition], [0, wasShown ? 1 : 0]);
      late.end({ ok: false, reason: 'the browser ended' });
      await cluster.elapses(1_000);
      await settle(cluster, [first]);
      assert.equal(await world.db('shown_pictures').first(), shown);
      await look(cluster, [second]);
      assert.is((await world.db('uploads')).length, 1, 'and it is not offered again');
    }));
}

test.run();
