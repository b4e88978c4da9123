/** Frames and strangers that leave in the middle of what they say: no line asks the operator to act. */
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withGateway } from './world.ts';

const test = suite('quiet log of the gateway');

/** Sends bytes as they are to a port, and leaves. */
async function leaveIn(port: number, bytes: Buffer | string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  socket.write(bytes);
  await new Promise((resolve) => setTimeout(resolve, 30));
  socket.destroy();
}

test('handshakes, logins and downloads that break off, and what is not MQTT, are not warnings', () =>
  withGateway(async (world) => {
    const serial = 'epd7-0000000000b7';
    await world.provision(serial, { withPassword: true });
    const hello = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc]);
    const halfLogin = Buffer.from([0x10, 60, 0, 4, ...Buffer.from('MQTT'), 4, 0xc2, 0, 60, 0, 17]);
    for (const port of [world.ports.tls, world.ports.plain]) {
      for (const bytes of ['', 'GET / HTTP/1.1\r\n\r\n', hello, halfLogin, Buffer.alloc(200, 0xff)]) {
        if (port !== undefined) await leaveIn(port, bytes);
      }
    }
    const path = await world.path(await world.offer(serial, 'one'));
    for (const line of [`GET ${path}`, 'GET /f/none', 'GET /ota/none', 'POST /f/none']) {
      await leaveIn(Number(new URL(world.url).port), `${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    }
    assert.equal(world.warnings, []);
  }));

test.run();
