/**
 * The calls of emitters of the HTTP server: a fault in a handler, and an error of the server itself, end no process (T-75).
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createHttpServer, type HttpDeps } from '../../api/http/server.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';

const test = suite('hostile events');

test('a handler that throws closes its connection, and an error of the server is a line in the log', async () => {
  const lines: string[] = [];
  const faulty = (): boolean => {
    throw new Error('a fault');
  };
  const deps = {
    routes: [],
    clock: systemClock,
    logger: { ...silentLogger, error: (_fields: unknown, message: string) => void lines.push(message) },
    rawHandlers: [{ name: 'faulty', serve: faulty }],
  } as unknown as HttpDeps;
  const server = createHttpServer(deps);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    for (const bytes of ['GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'garbage\r\n\r\n', '\0\0\0', 'GET / HTTP/9\r\n\r\n']) {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.resume().end(bytes);
      await once(socket, 'close');
    }
    assert.equal(lines, ['a request could not be taken']);
    server.emit('error', new Error('accept EMFILE'));
    assert.is(lines.length, 2);
    assert.ok(server.listening);
  } finally {
    server.close();
  }
});

test.run();
