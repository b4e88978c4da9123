/** Too much of everything: cut off or dropped, recorded once, and without effect on anybody else (T-44 to T-46). */

import { connect, createServer, type Socket } from 'node:net';
import { generate } from 'mqtt-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { alone } from '../../cluster/alone.ts';
import { limits } from '../../firmware-protocol/limits.ts';
import { limitUnauthenticated } from '../../gateway/broker/limit-unauthenticated.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { admission } from '../../gateway/identity/admit-frame.ts';
import { minuteMs } from '../../gateway/identity/count-per-minute.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { crowd } from './crowd.ts';
import { type MqttLine, openLine } from './mqtt-line.ts';
import { nativeLine } from './native-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('floods');
const serial = 'epd7-b0c1d2e3f405';
const neighbour = 'epd7-000000000001';

const problems = async (world: GatewayWorld) =>
  (await world.events(serial, 'alert')).map(({ payload }) => payload.problem);

test('T-44: a frame that says valid things without end fills no table: dropped, acknowledged, alerted once a minute', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    const beside = await nativeLine(world, neighbour, await world.provision(neighbour));
    const most = limits.messagesPerMinute;
    // Over two connections: coming back does not begin a new minute.
    for (let connection = 0; connection < 2; connection++) {
      const { hello } = await nativeLine(world, serial, credential);
      const acknowledged = await Promise.all(Array.from({ length: most }, () => hello()));
      assert.ok(acknowledged.every(Boolean));
    }
    assert.is((await world.events(serial, 'hello')).length, most);
    await until(async () => (await problems(world)).length > 0, 'the alert is recorded');
    assert.equal(await problems(world), ['sends too many messages']);
    await beside.hello();
    await beside.line.message();
    world.clock.passes(minuteMs);
    const later = await nativeLine(world, serial, credential);
    await later.hello();
    assert.is((await world.events(serial, 'hello')).length, most + 1);
  });
});

test('T-44: a few log lines of each wake are kept, then one word about the rest', async () => {
  await withGateway(async (world) => {
    const { hello, say } = await nativeLine(world, serial, await world.provision(serial));
    const lines = async () => (await world.events(serial, 'log')).map(({ payload }) => payload.message);
    const kept = Array.from({ length: limits.logsPerWake }, (_, at) => `line ${at}`);
    const dropped = 'said more than is kept of one wake';
    for (let at = 0; at < limits.logsPerWake + 5; at++) {
      assert.is(await say('log', { level: 'info', message: `line ${at}` }), true);
    }
    assert.equal(await lines(), [...kept, dropped]);
    await hello();
    assert.is(await say('log', { level: 'info', message: 'next wake' }), true);
    assert.equal(await lines(), [...kept, dropped, 'next wake']);
  });
});

test('FACT-05: what a frame sends that is too large or no MQTT ends its connection and leaves one alert each', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    const publish = generate({
      cmd: 'publish',
      topic: `frames/1/${serial}/log`,
      payload: '{}',
      qos: 1,
      messageId: 1,
      dup: false,
      retain: false,
    });
    const garbage = {
      'sent a packet over the limit': [
        Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]),
        Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 1]),
      ],
      'sent something that is not MQTT': [
        Buffer.from([0x00, 0x00]),
        Buffer.from([0x36, ...publish.subarray(1)]),
        Buffer.from([0x82, 0x02, 0x00, 0x01]),
        Buffer.from([0x32, 0x04, 0x00, 0x70, 0x61, 0x61]),
        Buffer.alloc(4000, 'GET / HTTP/1.1\r\n'),
      ],
    };
    for (const [problem, packets] of Object.entries(garbage)) {
      for (const bytes of packets) {
        const { line } = await nativeLine(world, serial, credential);
        line.write(bytes);
        await line.ended();
      }
      await until(async () => (await problems(world)).includes(problem), `${problem} is recorded`);
    }
    assert.equal((await problems(world)).sort(), Object.keys(garbage));
  });
});

test('a radio that breaks in the middle of a packet is not a fault of the frame: no alert', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    for (const end of [
      (line: MqttLine) => line.vanish(),
      (line: MqttLine) => void line.socket.destroy(new Error('reset')),
    ]) {
      const { line } = await nativeLine(world, serial, credential);
      await new Promise((resolve) => line.socket.write(Buffer.from([0x32, 0x60, 0x00, 0x10, 0x61]), resolve));
      end(line);
      await line.ended();
    }
    await until(async () => (await world.events(serial, 'disconnect')).length === 2, 'both ends are seen');
    assert.equal(await problems(world), []);
  });
});

