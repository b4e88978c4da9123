/**
 * The guard around a rendered page: a forward proxy on loopback, one listener per render, through which the page's
 * whole browser context must go. Names and literals get the same check; caps end a page that takes too much.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { type Sentence, said } from '../../runtime/said-sentence.ts';
import { type AddressRule, loopbackHosts } from '../outgoing/reach-host.ts';
import type { WayOut } from '../outgoing/way-out.ts';
import { type Failure, pageReach } from './page-reach.ts';
import { relayRequest, relayTunnel } from './relay.ts';

/**
 * The requests that a single render may make, and the bytes that it may send and receive together. Over TLS a tunnel
 * counts as one request.
 */
const maxRequests = 500;
const maxBytes = 64 * 1024 * 1024;

/** Sockets of a browser that one render may hold: more than a browser opens to its proxy. */
const maxSockets = 96;

/** The owner of a render, and the origin that it may reach beside the public network. */
interface PassageOptions {
  readonly sharer?: Sharer | undefined;
  /** The one development origin, which must lie on loopback. */
  readonly origin?: URL | undefined;
}

/** One render's way through the guard. */
export interface Passage {
  /** The address that the browser context takes as its proxy. */
  readonly proxyServer: string;
  /** Sets the options, before the page is opened. */
  allow(options: PassageOptions): void;
  /**
   * Returns the hosts that were refused or could not be reached, each with its reason, in the order they were first
   * asked for.
   */
  failedHosts(): ReadonlyMap<string, Failure>;
  /** Counts a request that the browser reports; requests inside a tunnel are visible to nobody else. */
  countRequest(): void;
  /** Counts the bytes that the page got past the guard. */
  countBytes(given: number): void;
  /** Returns the limit that this render exceeded, for a person; from then on nothing is let through. */
  exceeded(): Sentence | undefined;
  close(): Promise<void>;
}

/** Makes a passage's server listen where a browser finds it on its loopback, and returns the port. */
export type Listen = (server: Server) => Promise<number>;

/** The guard hands out passages. */
export interface PageGuard {
  /** @param listen without it, the browser is in the service's own network */
  open(listen?: Listen): Promise<Passage>;
}

/** The dependencies of the guard. */
export interface PageGuardDeps {
  /** The hosts that pages may reach. */
  readonly rule: AddressRule;
  readonly wayOut: WayOut;
}

/** A stream that tells when its client has gone. */
type Closing = Pick<Socket | ServerResponse, 'once'>;

const nobody: Sharer = ['nobody'];
const hostAndPort = (url: URL): string => `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;

export function createPageGuard(deps: PageGuardDeps): PageGuard {
  return { open: (listen = listenHere) => openPassage(deps, listen) };
}

async function listenHere(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function openPassage({ rule, wayOut }: PageGuardDeps, listen: Listen): Promise<Passage> {
  const failed = new Map<string, Failure>();
  const sockets = socketSet();
  const traffic = trafficCount();
  const reachHost = pageReach(wayOut);
  const ended = new AbortController();
  let options: PassageOptions = {};

  /** Opens the way of one request. `target` was parsed from the browser's text; for a tunnel it has no path. */
  async function reach(target: URL, isTunnel: boolean, client: Closing): Promise<Socket | Failure> {
    traffic.countAsked();
    if (traffic.exceeded() !== undefined) return 'forbidden';
    const asked = hostAndPort(target);
    const { sharer = nobody, origin } = options;
    const isOrigin = origin !== undefined && hostAndPort(origin) === asked;
    const port = Number(asked.slice(asked.lastIndexOf(':') + 1));
    const destination = { hostname: target.hostname, port, secure: false };
    const left = new AbortController();
    client.once('close', () => left.abort());
    const signal = AbortSignal.any([ended.signal, left.signal]);
    const way = await reachHost(sharer, destination, isOrigin ? loopbackHosts : rule, signal);
    if (typeof way === 'string') {
      if (!signal.aborted) failed.set(asked.replace(isTunnel ? /:443$/ : /:80$/, ''), way);
      return way;
    }
    sockets.keep(way);
    traffic.count(way);
    if (signal.aborted) way.destroy(); // Nobody waits for it any more.
    return way;
  }

  const server = proxyServer({ reach, keep: sockets.keep, count: traffic.count });
  const port = await listen(server);
  return {
    proxyServer: `http://127.0.0.1:${port}`,
    allow(given) {
      options = given;
    },
    failedHosts: () => failed,
    countRequest: traffic.countReported,
    countBytes: traffic.countBytes,
    exceeded: traffic.exceeded,
    close: () =>
      new Promise((resolve) => {
        ended.abort();
        // The callback also runs for a server that was closed before.
        server.close(() => resolve());
        sockets.destroyAll();
      }),
  };
}

/** The open sockets of a passage. */
function socketSet() {
  const sockets = new Set<Socket>();
  return {
    keep(socket: Socket): void {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    },
    destroyAll(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Counts what a page asks for and moves, against the limits of one render. */
function trafficCount() {
  let requests = 0;
  let reported = 0;
  let bytes = 0;

  function exceeded(): Sentence | undefined {
    if (requests > maxRequests || reported > maxRequests) return said('page-asks-much', { most: maxRequests });
    return bytes > maxBytes ? said('page-moves-much', { most: maxBytes / 1024 / 1024 }) : undefined;
  }

  return {
    exceeded,
    countAsked(): void {
      requests++;
    },
    countReported(): void {
      reported++;
    },
    countBytes(given: number): void {
      bytes += given;
    },
    /** Counts a stream's bytes, and ends it when they are too many. */
    count(stream: Readable): void {
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (exceeded() !== undefined) stream.destroy();
      });
    },
  };
}

/** The calls of the proxy on its passage. */
interface ProxyDeps {
  readonly reach: (target: URL, isTunnel: boolean, client: Closing) => Promise<Socket | Failure>;
  readonly keep: (socket: Socket) => void;
  readonly count: (stream: Readable) => void;
}

function proxyServer(deps: ProxyDeps): Server {
  const server = createServer((from, to) => {
    forward(deps, from, to).catch(() => to.destroy());
  });
  server.maxConnections = maxSockets;
  server.on('connection', deps.keep);
  server.on('connect', (from: IncomingMessage, client: Socket, head: Buffer) => {
    tunnel(deps, from, client, head).catch(() => client.destroy());
  });
  return server;
}

async function forward({ reach, count }: ProxyDeps, from: IncomingMessage, to: ServerResponse): Promise<void> {
  const target = URL.canParse(from.url ?? '') ? new URL(from.url ?? '') : undefined;
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
  relayRequest(from, to, target, way);
}

async function tunnel(deps: ProxyDeps, from: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
  deps.keep(client);
  const url = `http://${from.url ?? ''}`;
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || target.pathname !== '/' || target.username !== '' || target.password !== '') {
    client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    return;
  }
  const way = await deps.reach(target, true, client);
  if (typeof way === 'string') {
    client.end(`HTTP/1.1 ${way === 'unreachable' ? '502 Bad Gateway' : '403 Forbidden'}\r\n\r\n`);
    return;
  }
  deps.count(client);
  relayTunnel(client, way, head);
}
