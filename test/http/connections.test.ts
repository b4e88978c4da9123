/** T-61: who opens connections without end. */
import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limitConnections } from '../../api/http/limit-connections.ts';
import { until } from '../gateway/world.ts';
import { withHttp } from './world.ts';

const test = suite('connections');

test('T-61: beyond the limit the longest silent connection is closed, never one with a request under way', async () => {
  const most = 10;
  const server = createServer();
  const begin = limitConnections(server, most);
  const waiting: (() => void)[] = [];
  server.on('request', (req, res) => {
    begin(req.socket, res);
    waiting.push(() => res.end('told'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened: Socket[] = [];
  const closed = new Set<number>();
  const open = async (text: string): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    const number = opened.push(socket) - 1;
    socket.on('error', () => {});
    socket.on('close', () => closed.add(number));
    await once(socket, 'connect');
    socket.write(text);
  };
  try {
    const answers = ['/a', '/b'].map((path) => {
      const asked = get({ port, path, agent: false });
      return once(asked, 'response') as Promise<[IncomingMessage]>;
    });
    await until(() => waiting.length === 2, 'two requests are under way');
    // Half a request is none.
    for (let number = 0; number < 30; number++) await open(number % 2 === 0 ? '' : 'GET / HTTP/1.1\r\nHost: x\r\n');
    await until(() => closed.size === 22, 'what is beyond the limit is closed');
    assert.equal(
      [...closed].sort((a, b) => a - b),
      Array.from({ length: 22 }, (_, number) => number),
    );
    for (const tell of waiting) tell();
    for (const [answer] of await Promise.all(answers)) assert.is(answer.statusCode, 200);
  } finally {
    for (const socket of opened) socket.destroy();
    server.closeAllConnections();
    server.close();
  }
});

test('idle connections outlive those of every proxy, so that none of its requests meets a closed one', () =>
  withHttp(async ({ port }) => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const agent = new Agent({ keepAlive: true });
      get({ port, path: '/iotdevice/status/api', agent }, resolve).on('error', reject);
    });
    answer.resume();
    const [, seconds] = /timeout=(\d+)/.exec(String(answer.headers['keep-alive'])) ?? [];
    // Caddy keeps them for two minutes, deploy/haproxy.cfg for 150 s.
    assert.ok(Number(seconds) > 150, `${seconds} s`);
    answer.socket.destroy();
  }));

test.run();