/** Logs a frame of the crowd in, whose name is its password, and says how that was answered. */
async function crowdLine(world: GatewayWorld, name: string): Promise<{ line: MqttLine; code: number | 'closed' }> {
  const line = await openLine({ port: world.ports.plain });
  return { line, code: await line.login({ clientId: name, username: name, password: name }) };
}

/** How many wait for the one database connection. */
function queueOf(world: GatewayWorld): number {
  const pool: { numPendingAcquires(): number } = world.db.client.pool;
  return pool.numPendingAcquires();
}

test('T-46, B-26: of a stampede some are checked, the rest hear at once to come later, and people are not behind them', async () => {
  await withGateway(async (world) => {
    world.clock.stops();
    const serials = await crowd(world.db, 300);
    const codes: (number | 'closed')[] = [];
    let all: Promise<unknown> = Promise.resolve();
    // The one database connection is held: no login can be checked until it is free.
    await world.db.transaction(async () => {
      all = Promise.all(serials.map(async (name) => codes.push((await crowdLine(world, name)).code)));
      await until(() => codes.length === 196, 'what is too much is refused');
      assert.ok(codes.every((code) => code === 3));
      // Four logins, and at most what the gateway does by itself meanwhile.
      assert.ok([4, 5].includes(queueOf(world)), `${queueOf(world)} wait`);
      world.clock.passes(301);
    });
    await all;
    assert.is(codes.filter((code) => code === 0).length, 4, 'who waited too long has hung up, or is about to');
    assert.is(codes.filter((code) => code === 3).length, 296);
    assert.is((await crowdLine(world, serials[0] ?? '')).code, 0, 'later it is let in');
  });
});

test('T-46: what a crowd says waits before the database, a few messages at a time, and all of it is answered', async () => {
  await withGateway(async (world) => {
    // A login counts for a second, after which each message would have its own look at the credential.
    world.clock.stops();
    const serials = await crowd(world.db, 60);
    const lines: MqttLine[] = [];
    for (const name of serials) lines.push((await crowdLine(world, name)).line);
    const connects = () => world.db('frame_events').where({ type: 'connect' });
    await until(async () => (await connects()).length === serials.length, 'every connect is recorded');
    await world.db.transaction(async () => {
      for (const [at, line] of lines.entries()) {
        await line.publish(`$aws/things/${serials[at]}/activateepaper`, '{"act": 0}');
        await line.ping();
      }
      // They queue for the next commit, which is one place before the database; what a connection records may have another.
      await until(() => queueOf(world) > 0, 'the messages wait');
      assert.ok(queueOf(world) <= 3, `${queueOf(world)} wait`);
    });
    for (const line of lines) assert.is((await line.message()).act, 'reset');
  });
});

test('T-46: nobody is let in while two seconds of messages wait to be recorded', async () => {
  await withGateway(async (world) => {
    const [name = ''] = await crowd(world.db, 1);
    let waiting = 499;
    const deps = {
      registry: frameRegistry(world.db),
      clock: world.clock,
      protocolViolated: () => {},
      identityConflict: () => {},
      counters: alone.counters,
    };
    const { admit } = admission(deps);
    const candidate = { id: name, conn: undefined, closed: false };
    const credentials = { username: name, password: name };
    assert.is((await admit(candidate, credentials, waiting)).ok, true);
    waiting = 500;
    assert.equal(await admit(candidate, credentials, waiting), {
      ok: false,
      problem: reasonOf('too-many-at-once'),
      returnCode: 3,
    });
  });
});

test('T-45: when strangers are too many in all, the one that was silent for longest goes, and no frame', async () => {
  const accepted: Socket[] = [];
  const strangers = limitUnauthenticated(() => Number.POSITIVE_INFINITY, 3);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    strangers.enter(socket);
    accepted.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const clients: Socket[] = [];
  for (let at = 0; at < 8; at++) {
    clients.push(connect({ host: '127.0.0.1', port: address.port }).resume());
    await until(() => accepted.length === at + 1, `socket ${at} is accepted`);
    if (at === 1) strangers.known(accepted[at] as Socket);
  }
  assert.equal(
    accepted.map(({ destroyed }) => destroyed),
    [true, false, true, true, true, false, false, false],
  );
  for (const socket of clients) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test.run();
