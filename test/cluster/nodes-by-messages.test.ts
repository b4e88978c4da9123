/** Nodes that publish where frames are, over a channel that loses, duplicates and delays. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodesByMessages } from '../../cluster/nodes/by-messages.ts';
import { maxNodeMessageBytes, type NodeMessage, type SessionRegistry } from '../../cluster/session-registry.ts';
import { type Fate, nodeHub } from './node-hub.ts';

const test = suite('nodes by messages');

interface Node {
  readonly name: string;
  readonly registry: SessionRegistry;
  readonly heard: NodeMessage[];
  readonly link: ReturnType<typeof nodesByMessages>;
}

/** A hub with so many nodes, whose clock the test sets. */
function cluster(count: number, options: { readonly fate?: Fate } = {}) {
  const hub = nodeHub({ ...options, byHand: true });
  const clock = { now: 1_000_000 };
  const open = (name: string): Node => {
    const heard: NodeMessage[] = [];
    const link = nodesByMessages(hub.channel(name), () => clock.now);
    return { name, link, heard, registry: link.join((message) => heard.push(message)) };
  };
  const nodes = Array.from({ length: count }, (_, at) => open(`n${at}`));
  hub.deliverAll();
  return { hub, clock, open, nodes: nodes as [Node, Node, ...Node[]] };
}

const at = (node: Node, serial: string): string => {
  const found = node.registry.whereIs(serial);
  return found === undefined ? 'nowhere' : `${found.here ? 'here' : 'elsewhere'} ${found.session}`;
};

test('a node that joins later learns where everybody is, however many they are', () => {
  const { hub, nodes, open } = cluster(1);
  const serials = Array.from({ length: 2_000 }, (_, n) => `epd7-${String(n).padStart(12, '0')}`);
  for (const [n, serial] of serials.entries()) nodes[0].registry.arrived(serial, { session: n, address: '192.0.2.1' });
  const later = open('later');
  hub.deliverAll();
  assert.equal([...later.registry.everyone()].sort(), serials);
  assert.equal(later.registry.whereIs(serials[7] ?? ''), { session: 7, address: '192.0.2.1', here: false });
});

test('of two nodes that a frame came to at once the later login stays, for both and for everybody else', () => {
  const { hub, clock, nodes } = cluster(3);
  const [first, second, third] = nodes;
  first.registry.arrived('a', { session: 4, address: undefined });
  clock.now++;
  second.registry.arrived('a', { session: 9, address: undefined });
  hub.deliverAll();
  assert.equal(
    nodes.map((node) => at(node, 'a')),
    ['elsewhere 9', 'here 9', 'elsewhere 9'],
  );
  assert.equal(first.heard, [{ do: 'end', serial: 'a', session: 4 }]);
  assert.equal(second.heard, []);
  // The end of the session before it comes late, and changes nothing.
  first.registry.left('a', 4);
  hub.deliverAll();
  assert.is(at(third as Node, 'a'), 'elsewhere 9');
});

test('at one and the same millisecond all nodes choose the same one', () => {
  const { hub, nodes } = cluster(3);
  const [first, second] = nodes;
  first.registry.arrived('a', { session: 1, address: undefined });
  second.registry.arrived('a', { session: 1, address: undefined });
  hub.deliverAll();
  assert.equal(
    nodes.map((node) => at(node, 'a')),
    ['elsewhere 1', 'here 1', 'elsewhere 1'],
  );
  assert.equal([first.heard.length, second.heard.length], [1, 0]);
});

test('a node that died without a word is forgotten when its row says so, and its frames are nowhere', () => {
  const { hub, nodes } = cluster(3);
  const [first, second] = nodes;
  second.registry.arrived('a', { session: 1, address: undefined });
  hub.deliverAll();
  hub.kill('n1');
  assert.is(at(first, 'a'), 'elsewhere 1');
  first.link.keep(new Set(['n0', 'n2']));
  assert.is(at(first, 'a'), 'nowhere');
  assert.is(first.registry.send({ do: 'announce', serial: 'a' }), false);
});

test('a node that stops says so; one whose connection broke asks again and publishes its own again', () => {
  const { hub, nodes } = cluster(3);
  const [first, second, third] = nodes as [Node, Node, Node];
  second.registry.arrived('a', { session: 1, address: undefined });
  third.registry.arrived('b', { session: 1, address: undefined });
  hub.deliverAll();
  third.registry.leave();
  hub.deliverAll();
  assert.equal([at(first, 'a'), at(first, 'b')], ['elsewhere 1', 'nowhere']);
  first.registry.arrived('c', { session: 5, address: undefined });
  hub.reconnect('n0');
  assert.equal([at(first, 'a'), at(first, 'c')], ['nowhere', 'here 5']);
  hub.deliverAll();
  assert.equal([at(first, 'a'), at(second, 'c')], ['elsewhere 1', 'elsewhere 5']);
});

/**
 * Two nodes, the second of which receives the messages of the first when the test delivers them, and in the test's
 * order.
 */
