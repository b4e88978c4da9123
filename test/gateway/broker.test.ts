import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BrokerDeps } from '../../gateway/broker/broker.ts';
import type { Reason } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { isPostgres } from '../../runtime/database/database.ts';
import { withBroker } from './bare-broker.ts';
import { crowd } from './crowd.ts';
import { type MqttLine, openLine } from './mqtt-line.ts';
import { placeFrame } from './placed-frame.ts';
import { until, withGateway } from './world.ts';

const test = suite('broker');
const serial = 'epd7-b0c1d2e3f405';

/** Milliseconds until the broker ends a socket; how many more a loaded machine takes is nothing to judge by. */
function lifeOf(socket: Socket): Promise<number> {
  const began = performance.now();
  socket.on('error', () => {});
  socket.resume();
  return new Promise((resolve) => socket.once('close', () => resolve(performance.now() - began)));
}

/** Sends a CONNECT one byte every 200 ms: 10 s in all if it is let. Returns how many it has not sent. */
function drip(socket: Socket): () => number {
  const bytes = Buffer.from([0x10, 48, 0, 4, ...Buffer.from('MQTT'), 4, 2, 0, 10, 0, 36, ...Buffer.alloc(36, 0x61)]);
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || at >= bytes.length) clearInterval(timer);
    else socket.write(bytes.subarray(at, ++at));
  }, 200);
  return () => bytes.length - at;
}

test('a socket that does not log in is closed after 5 s, silent or dripping; a frame may be silent (T-45, B-10, B-12)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const line = await openLine(frame.broker());
    // One second asked for: the broker's own rule would cut the line after 1.5 s.
    assert.is(await line.login({ clientId: serial, keepalive: 1 }), 0);
    const { plain, tls } = world.ports;
    const dripping = connectPlain({ host: '127.0.0.1', port: plain, noDelay: true });
    const unsent = drip(dripping);
    // The limit itself has to pass; the three wait for it together.
    const lives = await Promise.all([
      lifeOf(connectPlain({ host: '127.0.0.1', port: plain })),
      lifeOf(connectTls({ host: '127.0.0.1', port: tls, rejectUnauthorized: false })),
      lifeOf(dripping),
    ]);
    for (const life of lives) assert.ok(life > 4500, `${life} ms`);
    assert.ok(unsent() > 0, 'no byte of the dripping one puts its end off');
    await line.ping();
  });
});

test('3,000 questions of 300 frames in one burst are all answered: as many answers as no slots could hold (B-02, B-03, B-09)', async () => {
  await withGateway(async (world) => {
    const serials = await crowd(world.db, 300);
    const lines: { name: string; line: MqttLine }[] = [];
    for (const name of serials) {
      const line = await openLine({ port: world.ports.plain });
      // No keepalive: it says nothing until all are here.
      assert.is(await line.login({ clientId: name, username: name, password: name, keepalive: 0 }), 0);
      assert.equal(await line.subscribe(`$aws/things/${name}/epaper/receive`), [0]);
      lines.push({ name, line });
    }
    const answers = await Promise.all(
      lines.map(async ({ name, line }, at) => {
        const wake = `{"act": 1,"file": "${1_700_000_000 + at}","wake": "3"}`;
        const times = Array.from({ length: 10 });
        for (const _ of times) line.publish(`$aws/things/${name}/activateepaper`, wake);
        return Promise.all(times.map(() => line.message(90_000)));
      }),
    );
    assert.equal(
      answers.map((ofOne) => ofOne.map(({ t }) => t)),
      answers.map((ofOne, at) => ofOne.map(() => 1_700_000_000 + at)),
    );
    for (const { line } of lines) line.vanish();
  });
});

test('messages of one frame are handled in the order it spoke, and each is recorded before its PUBACK (B-04, B-05)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const line = await openLine(frame.broker());
    await line.login({ clientId: serial });
    const count = 30;
    const hello = { firmware: '1', panel: 'epd7', fileVersion: 0, pictureSynced: false, wake: 'timer', orientation: 0 };
    const said = Array.from({ length: count }, (_, boot) =>
      line.publish(`frames/1/${serial}/hello`, JSON.stringify({ ...hello, boot, sleepSeconds: 60 }), { qos: 1 }),
    );
    await said[0];
    assert.ok((await world.events(serial, 'hello')).length >= 1, 'recorded before acknowledged');
    assert.ok((await Promise.all(said)).every(Boolean));
    const acknowledged = line.received.flatMap((packet) => (packet.cmd === 'puback' ? [packet.messageId] : []));
    assert.equal(
      acknowledged,
      Array.from({ length: count }, (_, at) => at + 1),
    );
    const written: { payload: string }[] = await world
      .db('frame_events')
      .where({ type: 'hello' })
      .orderByRaw(isPostgres(world.db) ? 'ctid' : 'rowid');
    assert.equal(
      written.map(({ payload }) => JSON.parse(payload).boot),
      Array.from({ length: count }, (_, at) => at),
    );
  });
});

