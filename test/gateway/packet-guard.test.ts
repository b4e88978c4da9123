import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { generate } from 'mqtt-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limits } from '../../firmware-protocol/limits.ts';
import { PacketMeter } from '../../gateway/broker/packet-guard.ts';
import { endOf, openLine } from './mqtt-line.ts';
import { until, withGateway } from './world.ts';

const test = suite('packet guard');
const serial = 'epd7-b0c1d2e3f405';

/** Remaining Length as MQTT writes it. */
function lengthBytes(length: number): number[] {
  const bytes: number[] = [];
  let rest = length;
  do {
    bytes.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return bytes;
}

/** A raw socket, and its end: sooner than the broker ends a socket that merely does not log in. */
function rawSocket(port: number): { socket: Socket; ended: Promise<void> } {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  socket.on('error', () => {});
  socket.resume();
  return { socket, ended: endOf(socket) };
}

test('256 MB claimed before the login are cut off within one packet (FACT-05, B-11, T-45)', async () => {
  await withGateway(async (world) => {
    const { socket, ended } = rawSocket(world.ports.plain);
    socket.write(Buffer.from([0x10, ...lengthBytes(256 * 1024 * 1024 - 1)]));
    const filling = Buffer.alloc(64 * 1024);
    const fill = () => {
      while (!socket.destroyed && socket.bytesWritten < 64 * 1024 * 1024 && socket.write(filling));
    };
    socket.on('drain', fill);
    fill();
    await ended;
    // What was on its way in the kernel's buffers may leave; 250 MB were taken without the guard.
    assert.ok(socket.bytesWritten < 16 * 1024 * 1024, `${socket.bytesWritten} bytes`);
  });
});

test('a length that is too large is cut off also when it is dripped byte by byte (FACT-05)', async () => {
  await withGateway(async (world) => {
    const { socket, ended } = rawSocket(world.ports.plain);
    for (const byte of [0x10, ...lengthBytes(100_000)]) {
      if (!socket.destroyed) await new Promise((resolve) => socket.write(Buffer.from([byte]), resolve));
    }
    await ended;
  });
});

test('a length of five bytes is not MQTT and is cut off (FACT-05)', async () => {
  await withGateway(async (world) => {
    const { socket, ended } = rawSocket(world.ports.plain);
    socket.write(Buffer.from([0x10, 0x80, 0x80, 0x80, 0x80, 0x01]));
    await ended;
  });
});

test('4 KiB are the limit before the login and after it, to the byte (FACT-05)', async () => {
  await withGateway(async (world) => {
    const { password } = await world.provision(serial, { withPassword: true });
    const login = { clientId: serial, username: serial };
    const connectBytes = (length: number) =>
      generate({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clean: true,
        keepalive: 10,
        ...login,
        password: Buffer.alloc(length),
      });
    const overhead = connectBytes(1).length - 2 - 1;
    // At the limit the password is judged and refused; beyond it nobody looks.
    for (const [remaining, answer] of [
      [limits.packetBytes, 5],
      [limits.packetBytes + 1, 'closed'],
    ] as const) {
      const line = await openLine({ port: world.ports.plain });
      line.write(connectBytes(remaining - overhead));
      const code = await line.take('connack').then(
        ({ returnCode }) => returnCode,
        () => 'closed',
      );
      assert.is(code, answer, `remaining length ${remaining}`);
    }
    const topic = `frames/1/${serial}/log`;
    for (const [remaining, acknowledged] of [
      [limits.packetBytes, true],
      [limits.packetBytes + 1, false],
    ] as const) {
      const line = await openLine({ port: world.ports.plain });
      assert.is(await line.login({ ...login, ...(password === undefined ? {} : { password }) }), 0);
      const payload = Buffer.alloc(remaining - 2 - topic.length - 2, 0x20);
      assert.is(await line.publish(topic, payload, { qos: 1 }), acknowledged, `remaining length ${remaining}`);
      line.vanish();
    }
  });
});

test('legal traffic comes through intact, split anywhere and joined anyhow', async () => {
  await withGateway(async (world) => {
    const { password } = await world.provision(serial, { withPassword: true });
    const line = await openLine({ port: world.ports.plain });
    await line.login({ clientId: serial, username: serial, ...(password === undefined ? {} : { password }) });
    const hello = { firmware: '1', panel: 'epd7', fileVersion: 0, pictureSynced: false, wake: 'timer', orientation: 0 };
    const boots = Array.from({ length: 40 }, (_, at) => at);
    const stream = Buffer.concat(
      boots.map((boot) =>
        generate({
          cmd: 'publish',
          topic: `frames/1/${serial}/hello`,
          payload: JSON.stringify({ ...hello, boot, sleepSeconds: 60, more: 'x'.repeat((boot * 37) % 250) }),
          qos: 1,
          messageId: boot + 1,
          dup: false,
          retain: false,
        }),
      ),
    );
    for (let at = 0; at < stream.length; at += 1 + ((at * 7) % 900)) {
      const end = at + 1 + ((at * 7) % 900);
      await new Promise((resolve) => line.socket.write(stream.subarray(at, end), resolve));
    }
    await until(() => line.received.filter(({ cmd }) => cmd === 'puback').length === boots.length, 'all acknowledged');
    const events = await world.events(serial, 'hello');
    assert.equal(new Set(events.map(({ payload }) => payload.boot)), new Set(boots));
  });
});

test('the meter accepts what is within the limit, so many packets at once, and refuses what is beyond it, in any chunks', () => {
  const limitBytes = 300;
  const packet = fc.record({ head: fc.integer({ min: 1, max: 255 }), length: fc.integer({ min: 0, max: 330 }) });
  fc.assert(
    fc.property(
      fc.array(packet, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
      fc.integer({ min: 1, max: 4 }),
      (packets, cuts, most) => {
        const meter = new PacketMeter();
        const stream = Buffer.concat(
          packets.map(({ head, length }) =>
            Buffer.concat([Buffer.from([head, ...lengthBytes(length)]), Buffer.alloc(length, 0xff)]),
          ),
        );
        let accepted = true;
        let begun = 0;
        for (let at = 0, cut = 0; at < stream.length && accepted; cut++) {
          const end = Math.min(stream.length, at + (cuts[cut % cuts.length] ?? 1));
          const bytes = meter.accept(stream.subarray(at, end), limitBytes, most);
          assert.ok(meter.begun <= most);
          // What is left of a piece comes again, as the beginning of a packet.
          accepted = bytes !== undefined;
          if (bytes !== undefined && bytes < end - at) assert.is(meter.begun, most);
          begun += meter.begun;
          at += bytes ?? 0;
        }
        const legal = packets.every(({ length }) => length <= limitBytes);
        assert.is(accepted, legal);
        if (legal) assert.is(begun, packets.length);
      },
    ),
  );
});

test('the meter refuses within the header, before a byte of the body has to come', () => {
  assert.is(new PacketMeter().accept(Uint8Array.from([0x30, 0xff, 0xff, 0xff]), 4096), undefined);
  assert.is(new PacketMeter().accept(Uint8Array.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x00]), 4096), undefined);
  assert.is(new PacketMeter().accept(Uint8Array.from([0x30, 0x80, 0x80, 0x80, 0x00]), 4096), 5);
});

test.run();
