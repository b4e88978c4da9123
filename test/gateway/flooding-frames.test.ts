/** T-64: a frame that floods after its login is read slowly, then cut off, kept out for a while, and reported. */
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { generate, type Packet } from 'mqtt-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limits } from '../../firmware-protocol/limits.ts';
import { guardPackets } from '../../gateway/broker/packet-guard.ts';
import { keepOut } from '../../gateway/identity/keep-out.ts';
import { longTest } from '../some-times.ts';
import { type MqttLine, openLine } from './mqtt-line.ts';
import { nativeLine } from './native-line.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('flooding frames');
const serial = 'epd7-b0c1d2e3f405';
const neighbour = 'epd7-000000000001';
const minuteMs = 60_000;

const many = (times: number, ...packets: Packet[]) =>
  Buffer.concat(Array.from({ length: times }, () => Buffer.concat(packets.map((packet) => generate(packet)))));

function publish(qos: 0 | 1, payload: string | Buffer = '{}'): Packet {
  const topic = `frames/1/${serial}/log`;
  return { cmd: 'publish', topic, payload, qos, messageId: 1, dup: false, retain: false };
}

/** The floods that a frame may pour out once it is in, over and over. */
const floods: Readonly<Record<string, Buffer>> = {
  'pings, many in each segment': many(2000, { cmd: 'pingreq' }),
  'messages of two bytes': many(500, publish(0)),
  'messages that are to be acknowledged': many(500, publish(1)),
  'messages as large as may be': many(20, publish(1, Buffer.alloc(4000, 0x20))),
  'messages in another version': many(500, { ...publish(1), topic: `frames/2/${serial}/log` } as Packet),
  'ends of subscriptions': many(20, {
    cmd: 'unsubscribe',
    messageId: 1,
    unsubscriptions: Array.from({ length: 400 }, (_, at) => `x/${at}`),
  }),
  'acknowledgements of nothing': many(
    500,
    { cmd: 'puback', messageId: 7 },
    { cmd: 'pubrec', messageId: 7 },
    { cmd: 'pubrel', messageId: 7 },
  ),
};

type Credential = Awaited<ReturnType<GatewayWorld['provision']>>;

async function loggedIn(world: GatewayWorld, credential: Credential): Promise<MqttLine> {
  const line = await openLine({ port: world.ports.tls, root: credential.root, credential });
  assert.is(await line.login({ clientId: credential.serial }), 0);
  return line;
}

/** Pours until the line ends; the clock runs, as it would while the frame is read slowly. */
async function flood(world: GatewayWorld, line: MqttLine, bytes: Buffer): Promise<void> {
  await until(
    () => {
      if (!line.socket.destroyed && line.socket.writableLength < 1024 * 1024) line.write(bytes);
      world.clock.elapses(50);
      return line.socket.closed;
    },
    'the flood is cut off',
    60_000,
  );
}

const problems = async (world: GatewayWorld) =>
  (await world.events(serial, 'alert')).map(({ payload }) => String(payload.problem));
const floodsAmong = (all: readonly string[]) => all.filter((problem) => problem.startsWith('floods'));

for (const [at, [what, bytes]] of Object.entries(floods).entries()) {
  const register = at === 0 ? test : longTest(test);
  register(`T-64: ${what}, without end, end the connection, and another frame is answered meanwhile`, async () => {
    await withGateway(async (world) => {
      const beside = await nativeLine(world, neighbour, await world.provision(neighbour));
      const credential = await world.provision(serial);
      const line = await loggedIn(world, credential);
      const flooding = flood(world, line, bytes);
      await beside.hello();
      await beside.line.message();
      await flooding;
      await beside.hello();
      await until(async () => floodsAmong(await problems(world)).length > 0, 'the alert is recorded');
      assert.equal(floodsAmong(await problems(world)), ['floods the gateway: kept out for 60 seconds']);
      const again = await openLine({ port: world.ports.tls, root: credential.root, credential });
      assert.is(await again.login({ clientId: serial }), 3);
    });
  });
}

test('T-64: a packet that comes byte by byte, and never whole, is a flood too when its bytes come fast', async () => {
  await withGateway(async (world) => {
    const line = await loggedIn(world, await world.provision(serial));
    const [first = 0, ...rest] = generate(publish(0, Buffer.alloc(4000, 0x20)));
    line.write(Buffer.from([first]));
    for (const byte of [...rest.slice(0, -1)]) {
      if (line.socket.destroyed) break;
      world.clock.elapses(10);
      await new Promise((resolve) => line.socket.write(Buffer.from([byte]), resolve));
      // Each byte is read before the next one is sent, however busy the machine is.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    await until(async () => floodsAmong(await problems(world)).length === 1, 'it is cut off');
    await line.ended();
  });
});

test('T-64: who comes back again and again with a packet over the limit is kept out too', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    for (let time = 0; time < 21; time++) {
      const line = await loggedIn(world, credential);
      line.write(Buffer.from([0x30, 0xff, 0xff, 0x03]));
      await line.ended();
    }
    const again = await openLine({ port: world.ports.tls, root: credential.root, credential });
    assert.is(await again.login({ clientId: serial }), 3);
    await until(async () => (await problems(world)).length === 2, 'both are recorded');
  });
});