test('a message waits for the one before it, however long that takes to record (B-05)', async () => {
  await withGateway(async (world) => {
    const { password = '' } = await world.provision(serial, { withPassword: true });
    const handled: string[] = [];
    let finishFirst = () => {};
    const first = new Promise<void>((resolve) => {
      finishFirst = resolve;
    });
    const receive: BrokerDeps['receive'] = async (_conversation, _use, payload) => {
      handled.push(`begin ${Buffer.from(payload)}`);
      if (String(Buffer.from(payload)) === '1') await first;
      handled.push(`end ${Buffer.from(payload)}`);
      return [];
    };
    await withBroker(world, { receive }, async (broker) => {
      try {
        const line = await openLine({ port: broker.ports.plain ?? 0 });
        await line.login({ clientId: serial, username: serial, password });
        for (const payload of ['1', '2']) line.publish(`frames/1/${serial}/log`, payload);
        await until(() => handled.length === 1, 'the first began');
        for (let query = 0; query < 5; query++) await world.db.raw('select 1');
        assert.equal(handled, ['begin 1']);
        finishFirst();
        await until(() => handled.length === 4, 'both are handled');
        assert.equal(handled, ['begin 1', 'end 1', 'begin 2', 'end 2']);
      } finally {
        finishFirst();
      }
    });
  });
});

test('B-08: a frame that stops reading delays nobody, is cut off within seconds, and leaves one alert', async () => {
  await withGateway(async (world) => {
    const names = await crowd(world.db, 20);
    const [slow = '', ...others] = names;
    const alerts: string[] = [];
    const protocolViolated = (name: string | undefined, problem: Reason) =>
      void alerts.push(`${name}: ${wordsOf(problem)}`);
    const receive: BrokerDeps['receive'] = async ({ serial: name }) => [
      { topic: `frames/1/${name}/desired`, payload: Buffer.from('{}'), qos: 1 },
    ];
    await withBroker(world, { receive, protocolViolated }, async (broker) => {
      const lines = await Promise.all(
        names.map(async (name) => {
          const line = await openLine({ port: broker.ports.plain ?? 0 });
          assert.is(await line.login({ clientId: name, username: name, password: name }), 0);
          assert.equal(await line.subscribe(`frames/1/${name}/desired`), [0]);
          return line;
        }),
      );
      const [slowLine, ...otherLines] = lines;
      slowLine?.socket.pause();
      // 18 MB: more than the kernel takes in for it on both sides.
      const picture = { topic: `frames/1/${slow}/desired`, payload: Buffer.alloc(60_000), qos: 0 as const };
      broker.send(
        slow,
        Array.from({ length: 300 }, () => picture),
      );
      // How many come in these four seconds is up to the machine. Held up by it, none would.
      let answeredMeanwhile = 0;
      for (let round = 0; round < 5; round++) {
        await Promise.all(
          otherLines.map(async (line, at) => {
            assert.ok(await line.publish(`frames/1/${others[at]}/hello`, '{}', { qos: 1 }));
            await line.message();
            if (broker.conversation(slow) !== undefined) answeredMeanwhile++;
          }),
        );
      }
      assert.ok(answeredMeanwhile > 0, 'others were answered while it stood still');
      await until(() => broker.conversation(slow) === undefined, 'it is cut off');
      assert.equal(alerts, [`${slow}: stopped reading`]);
      slowLine?.vanish();
      await otherLines[0]?.ping();
    });
  });
});

test('a wake report followed at once by act 0 is answered in that order (B-05)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const line = await frame.connect();
    const topic = `$aws/things/${serial}/activateepaper`;
    line.publish(topic, '{"act": 0}');
    line.publish(topic, frame.wakeReport('1'));
    line.publish(topic, '{"act": 0}');
    const acts = [await line.message(), await line.message(), await line.message()].map(({ act }) => act);
    assert.equal(acts, ['reset', 'activated', 'reset']);
    line.vanish();
  });
});

test('an invalid message of a classic frame leaves an event, is not answered, and harms nobody (W-37)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const line = await frame.connect();
    const bad = [
      '',
      '{',
      'null',
      '[]',
      '5',
      '{"act": 2}',
      '{"act": "x"}',
      '{"__proto__": {"act": 1}}',
      'x'.repeat(600),
    ];
    for (const payload of bad) await line.publish(`$aws/things/${serial}/activateepaper`, payload);
    await line.publish(`$aws/things/${serial}/epaper/updatestate`, '{"state": 5}');
    await line.publish(`$aws/things/${serial}/epaper/getimageurl`, Buffer.from([0xc3, 0x28]));
    const count = bad.length + 2;
    await until(async () => (await world.events(serial, 'log')).length === count, 'each left an event');
    await line.ping();
    assert.is(line.received.filter(({ cmd }) => cmd === 'publish').length, 0);
    await line.publish(`$aws/things/${serial}/activateepaper`, frame.wakeReport('3'));
    assert.is((await line.message()).act, 'activated');
    line.vanish();
  });
});

test('a message that could not be recorded is not acknowledged (B-04)', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const line = await openLine(frame.broker());
    await line.login({ clientId: serial });
    await world.db.raw('alter table frame_events rename to events_away');
    const log = JSON.stringify({ level: 'info', message: 'lost' });
    assert.is(await line.publish(`frames/1/${serial}/log`, log, { qos: 1 }), false);
    await line.ended();
    await world.db.raw('alter table events_away rename to frame_events');
  });
});

test.run();
