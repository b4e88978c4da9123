import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { topicUse } from '../../firmware-protocol/topics.ts';
import { type MqttLine, openLine } from './mqtt-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('topics');
const serial = 'epd7-b0c1d2e3f405';
const victim = 'epd7-000000000001';

/** A logged-in line of a frame that is provisioned on the way. */
async function loggedIn(world: GatewayWorld, name: string): Promise<() => Promise<MqttLine>> {
  const credential = await world.provision(name);
  return async () => {
    const line = await openLine({ port: world.ports.tls, root: credential.root, credential });
    assert.is(await line.login({ clientId: name }), 0);
    return line;
  };
}

const foreignTopics = [
  '#',
  '+/#',
  '$aws/#',
  '$aws/things/#',
  '$aws/things/+/epaper/receive',
  `$aws/things/${victim}/epaper/receive`,
  `$aws/things/${victim}/activateepaper`,
  `$aws/things/${victim}/#`,
  `$aws/things/${serial}/#`,
  `$aws/things/${serial}/epaper/+`,
  `$aws/things/${serial}/epaper/receive/`,
  `$aws/things/${serial}/epaper/receive/x`,
  `/$aws/things/${serial}/epaper/receive`,
  `$aws/things/${serial}/../${victim}/epaper/receive`,
  `$aws/things/${serial.toUpperCase()}/epaper/receive`,
  '$SYS/#',
  '$SYS/+/new/clients',
  `$share/group/$aws/things/${serial}/epaper/receive`,
  `$share/group/frames/1/${victim}/desired`,
  'frames/#',
  'frames/1/#',
  'frames/1/+/desired',
  `frames/1/${victim}/desired`,
  `frames/1/${victim}/hello`,
  `frames/02/${serial}/desired`,
  `frames/1/${serial}`,
  `frames/1/${serial}/`,
  `frames/1/${serial}/constructor`,
  `frames/1/${serial}/desired\u0000`,
  'a/b/c/d/e/f/g/h',
  'a'.repeat(3000),
];

test('a spy is granted no topic but its own, and sees nothing of another frame (T-41, FACT-04, B-15, B-18)', async () => {
  await withGateway(async (world) => {
    const spyLine = await loggedIn(world, serial);
    const victimLine = await loggedIn(world, victim);
    await world.activate(victim);
    const spies: MqttLine[] = [];
    for (const topic of foreignTopics) {
      const spy = await spyLine();
      const granted = await spy.subscribe(topic);
      assert.ok(granted === 'closed' || granted[0] === 128, `${topic.slice(0, 60)}: ${granted}`);
      spies.push(spy);
    }
    const own = await spyLine();
    assert.equal(await own.subscribe(`$aws/things/${serial}/epaper/receive`, `frames/1/${serial}/desired`), [0, 0]);

    const spoken = await victimLine();
    await spoken.subscribe(`$aws/things/${victim}/epaper/receive`);
    await spoken.publish(`$aws/things/${victim}/activateepaper`, '{"act": 1,"file": "0","wake": "3"}');
    assert.is((await spoken.message()).act, 'activated');
    await own.ping();
    for (const spy of [...spies, own]) {
      assert.is(spy.received.filter(({ cmd }) => cmd === 'publish').length, 0);
    }
  });
});

test('a frame publishes under its own topics only; anything else ends its connection (T-41, B-15, B-17)', async () => {
  await withGateway(async (world) => {
    const open = await loggedIn(world, serial);
    const victimLine = await (await loggedIn(world, victim))();
    await victimLine.subscribe(`$aws/things/${victim}/epaper/receive`, `frames/1/${victim}/desired`);
    const gatewaysOwn = [
      `$aws/things/${serial}/epaper/receive`,
      `frames/1/${serial}/desired`,
      `frames/1/${serial}/command`,
    ];
    for (const topic of [...foreignTopics, ...gatewaysOwn, '$SYS/x/new/clients']) {
      const line = await open();
      await line.publish(topic, '{"act":"activated","ota":"https://evil.example"}', { qos: 1 });
      await line.ended();
      assert.not.ok(
        line.received.some(({ cmd }) => cmd === 'puback'),
        topic.slice(0, 60),
      );
    }
    await victimLine.ping();
    assert.is(victimLine.received.filter(({ cmd }) => cmd === 'publish').length, 0);
    assert.equal(await world.events(victim, 'hello'), []);
  });
});

