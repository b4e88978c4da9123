/**
 * The wall around a rendered page: a forward proxy on loopback, one listener per render, through which the page's whole
 * browser context must go. Names and literals get the same check; caps end a page that takes too much.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { type Network, type NoWay, reachHost } from './reach-host.ts';

/** Most a single render may ask for and receive. */
const mostRequests = 500;
const mostBytes = 64 * 1024 * 1024;

/** Headers that concern one connection only and end at a proxy. */
const hopHeaders = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

/** What one render may reach beside the public network. */
interface Exceptions {
  /** The one development origin, which must lie on loopback. */
  readonly origin?: URL | undefined;
  /** The pushed picture's own address, wherever this service is reached (P-13). */
  readonly pictureUrl?: URL | undefined;
}

/** One render's way through the guard. */
export interface Passage {
  /** What the browser context takes as its proxy. */
  readonly proxyServer: string;
  allow(exceptions: Exceptions): void;
  /** Hosts that were refused by their address, in the order they were asked for. */
  refusedHosts(): readonly string[];
  close(): Promise<void>;
}

/** The guard hands out passages. */
export interface PageGuard {
  open(): Promise<Passage>;
}

/** What the guard is made of. `mayDial` is the address rule for addresses, never for names. */
export interface GuardEdges {
  readonly mayDial: (address: string) => boolean;
  readonly network: Network;
  readonly clock: Clock;
}

const isLoopback = (address: string): boolean => address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
const hostAndPort = (url: URL): string => `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;

function endToEnd(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || hopHeaders.has(name) ? [] : [[name, value]],
    ),
  );
}

/** Hands one plain request on over a connection that was opened for it, and its answer back. */
function relayRequest(from: IncomingMessage, to: ServerResponse, target: URL, way: Socket): void {
  const upstream = request({
    createConnection: () => way,
    method: from.method,
    path: target.pathname + target.search,
    headers: { ...endToEnd(from.headers), host: target.host, connection: 'close' },
    setHost: false,
  });
  upstream.on('error', () => to.destroy());
  upstream.on('response', (answer) => {
    to.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
    answer.on('error', () => to.destroy());
    answer.pipe(to);
  });
  to.once('close', () => way.destroy());
  from.pipe(upstream);
}

function relayTunnel(client: Socket, way: Socket, head: Buffer): void {
  client.once('close', () => way.destroy());
  way.once('close', () => client.destroy());
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  way.write(head);
  way.pipe(client).pipe(way);
}

/** Creates the guard. */
export function createPageGuard(edges: GuardEdges): PageGuard {
  return { open: () => openPassage(edges) };
}

async function openPassage({ mayDial, network, clock }: GuardEdges): Promise<Passage> {
  const refused = new Set<string>();
  const sockets = new Set<Socket>();
  let exceptions: Exceptions = {};
  let requests = 0;
  let bytes = 0;

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  }
  function count(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostBytes) socket.destroy();
    });
  }

  /** The rule for one request. `target` was parsed from what the browser sent; for a tunnel it has no path. */
  async function reach(target: URL, isExactPicture: boolean): Promise<Socket | NoWay> {
    requests++;
    if (requests > mostRequests || bytes > mostBytes) return 'forbidden';
    const asked = hostAndPort(target);
    const isOrigin = exceptions.origin !== undefined && hostAndPort(exceptions.origin) === asked;
    const rule = isExactPicture ? () => true : isOrigin ? isLoopback : mayDial;
    const way = await reachHost(target.hostname, Number(asked.slice(asked.lastIndexOf(':') + 1)), rule, network, clock);
    if (way === 'forbidden') refused.add(target.host);
    if (typeof way === 'string') return way;
    keep(way);
    count(way);
    if (!server.listening) way.destroy(); // The render ended while the connection was made.
    return way;
  }

  async function forward(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const target = URL.canParse(from.url ?? '') ? new URL(from.url ?? '') : undefined;
    // An absolute http: address is what a browser sends to a proxy; anybody else is not answered.
    if (target?.protocol !== 'http:' || target.username !== '' || target.password !== '') {
      to.writeHead(400).end();
      return;
    }
    const isPicture = target.href === exceptions.pictureUrl?.href && from.method === 'GET';
    const way = await reach(target, isPicture);
    if (typeof way === 'string') {
      to.writeHead(way === 'forbidden' ? 403 : 502).end();
      return;
    }
    relayRequest(from, to, target, way);
  }

  async function tunnel(from: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    keep(client);
    const url = `http://${from.url ?? ''}`;
    const target = URL.canParse(url) ? new URL(url) : undefined;
    if (target === undefined || target.pathname !== '/' || target.username !== '' || target.password !== '') {
      client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      return;
    }
    const picture = exceptions.pictureUrl;
    const isPicture = picture?.protocol === 'https:' && hostAndPort(picture) === hostAndPort(target);
    const way = await reach(target, isPicture);
    if (typeof way === 'string') {
      client.end(`HTTP/1.1 ${way === 'forbidden' ? '403 Forbidden' : '502 Bad Gateway'}\r\n\r\n`);
      return;
    }
    relayTunnel(client, way, head);
  }

  const server = createServer((from, to) => {
    forward(from, to).catch(() => to.destroy());
  });
  server.on('connection', keep);
  server.on('connect', (from: IncomingMessage, client: Socket, head: Buffer) => {
    tunnel(from, client, head).catch(() => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    proxyServer: `http://127.0.0.1:${port}`,
    allow(given) {
      exceptions = given;
    },
    refusedHosts: () => [...refused],
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
