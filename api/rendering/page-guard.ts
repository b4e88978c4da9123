/**
 * The wall around a rendered page: a forward proxy on loopback, one listener per render, through which the page's whole
 * browser context must go. Names and literals get the same check; caps end a page that takes too much.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { type AddressRule, type Network, type NoWay, reachHost } from './reach-host.ts';
import { relayRequest, relayTunnel } from './relay.ts';

/** Most a single render may ask for, and send and receive together. Over TLS a tunnel counts as one request. */
const mostRequests = 500;
const mostBytes = 64 * 1024 * 1024;

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
  /** Hosts that were refused or could not be reached, with why, in the order they were first asked for. */
  failedHosts(): ReadonlyMap<string, NoWay>;
  /** Counts a request that the browser reports; those inside a tunnel are seen by nobody else. */
  countRequest(): void;
  /** The limit that this render went beyond, for a person; from then on nothing is let through. */
  exceeded(): string | undefined;
  close(): Promise<void>;
}

/** Makes a passage's server listen where a browser finds it on its loopback, and gives the port. */
export type Listen = (server: Server) => Promise<number>;

/** The guard hands out passages. */
export interface PageGuard {
  /** @param listen left out, the browser is in the service's own network */
  open(listen?: Listen): Promise<Passage>;
}

/** What the guard is made of. */
export interface GuardEdges {
  readonly rule: AddressRule;
  readonly network: Network;
  readonly clock: Clock;
}

const anywhere: AddressRule = { mayResolve: () => true, mayDial: () => true };
const isLoopback = (address: string): boolean => address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
const onLoopback: AddressRule = { mayResolve: () => true, mayDial: isLoopback };
const hostAndPort = (url: URL): string => `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;

/** Creates the guard. */
export function createPageGuard(edges: GuardEdges): PageGuard {
  return { open: (listen = listenHere) => openPassage(edges, listen) };
}

async function listenHere(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function openPassage({ rule, network, clock }: GuardEdges, listen: Listen): Promise<Passage> {
  const failed = new Map<string, NoWay>();
  const sockets = new Set<Socket>();
  let exceptions: Exceptions = {};
  let requests = 0;
  let reported = 0;
  let bytes = 0;

  function exceeded(): string | undefined {
    if (requests > mostRequests || reported > mostRequests) return `asked for more than ${mostRequests} things`;
    return bytes > mostBytes ? `moved more than ${mostBytes / 1024 / 1024} MB` : undefined;
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  }
  function count(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (exceeded() !== undefined) stream.destroy();
    });
  }

  /** The rule for one request. `target` was parsed from what the browser sent; for a tunnel it has no path. */
  async function reach(target: URL, isTunnel: boolean, isExactPicture: boolean): Promise<Socket | NoWay> {
    requests++;
    if (exceeded() !== undefined) return 'forbidden';
    const asked = hostAndPort(target);
    const isOrigin = exceptions.origin !== undefined && hostAndPort(exceptions.origin) === asked;
    const applied = isExactPicture ? anywhere : isOrigin ? onLoopback : rule;
    const port = Number(asked.slice(asked.lastIndexOf(':') + 1));
    const way = await reachHost(target.hostname, port, applied, network, clock);
    if (typeof way === 'string') {
      failed.set(asked.replace(isTunnel ? /:443$/ : /:80$/, ''), way);
      return way;
    }
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
    const way = await reach(target, false, isPicture);
    if (typeof way === 'string') {
      to.writeHead(way === 'forbidden' ? 403 : 502).end();
      return;
    }
    count(from);
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
    const way = await reach(target, true, isPicture);
    if (typeof way === 'string') {
      client.end(`HTTP/1.1 ${way === 'forbidden' ? '403 Forbidden' : '502 Bad Gateway'}\r\n\r\n`);
      return;
    }
    count(client);
    relayTunnel(client, way, head);
  }

  const server = createServer((from, to) => {
    forward(from, to).catch(() => to.destroy());
  });
  server.on('connection', keep);
  server.on('connect', (from: IncomingMessage, client: Socket, head: Buffer) => {
    tunnel(from, client, head).catch(() => client.destroy());
  });
  const port = await listen(server);
  return {
    proxyServer: `http://127.0.0.1:${port}`,
    allow(given) {
      exceptions = given;
    },
    failedHosts: () => failed,
    countRequest: () => {
      reported++;
    },
    exceeded,
    close: () =>
      new Promise((resolve) => {
        // Told also by a server that was closed before.
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
