/** The forward proxy of one render: relays its requests, and joins its tunnels with the hosts that they are for. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { parseUrl } from '../../runtime/read-address.ts';
import { type HouseTls, secureBrowser, secureHost } from './house-tls.ts';
import type { Failure } from './page-reach.ts';
import { joinEnds, relayRequest, relayTunnel, tunnelOpen } from './relay.ts';

/** Sockets of a browser that one render may hold: more than a browser opens to its proxy. */
const maxSockets = 96;

/** A stream that knows when its client has gone. */
export type Closing = Pick<Socket | ServerResponse, 'once'>;

/** The calls of the proxy on its passage. */
export interface ProxyDeps {
  readonly reach: (target: URL, isTunnel: boolean, client: Closing) => Promise<Socket | Failure>;
  readonly keep: (socket: Socket) => void;
  readonly count: (stream: Readable) => void;
  /** The key under which a host is handed on; undefined for one outside of the house. */
  readonly house: (target: URL) => Promise<HouseTls> | undefined;
  /** Notes that a host's certificate is not valid. */
  readonly distrust: (target: URL) => void;
}

/** Makes the server, which does not listen yet. */
export function proxyServer(deps: ProxyDeps): Server {
  const server = createServer((from, to) => {
    forward(deps, from, to).catch(() => to.destroy());
  });
  server.maxConnections = maxSockets;
  server.on('connection', deps.keep);
  // A connection that could not be accepted; the browser asks again.
  server.on('error', () => {});
  server.on('connect', (from: IncomingMessage, client: Socket, head: Buffer) => {
    tunnel(deps, from, client, head).catch(() => client.destroy());
  });
  return server;
}

async function forward({ reach, count }: ProxyDeps, from: IncomingMessage, to: ServerResponse): Promise<void> {
  const target = parseUrl(from.url ?? '');
  // A browser sends an absolute http: address to a proxy; any other request is not answered.
  if (target?.protocol !== 'http:' || target.username !== '' || target.password !== '') {
    to.writeHead(400).end();
    return;
  }
  const way = await reach(target, false, to);
  if (typeof way === 'string') {
    to.writeHead(way === 'unreachable' ? 502 : 403).end();
    return;
  }
  count(from);
  count(way);
  relayRequest(from, to, target, way);
}

async function tunnel(deps: ProxyDeps, from: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
  deps.keep(client);
  const url = `http://${from.url ?? ''}`;
  const target = parseUrl(url);
  if (target === undefined || target.pathname !== '/' || target.username !== '' || target.password !== '') {
    client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    return;
  }
  const way = await deps.reach(target, true, client);
  if (typeof way === 'string') {
    client.end(`HTTP/1.1 ${way === 'unreachable' ? '502 Bad Gateway' : '403 Forbidden'}\r\n\r\n`);
    return;
  }
  const house = await deps.house(target);
  if (house !== undefined) return tunnelHome(deps, house, { client, way, target });
  deps.count(client);
  deps.count(way);
  relayTunnel(client, way, head);
}

/** Joins the browser with a host of the house, whose certificate is judged here. */
async function tunnelHome(
  { count, distrust, keep }: ProxyDeps,
  house: HouseTls,
  { client, way, target }: { readonly client: Socket; readonly way: Socket; readonly target: URL },
): Promise<void> {
  const host = await secureHost(way, target.hostname);
  if (host === undefined) {
    distrust(target);
    client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    return;
  }
  client.write(tunnelOpen);
  const browser = secureBrowser(house, client);
  for (const end of [browser, host]) {
    keep(end);
    count(end);
  }
  joinEnds(browser, host);
}
