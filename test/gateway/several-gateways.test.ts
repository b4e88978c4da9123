/** Several gateways over one database: who is where, words to a frame at another node, one session an identity. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodesInOneProcess } from '../../cluster/in-one-process.ts';
import { nodesByMessages } from '../../cluster/nodes/by-messages.ts';
import { maxNodeMessageBytes, type NodeMessage, type Nodes } from '../../cluster/session-registry.ts';
import type { ProvisionedFrame } from '../../gateway/provisioning/provision-frame.ts';
import { transact } from '../../runtime/database/database.ts';
import { nodeHub } from '../cluster/node-hub.ts';
import { openLine } from './mqtt-line.ts';
import { type NativeLine, nativeLine } from './native-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('several gateways');
const serial = 'epd7-b0c1d2e3f405';

interface TwoNodes {
  readonly first: GatewayWorld;
  readonly second: GatewayWorld;
  readonly credential: ProvisionedFrame;
}

/** The ways in which nodes are connected: within one process, and by messages. */
const ways: Readonly<Record<string, () => Nodes>> = {
  'in one process': nodesInOneProcess,
  'by messages'() {
    const hub = nodeHub();
    return { join: (receive) => nodesByMessages(hub.channel(), Date.now).join(receive) };
  },
};

/** Registers a test for each of the ways. */
function testEachWay(what: string, run: (connect: () => Nodes) => Promise<void>): void {
  for (const [way, connect] of Object.entries(ways)) test(`${what}, ${way}`, () => run(connect));
}

/** Two gateways, and a registered frame that is connected to neither. */
function withNodes(run: (nodes: TwoNodes) => Promise<void>, nodes: Nodes): Promise<void> {
  const inWorld = async (first: GatewayWorld) => {
    const second = await first.anotherNode();
    const credential = await first.provision(serial);
    await first.activate(serial);
    await run({ first, second, credential });
  };
  return withGateway(inWorld, { nodes });
}

async function awake(at: GatewayWorld, credential: ProvisionedFrame): Promise<NativeLine> {
  const frame = await nativeLine(at, serial, credential);
  await frame.hello();
  await frame.line.message();
  return frame;
}

const connected = async (...worlds: GatewayWorld[]) =>
  Promise.all(worlds.map(async ({ gateway }) => (await gateway.facts(serial))?.connected));

/** Every event of the frame's connections, in order. */
const comings = async (world: GatewayWorld) =>
  (await world.events(serial))
    .filter(({ type }) => type === 'connect' || type === 'disconnect')
    .map(({ type, payload }) => (payload.takeover === undefined ? type : `${type}, ${payload.takeover}`));

const commands = (world: GatewayWorld): Promise<{ name: string; state: string }[]> =>
  world.db('frame_commands').orderBy('created_at').select('name', 'state');

testEachWay('a frame is connected for every node, whichever it came to', async (connect) => {
  await withNodes(async ({ first, second, credential }) => {
    assert.equal(await connected(first, second), [false, false]);
    const frame = await awake(second, credential);
    assert.equal(await connected(first, second), [true, true]);
    assert.is((await first.gateway.facts(serial))?.status, 'online');
    frame.line.vanish();
    await until(async () => (await connected(first, second)).every((is) => is === false), 'both see it go');
  }, connect());
});

testEachWay('a picture offered at one node is announced by the node that holds the frame', async (connect) => {
  await withNodes(async ({ first, second, credential }) => {
    const frame = await awake(second, credential);
    const upload = await first.offer(serial.toUpperCase(), 'one');
    const picture = await frame.desired();
    assert.is(picture?.upload, upload);
    assert.ok((await first.evidence(upload)).announcedAt);
    if (picture !== undefined) await frame.fetch(picture);
    await frame.hello({ fileVersion: picture?.fileVersion, sha256: picture?.sha256, pictureSynced: true });
    assert.equal(await first.lacks(upload), []);
  }, connect());
});

testEachWay('a sleep set at one node is sent by the node that holds the frame', async (connect) => {
  await withNodes(async ({ first, second, credential }) => {
    const frame = await awake(second, credential);
    await transact(first.db, (trx) => first.gateway.configure(trx, serial, { sleepTime: '900' }));
    await first.gateway.announceSettings(serial.toUpperCase());
    assert.equal((await frame.line.message()).settings, { sleepSeconds: 900 });
  }, connect());
});

testEachWay('a command reaches a frame at the other node, and its answer comes back to the caller', async (connect) => {
  await withNodes(async ({ first, second, credential }) => {
    const frame = await awake(second, credential);
    for (const ok of [true, false]) {
      const asking = first.gateway.command(serial, { name: 'identify' });
      const said = await frame.line.message();
      assert.is(said.name, 'identify');
      await frame.say('reply', { command: said.id, ok, data: { problem: 'no lamp' } });
      const outcome = await asking;
      assert.equal([outcome?.state, outcome?.data], [ok ? 'answered' : 'refused', { problem: 'no lamp' }]);
    }
    const pinging = first.gateway.ping(serial, { waitForData: true });
    const ping = await frame.line.message();
    await frame.say('reply', { command: ping.id, ok: true, data: { rssi: -50 } });
    const pinged = await pinging;
    assert.equal([pinged?.state, pinged?.data], ['awake', { rssi: -50 }]);
    const states = (await commands(first)).map(({ name, state }) => `${name} ${state}`);
    assert.equal(states, ['identify answered', 'identify refused', 'ping answered']);
  }, connect());
});