test('retain and QoS 2 are refused, and nothing of them is kept (T-44, B-21)', async () => {
  await withGateway(async (world) => {
    const open = await loggedIn(world, serial);
    const topic = `frames/1/${serial}/log`;
    const log = '{"level":"info","message":"kept?"}';
    for (const more of [{ retain: true, qos: 1 }, { retain: true, qos: 0 }, { qos: 2 }] as const) {
      const line = await open();
      await line.publish(topic, log, more);
      await line.ended();
      assert.not.ok(line.received.some(({ cmd }) => cmd === 'puback' || cmd === 'pubrec'));
    }
    assert.equal(await world.events(serial, 'log'), []);
    assert.is((await world.events(serial, 'alert')).length, 1, 'three connections, one alert a minute');
  });
});

test('who subscribes with QoS 2 is granted 1, and hears with it (T-44)', async () => {
  await withGateway(async (world) => {
    const line = await (await loggedIn(world, serial))();
    const [desired, command] = [`frames/1/${serial}/desired`, `frames/1/${serial}/command`];
    const subscriptions = ([2, 1, 0] as const).map((qos, at) => ({
      topic: at === 0 ? desired : command + '/'.repeat(at - 1),
      qos,
    }));
    line.send({ cmd: 'subscribe', messageId: 9, subscriptions });
    assert.equal((await line.take('suback')).granted, [1, 1, 128]);
  });
});

test('subscriptions beyond the handful a frame needs are refused, one by one and in one packet (B-19)', async () => {
  await withGateway(async (world) => {
    const open = await loggedIn(world, serial);
    const line = await open();
    const receive = `$aws/things/${serial}/epaper/receive`;
    for (let time = 0; time < 4; time++) assert.equal(await line.subscribe(receive), [0]);
    assert.equal(await line.subscribe(receive), [128]);
    await line.ping();
  });
});

test('hundreds of foreign filters end the connection and leave one alert, not hundreds (B-19, T-44)', async () => {
  await withGateway(async (world) => {
    const open = await loggedIn(world, serial);
    const filters = Array.from({ length: 400 }, (_, at) => `x/${at}`);
    for (let time = 0; time < 3; time++) {
      const line = await open();
      assert.is(await line.subscribe(...filters), 'closed');
    }
    await until(async () => (await world.events(serial, 'alert')).length > 0, 'the alert is recorded');
    const line = await open();
    for (let time = 0; time < 64; time++) assert.equal(await line.subscribe('y'), [128]);
    assert.is(await line.subscribe('y'), 'closed');
    assert.is((await world.events(serial, 'alert')).length, 1);
  });
});

test('an answer reaches a frame that did not subscribe, over its own connection only (B-03)', async () => {
  await withGateway(async (world) => {
    const line = await (await loggedIn(world, serial))();
    await line.publish(`$aws/things/${serial}/activateepaper`, '{"act": 0}');
    assert.equal(await line.message(), { act: 'reset' });
  });
});

test('topics are compared for equality with the proven identity (FACT-04)', () => {
  assert.equal(topicUse(serial, `frames/1/${serial}/hello`, 'publish'), { dialect: 'native', name: 'hello' });
  assert.is(topicUse(serial, `frames/1/${serial}/hello`, 'subscribe'), undefined);
  assert.is(topicUse('+', `$aws/things/${serial}/epaper/receive`, 'subscribe'), undefined);
  for (const topic of foreignTopics) {
    assert.is(topicUse(serial, topic, 'publish'), undefined);
    assert.is(topicUse(serial, topic, 'subscribe'), undefined);
  }
});

test.run();