function slowLine() {
  const said: string[] = [];
  let hear: (text: string) => void = () => {};
  const nothing = { open: () => {}, close: () => {}, receivedAt: () => undefined };
  const teller = nodesByMessages({ ...nothing, node: 'n0', post: (_to, text) => said.push(text) }, () => 1_000_000);
  const hearer = nodesByMessages(
    {
      ...nothing,
      node: 'n1',
      post: () => {},
      open({ receive }) {
        hear = (text) => receive('n0', text);
      },
    },
    () => 1_000_000,
  );
  const registry = teller.join(() => {});
  const other = hearer.join(() => {});
  const take = (): string[] => said.splice(0);
  take();
  return { registry, teller, hearer, other, take, hear: (words: readonly string[]): void => words.forEach(hear) };
}

test('a late list undoes no arrival and no end that was published after it', () => {
  const { registry, teller, other, take, hear } = slowLine();
  registry.arrived('stays', { session: 1, address: undefined });
  registry.arrived('leaves', { session: 2, address: undefined });
  const arrivals = take();
  teller.publishAgain();
  const list = take();
  registry.arrived('comes', { session: 3, address: undefined });
  registry.left('leaves', 2);
  const later = take();
  hear([...arrivals, ...later, ...list, ...arrivals]);
  assert.equal([...other.everyone()].sort(), ['comes', 'stays']);
  teller.publishAgain();
  hear([...take(), ...arrivals, ...list, ...later]);
  assert.equal([...other.everyone()].sort(), ['comes', 'stays']);
});

test('a late message from before a node stopped changes nothing; neither does a second end', () => {
  const { registry, hearer, other, take, hear } = slowLine();
  registry.arrived('a', { session: 1, address: undefined });
  registry.left('a', 1);
  registry.arrived('a', { session: 2, address: undefined });
  const [first = '', end = '', second = ''] = take();
  hear([second, end, first, end]);
  assert.equal(other.whereIs('a'), { session: 2, address: undefined, here: false });
  registry.leave();
  hear([...take(), second, first]);
  assert.is(other.whereIs('a'), undefined);
  hearer.keep(new Set());
  assert.equal(other.everyone(), []);
});

test('the parts of a list may come in any order', () => {
  const { registry, teller, other, take, hear } = slowLine();
  const serials = Array.from({ length: 600 }, (_, n) => `epd7-${String(n).padStart(12, '0')}`);
  for (const [n, serial] of serials.entries()) registry.arrived(serial, { session: n, address: '192.0.2.1' });
  hear(take());
  teller.publishAgain();
  const parts = take();
  assert.ok(parts.length > 2);
  hear(parts.toReversed());
  assert.equal([...other.everyone()].sort(), serials);
});

test('a message of more than a notification holds is refused where it is made', () => {
  const { nodes } = cluster(1);
  const command = 'c'.repeat(maxNodeMessageBytes);
  assert.throws(() => nodes[0].registry.broadcast({ do: 'look', command }), /more than 5800 bytes/);
});

/** Numbers from a seed, each below 1. */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

for (let seed = 1; seed <= 40; seed++) {
  test(`seed ${seed}: after losses, doubles and delays all agree once everybody has published its sessions again`, () => {
    const chance = chanceOf(seed);
    let isCalm = false;
    const fate: Fate = () =>
      isCalm
        ? { times: 1, behind: 0 }
        : {
            times: chance() < 0.25 ? 0 : chance() < 0.2 ? 2 : 1,
            behind: chance() < 0.3 ? Math.floor(chance() * 9) : 0,
          };
    const { hub, clock, nodes } = cluster(3, { fate });
    const live = new Map<string, { readonly node: Node; readonly session: number }[]>();
    const end = (node: Node, serial: string, session: number): void => {
      const sessions = live.get(serial) ?? [];
      live.set(
        serial,
        sessions.filter((one) => one.node !== node || one.session !== session),
      );
      node.registry.left(serial, session);
    };
    const obey = (): void => {
      hub.deliverAll();
      for (const node of nodes) {
        for (const message of node.heard.splice(0))
          if (message.do === 'end') end(node, message.serial, message.session);
      }
    };
    for (let step = 0; step < 300; step++) {
      clock.now += Math.floor(chance() * 3);
      const serial = `frame-${Math.floor(chance() * 5)}`;
      const node = nodes[Math.floor(chance() * 3)] as Node;
      const here = (live.get(serial) ?? []).find((one) => one.node === node);
      if (here !== undefined) end(node, serial, here.session);
      if (here === undefined || chance() < 0.5) {
        live.set(serial, [...(live.get(serial) ?? []), { node, session: step }]);
        node.registry.arrived(serial, { session: step, address: undefined });
      }
      if (chance() < 0.4) obey();
    }
    isCalm = true;
    for (let round = 0; round < 2; round++) {
      obey();
      for (const node of nodes) node.link.publishAgain();
      obey();
    }
    for (const [serial, sessions] of live) {
      assert.ok(sessions.length <= 1, `${serial} has ${sessions.length} sessions`);
      const [one] = sessions;
      const expected = nodes.map((node) =>
        one === undefined ? 'nowhere' : `${one.node === node ? 'here' : 'elsewhere'} ${one.session}`,
      );
      assert.equal(
        nodes.map((node) => at(node, serial)),
        expected,
        serial,
      );
    }
  });
}

test.run();
