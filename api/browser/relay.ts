/** Relays a page's requests and their answers, over a connection that was opened for them. */
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Headers that concern one connection only and end at a proxy. */
const hopHeaders = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

function endToEnd(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || hopHeaders.has(name) ? [] : [[name, value]],
    ),
  );
}

/** Relays one plain request, and its answer back. A malformed answer ends the connection and nothing else. */
export function relayRequest(from: IncomingMessage, to: ServerResponse, target: URL, way: Socket): void {
  const upstream = request({
    createConnection: () => way,
    method: from.method,
    path: target.pathname + target.search,
    headers: { ...endToEnd(from.headers), host: target.host, connection: 'close' },
    setHost: false,
  });
  upstream.on('error', () => to.destroy());
  upstream.once('close', () => {
    if (!to.headersSent) to.destroy(); // A change of protocol that nobody asked for.
  });
  upstream.on('response', (answer) => {
    answer.on('error', () => to.destroy());
    try {
      to.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
    } catch {
      to.destroy(); // A status like 099 can be read but not written.
      return;
    }
    answer.pipe(to);
  });
  to.once('close', () => way.destroy());
  from.pipe(upstream);
}

/** The answer to a browser whose tunnel is open. */
export const tunnelOpen = 'HTTP/1.1 200 Connection Established\r\n\r\n';

/** Joins both ends of a tunnel. */
export function relayTunnel(client: Socket, way: Socket, head: Buffer): void {
  client.write(tunnelOpen);
  way.write(head);
  joinEnds(client, way);
}

/** Passes on what comes from either end, until one of them ends. */
export function joinEnds(client: Socket, way: Socket): void {
  client.once('close', () => way.destroy());
  way.once('close', () => client.destroy());
  way.pipe(client).pipe(way);
}
