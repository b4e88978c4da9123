/** Frames newer than their gateway: refused by the SUBACK, never cut off, never answered by mistake. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unknownVersion } from '../../firmware-protocol/topics.ts';
import { nativeLine } from './native-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('unknown versions');
const serial = 'epd7-b0c1d2e3f405';
const hello = {
  boot: 7,
  firmware: '2.0.0',
  panel: 'epd7',
  fileVersion: 0,
  pictureSynced: false,
  wake: 'timer',
  orientation: 2,
  sleepSeconds: 3600,
};

/** A registered frame, logged in and subscribed to version 1. */
async function connected(world: GatewayWorld) {
  const credential = await world.provision(serial);
  await world.activate(serial);
  return nativeLine(world, serial, credential);
}

test('a frame that asks for version 2 gets 0x80 for it, takes version 1 on the same connection, and is served', async () => {
  await withGateway(async (world) => {
    const { line, hello: sayHello, desired } = await connected(world);
    const topics = ['desired', 'command'].map((name) => `frames/2/${serial}/${name}`);
    assert.equal(await line.subscribe(...topics), [128, 128]);
    assert.equal(await line.subscribe(`frames/2/${serial}/desired`, `frames/1/${serial}/desired`), [128, 0]);
    await sayHello();
    assert.is(await desired(), undefined);
    await line.ping();
  });
});

test('what is published under version 2 is acknowledged without effect, and the connection lives', async () => {
  await withGateway(async (world) => {
    const { line } = await connected(world);
    for (let time = 0; time < 5; time++) {
      assert.is(await line.publish(`frames/2/${serial}/hello`, JSON.stringify(hello), { qos: 1 }), true);
    }
    await line.publish(`frames/2/${serial}/hello`, JSON.stringify(hello));
    await line.publish(`frames/3/${serial}/telemetry`, 'no JSON at all', { qos: 1 });
    await line.ping();
    assert.not.ok(
      line.received.some(({ cmd }) => cmd === 'publish'),
      'nothing was answered',
    );
    assert.equal(await world.events(serial, 'hello'), []);
    await until(async () => (await world.events(serial, 'alert')).length > 0, 'the version is noted');
    const problem = 'speaks version 2 of the native dialect; this gateway speaks 1';
    assert.equal(
      (await world.events(serial, 'alert')).map(({ payload }) => payload),
      [{ problem }],
    );
  });
});

test('messages of version 1 between those of version 2 are answered, in their order', async () => {
  await withGateway(async (world) => {
    const { line } = await connected(world);
    const topic = (version: number) => `frames/${version}/${serial}/hello`;
    line.send({ cmd: 'publish', topic: topic(2), payload: '{}', qos: 1, messageId: 11, dup: false, retain: false });
    const said = JSON.stringify(hello);
    line.send({ cmd: 'publish', topic: topic(1), payload: said, qos: 1, messageId: 12, dup: false, retain: false });
    line.send({ cmd: 'publish', topic: topic(2), payload: '{}', qos: 1, messageId: 13, dup: false, retain: false });
    for (const messageId of [11, 12, 13]) assert.is((await line.take('puback')).messageId, messageId);
    assert.ok((await line.message()).settings);
  });
});

test('another frame’s topics, retained messages and QoS 2 end the connection under any version (T-41, T-44)', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    const attempts = [
      ['frames/2/epd7-000000000001/hello', {}],
      [`frames/2/${serial}/hello/more`, {}],
      [`frames/02/${serial}/hello`, {}],
      [`frames/2/${serial}/hello`, { retain: true }],
      [`frames/2/${serial}/hello`, { qos: 2 }],
    ] as const;
    for (const [topic, more] of attempts) {
      const { line } = await nativeLine(world, serial, credential);
      await line.publish(topic, '{}', { qos: 1, ...more });
      await line.ended();
      assert.not.ok(
        line.received.some(({ cmd }) => cmd === 'puback' || cmd === 'pubrec'),
        topic,
      );
    }
  });
});

test('only a frame’s own topics name a version, and version 1 is not an unknown one', () => {
  assert.is(unknownVersion(serial, `frames/2/${serial}/hello`), 2);
  assert.is(unknownVersion(serial, `frames/9999/${serial}/any-thing`), 9999);
  for (const topic of [
    `frames/1/${serial}/hello`,
    `frames/0/${serial}/hello`,
    `frames/2/${serial.toUpperCase()}/hello`,
    `frames/10000/${serial}/hello`,
    `frames/+/${serial}/hello`,
    `frames/2/${serial}/#`,
    `frames/2/${serial}/+`,
    `frames/2/${serial}/`,
    `frames/2/${serial}`,
    `Frames/2/${serial}/hello`,
    `/frames/2/${serial}/hello`,
  ]) {
    assert.is(unknownVersion(serial, topic), undefined, topic);
  }
  assert.is(unknownVersion('+', 'frames/2/+/hello'), undefined);
});

test.run();
