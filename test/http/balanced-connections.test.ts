/** T-23: connections that a balancer passes on unread, with a PROXY header in front, and what their clients invent. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { takeBalancedConnections } from '../../api/http/balanced-connections.ts';
import { type AddressRange, readRange } from '../../api/http/caller-address.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { until } from '../gateway/world.ts';
import { withHttp } from './world.ts';

const test = suite('balanced connections');

/** A PROXY header of version 2 for a client with this address of IPv4. */
function proxyHeader(address: string, command = 0x21): Buffer {
  const rest = [...address.split('.').map(Number), 127, 0, 0, 1, 0x12, 0x34, 0x1f, 0x90];
  const fixed = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
  return Buffer.from([...fixed, command, 0x11, 0, rest.length, ...rest]);
}

const ask = (forwarded: string, connection = 'close'): string =>
  `GET /iotdevice/status/api HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${forwarded}\r\nConnection: ${connection}\r\n\r\n`;

/** Connects and writes these pieces, each when the one before has left; resolves with the statuses of all answers. */
async function statuses(port: number, ...pieces: readonly (string | Buffer)[]): Promise<string[]> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let answered = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    answered += chunk;
  });
  const closed = once(socket, 'close');
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return [...answered.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
}

const loopback = [readRange('127.0.0.0/8') as AddressRange];
const behindBalancer = { callsPerMinute: 3, trustedProxies: loopback };

test('T-23: the client that the header names counts, whatever it writes into X-Forwarded-For', () =>
  withHttp(async ({ port }) => {
    for (let count = 0; count < 3; count++) {
      assert.equal(await statuses(port, proxyHeader('198.51.100.1'), ask(`203.0.113.${count}`)), ['200']);
    }
    assert.equal(await statuses(port, proxyHeader('198.51.100.1'), ask('203.0.113.9')), ['429']);
    assert.equal(await statuses(port, proxyHeader('198.51.100.2'), ask('203.0.113.9')), ['200']);
    // A client on the machine of the balancer, whose address is a trusted one, writes the header itself all the same.
    for (let count = 0; count < 3; count++) {
      assert.equal(await statuses(port, proxyHeader('127.0.0.1'), ask(`203.0.113.${count}`)), ['200']);
    }
    assert.equal(await statuses(port, proxyHeader('127.0.0.1'), ask('203.0.113.9')), ['429']);
    // A proxy that speaks HTTP itself is believed as before.
    assert.equal(await statuses(port, ask('203.0.113.9')), ['200']);
  }, behindBalancer));

test('the header may come in pieces or with the request, and what follows is served to its end', () =>
  withHttp(
    async ({ port }) => {
      const header = proxyHeader('198.51.100.3');
      const request = Buffer.from(ask('1.1.1.1'));
      assert.equal(await statuses(port, Buffer.concat([header, request])), ['200']);
      assert.equal(await statuses(port, header.subarray(0, 5), header.subarray(5, 17), header.subarray(17), request), [
        '200',
      ]);
      const two = Buffer.concat([header, Buffer.from(ask('1.1.1.1', 'keep-alive')), request]);
      assert.equal(await statuses(port, two), ['200', '200'], 'two requests on one connection');
      assert.equal(await statuses(port, ask('1.1.1.1').slice(0, 7), ask('1.1.1.1').slice(7)), ['200']);
      const body = 'x'.repeat(300_000);
      const post = `POST /sessions/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
      assert.equal((await statuses(port, header, post, body)).length, 1, 'a body behind it');
      assert.equal(await statuses(port, proxyHeader('0.0.0.0', 0x20), ask('1.1.1.1')), ['200'], "the balancer's check");
    },
    { trustedProxies: loopback },
  ));

test('a second header, a broken one, and one of a stranger are not HTTP', async () => {
  const header = proxyHeader('198.51.100.3');
  await withHttp(
    async ({ port }) => {
      assert.equal(await statuses(port, header, header, ask('1.1.1.1')), ['400']);
      assert.equal(await statuses(port, proxyHeader('198.51.100.3', 0x2f), ask('1.1.1.1')), []);
    },
    { trustedProxies: loopback },
  );
  await withHttp(async ({ port }) => assert.equal(await statuses(port, header, ask('1.1.1.1')), ['400']));
});

test('a proxy that opens a connection long before its first request is served', async () => {
  const server = createServer((_req, res) => void res.end('served'));
  const given: (() => void)[] = [];
  const clock = {
    after(_ms: number, run: () => void) {
      given.push(run);
      return { cancel() {} };
    },
  };
  takeBalancedConnections(server, { isProxy: () => true, clock, logger: silentLogger });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  try {
    await until(() => given.length > 0, 'the connection is there');
    for (const timeIsOver of given) timeIsOver();
    socket.write(ask('198.51.100.9'));
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 200/);
  } finally {
    socket.destroy();
    server.close();
  }
});

test('T-23: the address of the console is that of the request, not one that its client claims', () =>
  withHttp(
    async ({ port }) => {
      const session = (first: Buffer | undefined) =>
        statuses(
          port,
          ...(first === undefined ? [] : [first]),
          'POST /sessions/ HTTP/1.1\r\nHost: papers.example\r\nX-Forwarded-Host: evil.example\r\nOrigin: http://evil.example\r\n' +
            'X-Papergate-Console: 1\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
        );
      assert.equal(await session(proxyHeader('198.51.100.3')), ['403']);
      assert.is.not(
        (await session(undefined))[0],
        '403',
        'a proxy that speaks HTTP says under which host it was asked',
      );
    },
    { trustedProxies: loopback },
  ));

test.run();