testEachWay(
  'a frame that is connected to the other node and not awake is asked at its next wake, and only once',
  async (connect) => {
    await withNodes(async ({ first, second, credential }) => {
      const frame = await awake(second, credential);
      await frame.say('bye', { sleepSeconds: 3600 });
      const outcome = await first.gateway.command(serial, { name: 'identify' });
      assert.is(outcome?.state, 'queued');
      const pinged = await first.gateway.ping(serial, { waitForData: false });
      assert.equal([pinged?.state, pinged?.reachable], ['sleeping', false]);
      assert.equal(await commands(first), [
        { name: 'identify', state: 'queued' },
        { name: 'ping', state: 'expired' },
      ]);
      await frame.hello({ boot: 8 });
      await frame.line.message();
      assert.is((await frame.line.message()).id, outcome?.commandId);
      await frame.line.ping();
      const given = frame.line.received.filter((said) => said.cmd === 'publish' && said.topic.endsWith('/command'));
      assert.is(given.length, 1);
    }, connect());
  },
);

testEachWay(
  'the same identity at another node ends the session before it, recorded as a takeover (B-22, W-26)',
  async (connect) => {
    await withNodes(async ({ first, second, credential }) => {
      const there = await awake(first, credential);
      const here = await awake(second, credential);
      await there.line.ended();
      assert.equal(await connected(first, second), [true, true]);
      await here.line.ping();
      const back = await awake(first, credential);
      await here.line.ended();
      await back.line.ping();
      assert.equal(await connected(first, second), [true, true]);
      back.line.vanish();
      await until(async () => (await comings(first)).length === 4, 'its end is recorded');
      const takeover = 'connect, another node';
      assert.equal(await comings(first), ['connect', takeover, takeover, 'disconnect']);
      assert.equal(await connected(first, second), [false, false]);
    }, connect());
  },
);

test('an end that comes late does not end the session after it (W-26)', async () => {
  const inner = nodesInOneProcess();
  const late: (() => void)[] = [];
  const slow: Nodes = { join: (hear) => inner.join((nodeMessage) => late.push(() => hear(nodeMessage))) };
  await withNodes(async ({ first, second, credential }) => {
    const before = await awake(first, credential);
    const between = await awake(second, credential);
    const after = await awake(first, credential);
    await before.line.ended();
    assert.is(late.length, 2);
    for (const hear of late.splice(0)) hear();
    await between.line.ended();
    await after.line.ping();
    assert.equal(await connected(first, second), [true, true]);
  }, slow);
});

testEachWay('two addresses that push each other out between nodes are two frames (T-47)', async (connect) => {
  await withNodes(async ({ first, second }) => {
    const { password = '' } = await first.provision(serial, { withPassword: true });
    // Each node counts its own minute: it takes as many moves at one of them.
    const taking = [first, second, first, second, first, second, first];
    for (const [at, world] of taking.entries()) {
      const line = await openLine({ port: world.ports.plain, from: `127.0.0.${at + 2}` });
      assert.is(await line.login({ clientId: serial, username: serial, password }), 0);
    }
    await until(async () => (await first.events(serial, 'alert')).length === 1, 'the conflict is recorded');
    assert.is((await second.gateway.facts(serial))?.status, 'error');
  }, connect());
});

testEachWay('a node that stops leaves no frame behind', async (connect) => {
  await withNodes(async ({ first, second, credential }) => {
    const frame = await awake(second, credential);
    await second.gateway.stop();
    await frame.line.ended();
    assert.equal(await connected(first), [false]);
    assert.is((await first.gateway.command(serial, { name: 'identify' }))?.state, 'queued');
  }, connect());
});

test('the late end of a session that moved on ends nothing', async () => {
  const nodes = nodesInOneProcess();
  const heard: NodeMessage[] = [];
  const [a, b] = [nodes.join((nodeMessage) => heard.push(nodeMessage)), nodes.join(() => assert.unreachable())];
  assert.is(a.arrived(serial, { session: 1, address: '10.0.0.1' }), undefined);
  assert.equal(b.arrived(serial, { session: 1, address: '10.0.0.2' }), {
    session: 1,
    address: '10.0.0.1',
    here: false,
  });
  a.left(serial, 1);
  assert.equal(a.whereIs(serial), { session: 1, address: '10.0.0.2', here: false });
  assert.equal(b.arrived(serial, { session: 2, address: undefined })?.here, true);
  b.left(serial, 1);
  assert.is(b.whereIs(serial)?.here, true);
  assert.is(b.send({ do: 'announce', serial }), false, 'it is here');
  assert.equal(heard, [], 'nothing is heard in the same turn');
  await new Promise<void>((resolve) => queueMicrotask(resolve));
  assert.equal(heard, [{ do: 'end', serial, session: 1 }]);
  b.left(serial, 2);
  assert.is(a.whereIs(serial), undefined);
  assert.is(a.send({ do: 'announce', serial }), false, 'it is nowhere');
  b.arrived(serial, { session: 3, address: undefined });
  b.leave();
  assert.is(a.whereIs(serial), undefined, 'its node is gone');
});

test('a message to a node carries ids and never contents', () => {
  const nodes = nodesInOneProcess();
  const [a, b] = [nodes.join(() => {}), nodes.join(() => {})];
  b.broadcast({ do: 'look', command: 'c'.repeat(maxNodeMessageBytes - 100) });
  assert.throws(() => a.broadcast({ do: 'look', command: 'c'.repeat(maxNodeMessageBytes) }), /more than 5800 bytes/);
});

test.run();
