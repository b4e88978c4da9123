import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type MqttLine, openLine } from './mqtt-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('sessions');
const serial = 'epd7-b0c1d2e3f405';
const topic = (name: string) => `$aws/things/${serial}/${name}`;
const connectPacket = {
  cmd: 'connect',
  protocolId: 'MQTT',
  protocolVersion: 4,
  clientId: serial,
  clean: true,
  keepalive: 10,
} as const;
const connected = async (world: GatewayWorld) => (await world.gateway.facts(serial))?.connected;

/** A logged-in, subscribed line of one frame, opened as often as wanted. */
async function frameLines(world: GatewayWorld): Promise<(spelling?: string) => Promise<MqttLine>> {
  const credential = await world.provision(serial);
  return async (spelling = serial) => {
    const line = await openLine({ port: world.ports.tls, root: credential.root, credential });
    assert.is(await line.login({ clientId: spelling }), 0);
    assert.equal(await line.subscribe(`$aws/things/${spelling}/epaper/receive`), [0]);
    return line;
  };
}

test('a second session takes over, and the old one’s late end does not disturb it (W-26, B-22)', async () => {
  await withGateway(async (world) => {
    const open = await frameLines(world);
    const first = await open();
    const second = await open();
    await first.ended();
    assert.is(await connected(world), true);
    await second.publish(topic('activateepaper'), '{"act": 0}');
    assert.equal(await second.message(), { act: 'reset' });
    assert.equal(await world.events(serial, 'disconnect'), []);
  });
});

test('the end of the session that took over is seen, by DISCONNECT, by FIN and by reset (W-26)', async () => {
  await withGateway(async (world) => {
    const open = await frameLines(world);
    const ways: readonly ((line: MqttLine) => void)[] = [
      (line) => line.send({ cmd: 'disconnect' }),
      (line) => line.socket.end(),
      (line) => line.vanish(),
    ];
    for (const [at, end] of ways.entries()) {
      const first = await open();
      const second = await open();
      await first.ended();
      end(second);
      await until(async () => (await connected(world)) === false, `way ${at} is seen`);
      await until(async () => (await world.events(serial, 'disconnect')).length === at + 1, 'one event for each');
    }
  });
});

test('the same frame under another spelling takes over too (W-26, W-35)', async () => {
  await withGateway(async (world) => {
    const open = await frameLines(world);
    const first = await open();
    const second = await open(serial.toUpperCase());
    await first.ended();
    assert.is(await connected(world), true);
    await second.ping();
  });
});

test('a frame that vanishes while its login is checked leaves nothing behind and pushes nobody out (W-26)', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    for (let round = 0; round < 20; round++) {
      const line = await openLine({ port: world.ports.tls, root: credential.root, credential });
      line.send(connectPacket);
      if (round % 2 === 0) line.socket.end();
      else line.vanish();
      await line.ended();
    }
    await until(async () => (await connected(world)) === false, 'nobody is connected');
    const connects = (await world.events(serial, 'connect')).length;
    await until(async () => (await world.events(serial, 'disconnect')).length === connects, 'each connect has its end');
  });
});

test('a login that is still being checked when its frame goes away pushes out nobody (W-26)', async () => {
  await withGateway(async (world) => {
    const open = await frameLines(world);
    const credential = await world.provision(serial);
    const living = await open();
    const hasty = await openLine({ port: world.ports.tls, root: credential.root, credential });
    // The one database connection is held: the login waits for it until the frame is gone.
    await world.db.transaction(async () => {
      hasty.send(connectPacket);
      const pool: { numPendingAcquires(): number } = world.db.client.pool;
      await until(() => pool.numPendingAcquires() > 0, 'the login is being checked');
      hasty.vanish();
      await hasty.ended();
      await living.ping();
      await living.ping();
    });
    await world.db.raw('select 1');
    await living.ping();
    assert.is(await connected(world), true);
  });
});

test('twenty sessions of one frame at once leave one (B-22)', async () => {
  await withGateway(async (world) => {
    const open = await frameLines(world);
    const lines = await Promise.allSettled(Array.from({ length: 20 }, () => open()));
    const opened = lines.flatMap((line) => (line.status === 'fulfilled' ? [line.value] : []));
    await until(() => opened.filter(({ socket }) => !socket.closed).length === 1, 'one is left');
    assert.is(await connected(world), true);
    const last = opened.find(({ socket }) => !socket.destroyed);
    last?.vanish();
    await until(async () => (await connected(world)) === false, 'and its end is seen');
  });
});

test('stopping ends every connection and waits for what is being recorded', async () => {
  await withGateway(async (world) => {
    const open = await frameLines(world);
    const line = await open();
    const said = line.publish(`frames/1/${serial}/log`, '{"level":"info","message":"last words"}', { qos: 1 });
    await line.ping();
    await world.restart();
    await line.ended();
    const kept = (await world.events(serial, 'log')).length;
    assert.is(kept === 1, await said, 'acknowledged exactly when recorded');
  });
});

test('a gateway that drains takes nobody new, lets the awake finish for their time, and then ends the rest', () =>
  withGateway(async (world) => {
    const open = await frameLines(world);
    const other = 'epd7-b0c1d2e3f406';
    const credential = await world.provision(other);
    const stays = await open();
    const leaves = await openLine({ port: world.ports.tls, root: credential.root, credential });
    assert.is(await leaves.login({ clientId: other }), 0);
    let isDrained = false;
    const drained = world.gateway.drain(45_000).then(() => {
      isDrained = true;
    });
    const refused = await open().then(
      () => 'it was let in',
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    );
    assert.is(refused, 'ECONNREFUSED');
    await leaves.publish(`$aws/things/${other}/activateepaper`, '{"act": 0}');
    await leaves.message();
    leaves.send({ cmd: 'disconnect' });
    await leaves.ended();
    assert.is(isDrained, false);
    await stays.publish(topic('activateepaper'), '{"act": 0}');
    assert.equal(await stays.message(), { act: 'reset' });
    world.clock.elapses(45_000);
    await stays.ended();
    await drained;
    await until(
      async () => (await world.events(serial, 'disconnect')).length === 1,
      'the end of its session is recorded',
    );
  }));

test.run();
