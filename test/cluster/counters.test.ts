/** The messages between nodes besides where frames are: counts of a minute, on a channel of several subjects. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { channelTopics } from '../../cluster/nodes/channel-topics.ts';
import { countersAmongNodes } from '../../cluster/nodes/counters.ts';
import type { NodeChannel } from '../../cluster/nodes/node-channel.ts';
import { nodeClock } from '../../cluster/nodes/node-clock.ts';
import { maxNodeTextBytes } from '../../cluster/subject-channel.ts';
import { countForAll } from '../../gateway/identity/count-per-minute.ts';
import { type Fate, nodeHub } from './node-hub.ts';
import { steppedClock } from './nodes-world.ts';

const test = suite('counters');

/** Two nodes that count one subject; `heard` is what the second received. */
function twoNodes({ fate, publishFrom = 1 }: { readonly fate?: Fate; readonly publishFrom?: number } = {}) {
  const hub = nodeHub({ byHand: true, ...(fate && { fate }) });
  const clock = steppedClock();
  const heard: string[] = [];
  const open = (name: string, hear: (key: string, times: number) => void) =>
    countersAmongNodes(hub.channel(name), clock)('calls')(publishFrom, hear);
  const counted = open('a', () => assert.unreachable('a node does not hear itself'));
  open('b', (key, times) => heard.push(`${key} ${times}`));
  return {
    clock,
    heard,
    counted,
    second(): void {
      clock.passes(1_000);
      hub.deliverAll();
    },
  };
}

test('counts are published once a second, key by key, and each count once', () => {
  const { counted, second, heard } = twoNodes();
  for (const key of ['x', 'y', 'x']) counted(key);
  assert.equal(heard, []);
  second();
  assert.equal(heard, ['x 2', 'y 1']);
  second();
  assert.is(heard.length, 2, 'nothing is told while nothing is counted');
  counted('x');
  second();
  assert.equal(heard.slice(2), ['x 1']);
});

test('nothing waits for the clock while nothing is counted', () => {
  const { clock, counted, second } = twoNodes();
  assert.equal(clock.waiting(), []);
  counted('x');
  second();
  assert.equal(clock.waiting(), []);
});

test('a key is published from the count on that is worth it, and then all of it; its next minute starts over', () => {
  const { clock, counted, second, heard } = twoNodes({ publishFrom: 3 });
  counted('x');
  counted('x');
  second();
  assert.equal(heard, []);
  counted('x');
  second();
  assert.equal(heard, ['x 3']);
  clock.passes(60_000);
  counted('x');
  second();
  assert.equal(heard, ['x 3']);
});

test('a word that comes twice counts once, and one that is lost counts nowhere', () => {
  const twice = twoNodes({ fate: () => ({ times: 2, behind: 0 }) });
  twice.counted('x');
  twice.second();
  assert.equal(twice.heard, ['x 1']);
  const lost = twoNodes({ fate: () => ({ times: 0, behind: 0 }) });
  lost.counted('x');
  lost.second();
  assert.equal(lost.heard, []);
});

test('however many keys there are, no text is longer than a channel takes', () => {
  const texts: string[] = [];
  const channel: NodeChannel = {
    node: 'a',
    post: (_to, text) => texts.push(text),
    open: () => {},
    close: () => {},
    receivedAt: () => undefined,
  };
  const clock = steppedClock();
  const counted = countersAmongNodes(channel, clock)('calls')(1, () => {});
  for (let at = 0; at < 2_000; at++) counted(`address 2001:db8:${at}::/64 "ü"`);
  counted('k'.repeat(10_000));
  clock.passes(1_000);
  assert.ok(texts.length > 5 && texts.every((text) => Buffer.byteLength(text) < maxNodeTextBytes));
  const told = texts.flatMap((text) => (JSON.parse(text) as { told: unknown[] }).told);
  assert.is(told.length, 2_000, 'a key that fits into no text is not told');
});

test('a count for all nodes is its own and what others published, of a key that is worth publishing', () => {
  const hub = nodeHub({ byHand: true });
  const clock = steppedClock();
  const nodes = ['a', 'b'].map((name) =>
    countForAll(clock, 3, countersAmongNodes(hub.channel(name), clock)('connects')),
  );
  const [first, second] = nodes as [(key: string) => number, (key: string) => number];
  for (let times = 1; times <= 2; times++) assert.is(first('frame'), times);
  clock.passes(1_000);
  hub.deliverAll();
  assert.is(second('frame'), 1, 'two are not worth it');
  first('frame');
  clock.passes(1_000);
  hub.deliverAll();
  assert.equal([second('frame'), second('other')], [5, 1]);
});

test('topics share a channel: each hears its own, and the last one that closes closes it', () => {
  const hub = nodeHub({ byHand: true });
  const [first, second] = [channelTopics(hub.channel('a')), channelTopics(hub.channel('b'))];
  const heard: string[] = [];
  const hearing = (topic: string) => ({
    receive: (from: string, text: string) => heard.push(`${topic}: ${text} of ${from}`) > 0,
    reconnected: () => void heard.push(`${topic} may have missed something`),
  });
  for (const topic of ['x', 'y']) second(topic).open(hearing(topic));
  first('x').open(hearing('never'));
  first('x').post(undefined, 'one');
  first('y').post('b', 'two');
  first('z').post('b', 'three');
  hub.deliverAll();
  assert.equal(heard.splice(0), ['x: one of a', 'y: two of a']);
  hub.reconnect('b');
  assert.equal(heard.splice(0), ['x may have missed something', 'y may have missed something']);
  second('x').close();
  first('x').post('b', 'four');
  first('y').post('b', 'five');
  hub.deliverAll();
  assert.equal(heard.splice(0), ['y: five of a']);
  second('y').close();
  first('y').post('b', 'six');
  hub.deliverAll();
  assert.equal(heard, []);
});

test('the clock of a node follows the database, and small steps back stand still', () => {
  let there = 1_000_000;
  const { now } = nodeClock(steppedClock(), () => there);
  assert.is(now(), 1_000_000);
  there -= 40;
  assert.is(now(), 1_000_000);
  there -= 10_000;
  assert.is(now(), there, 'the database was set back');
});

test.run();