test('T-64: who was cut off is kept out by any of its credentials, for longer each time, and nobody else is', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial, { withPassword: true });
    const { password = '' } = credential;
    const other = await world.provision(neighbour);
    const logIn = {
      certificate: async () => openLine({ port: world.ports.tls, root: credential.root, credential }),
      password: async () => openLine({ port: world.ports.plain }),
    };
    const answers = async () => {
      const withCertificate = await (await logIn.certificate()).login({ clientId: serial });
      const withPassword = await (await logIn.password()).login({ clientId: serial, username: serial, password });
      return [withCertificate, withPassword];
    };
    for (const minutes of [1, 2, 4]) {
      await flood(world, await loggedIn(world, credential), many(2000, { cmd: 'pingreq' }));
      assert.equal(await answers(), [3, 3]);
      const beside = await loggedIn(world, other);
      await beside.ping();
      world.clock.passes(minutes * minuteMs - 1000);
      assert.equal(await answers(), [3, 3], `kept out for ${minutes} minutes`);
      world.clock.passes(1000);
      assert.equal(await answers(), [0, 0]);
    }
    await until(async () => floodsAmong(await problems(world)).length === 3, 'each is recorded');
  });
});

test('T-64: what a frame floods stays with it while it is read slowly', async () => {
  await withGateway(async (world) => {
    const line = await loggedIn(world, await world.provision(serial));
    const bytes = Buffer.alloc(32 * 1024 * 1024, generate({ cmd: 'pingreq' }));
    line.write(bytes);
    await until(() => line.received.filter(({ cmd }) => cmd === 'pingresp').length >= 900, 'a minute’s worth is read');
    // The rest is in the buffers of two sockets, or has not left.
    assert.ok(line.socket.writableLength > bytes.length / 2, `${line.socket.writableLength} bytes wait`);
    line.vanish();
  });
});

test('T-64: what needs the most honest packets is neither slowed nor cut off', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    const largest = `{"level":"info","message":"${'m'.repeat(limits.logCharacters)}"}`;
    for (let connection = 0; connection < 2; connection++) {
      const line = await loggedIn(world, credential);
      const said = Array.from({ length: limits.messagesPerMinute / 2 }, () =>
        line.publish(`frames/1/${serial}/log`, largest, { qos: 1 }),
      );
      assert.ok((await Promise.all(said)).every(Boolean));
      for (let time = 0; time < 60; time++) await line.ping();
      assert.is(line.socket.destroyed, false);
    }
    assert.equal(await problems(world), []);
    assert.not(world.clock.isArmed(10), 'nothing was held back');
  });
});

test('what came before the end of a connection is recorded, however much of it came at once', async () => {
  await withGateway(async (world) => {
    const line = await loggedIn(world, await world.provision(serial));
    const count = 60;
    const hello = { firmware: '1', panel: 'epd7', fileVersion: 0, pictureSynced: false, wake: 'timer', orientation: 0 };
    const said = Array.from({ length: count }, (_, boot): Packet => {
      const payload = JSON.stringify({ ...hello, boot, sleepSeconds: 60 });
      return { ...publish(0, payload), topic: `frames/1/${serial}/hello` } as Packet;
    });
    line.socket.end(many(1, ...said));
    await until(async () => (await world.events(serial, 'hello')).length === count, 'all of it is recorded');
  });
});

/** A socket that gives what is written into it. */
function tap(chunks: readonly Buffer[]): Duplex {
  const left = [...chunks];
  return new Duplex({
    read() {
      this.push(left.shift() ?? null);
    },
    write: (_chunk, _encoding, done) => done(),
  });
}

test('the guard hands on every byte in order, at most so many packets at once, however often it holds back', async () => {
  const chunk = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.array(chunk), fc.infiniteStream(fc.boolean()), async (lengths, whims) => {
      const chunks = lengths
        .map((packets) =>
          Buffer.concat(packets.map((length) => Buffer.from([0x30, length, ...Buffer.alloc(length, 1)]))),
        )
        .filter(({ length }) => length > 0);
      const socket = tap(chunks);
      const whim = () => whims.next().value === true;
      let [most, sum] = [0, 0];
      guardPackets(socket, {
        clock: {
          after(_ms, run) {
            setImmediate(run);
            return { cancel() {} };
          },
        },
        isBusy: whim,
        handsOn(packets, bytes) {
          most = Math.max(most, packets);
          sum += bytes;
          return whim() ? 1 : 0;
        },
        refused: () => assert.unreachable('all is legal'),
      });
      const came: Buffer[] = [];
      await new Promise<void>((resolve) => {
        socket.on('readable', () => {
          for (let part: unknown = socket.read(); part instanceof Buffer; part = socket.read()) came.push(part);
        });
        socket.once('end', resolve);
      });
      const whole = Buffer.concat(chunks);
      assert.ok(Buffer.concat(came).equals(whole));
      assert.is(sum, whole.length);
      assert.ok(most <= 16);
    }),
    { numRuns: 50 },
  );
});

test('who is kept out: a minute, then twice as long each time up to an hour, forgotten after an hour of peace', () => {
  let now = 1_800_000_000_000;
  const out = keepOut({ now: () => now });
  assert.is(out.isEmpty(), true);
  const minutes = [1, 2, 4, 8, 16, 32, 60, 60];
  for (const pause of minutes) {
    assert.is(out.begin('frame', 'its certificate'), pause * minuteMs);
    now += pause * minuteMs - 1;
    for (const name of ['frame', 'its certificate']) assert.is(out.includes(name), true);
    assert.is(out.includes('another'), false);
    now += 1;
    for (const name of ['frame', 'its certificate']) assert.is(out.includes(name), false);
  }
  now += 60 * minuteMs + 1;
  assert.is(out.begin('frame'), minuteMs);
  now -= 10 * minuteMs;
  assert.is(out.includes('frame'), false, 'a clock that is set back keeps nobody out for longer');
});

test.run();
