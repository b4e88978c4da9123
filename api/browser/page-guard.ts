/**
 * The guard around a rendered page: a forward proxy on loopback, one listener per render, through which the page's
 * whole browser context must go. Names and literals get the same check; caps end a page that takes too much.
 */

import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Reason } from '../../reasons/reason.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { type HomeNetworks, noHomeNetworks } from '../outgoing/home-networks.ts';
import { type AddressRule, type Destination, loopbackHosts } from '../outgoing/reach-host.ts';
import type { WayOut } from '../outgoing/way-out.ts';
import { type FirstPage, homeVisit } from './home-visit.ts';
import type { HouseTls } from './house-tls.ts';
import { type Failure, pageReach } from './page-reach.ts';
import { socketSet, trafficCount } from './passage-traffic.ts';
import { type Closing, proxyServer } from './proxy-server.ts';

/** The owner of a render, and the origin that it may reach besides the public network. */
interface PassageOptions {
  readonly sharer?: Sharer | undefined;
  /** The one development origin, which must lie on loopback. */
  readonly origin?: URL | undefined;
  /** The website that a person named, which may be of the home network; left out, nothing there is reached. */
  readonly website?: URL | undefined;
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
  /** Returns whether the page may open a document, of itself or in a frame. It may not leave the house for outside. */
  mayOpen(document: URL): boolean;
  /** Takes the home network away: something was opened that was not judged. */
  leaveHouse(): void;
  /** Returns whether documents have to be judged before they are opened. */
  judgesDocuments(): boolean;
  /** Counts a request that the browser reports; requests inside a tunnel are visible to nobody else. */
  countRequest(): void;
  /** Counts the bytes that the page got past the guard. */
  countBytes(given: number): void;
  /** Returns the limit that this render exceeded, worded for a person; once there is one, nothing is let through. */
  exceeded(): Reason | undefined;
  close(): Promise<void>;
}

/** Makes a passage's server listen where a browser finds it on its loopback, and returns the port. */
export type Listen = (server: Server) => Promise<number>;

/** The guard hands out passages. */
export interface PageGuard {
  /** @param listen without it, the browser is in the service's own network */
  open(listen?: Listen): Promise<Passage>;
}

export interface PageGuardDeps {
  /** The hosts that pages may reach. */
  readonly rule: AddressRule;
  readonly wayOut: WayOut;
  /** The home network; left out, there is none. */
  readonly home?: HomeNetworks | undefined;
  /** The key under which hosts of the house are handed on; left out, the browser judges their certificates. */
  readonly houseTls?: (() => Promise<HouseTls>) | undefined;
}

const nobody: Sharer = ['nobody'];
const hostAndPort = (url: URL): string => `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;

/** Notes failures by host, without the port that goes without saying. */
const noteIn =
  (failed: Map<string, Failure>) =>
  (asked: string, isTunnel: boolean, failure: Failure): void =>
    void failed.set(asked.replace(isTunnel ? /:443$/ : /:80$/, ''), failure);

const destinationOf = (target: URL): Destination => {
  const asked = hostAndPort(target);
  return { hostname: target.hostname, port: Number(asked.slice(asked.lastIndexOf(':') + 1)), secure: false };
};

const firstPageOf = ({ sharer, website }: PassageOptions): FirstPage | undefined =>
  website && { organizationId: sharer?.[0] ?? '', host: hostAndPort(website) };

export function createPageGuard(deps: PageGuardDeps): PageGuard {
  return { open: (listen = listenHere) => openPassage(deps, listen) };
}

async function listenHere(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function openPassage(
  { rule, wayOut, home = noHomeNetworks, houseTls }: PageGuardDeps,
  listen: Listen,
): Promise<Passage> {
  const failed = new Map<string, Failure>();
  const sockets = socketSet();
  const traffic = trafficCount();
  const reachHost = pageReach(wayOut);
  const ended = new AbortController();
  let options: PassageOptions = {};
  let visit = homeVisit(home, rule, undefined);
  const note = noteIn(failed);

  /** Opens the way of one request. `target` was parsed from the browser's text; for a tunnel it has no path. */
  async function reach(target: URL, isTunnel: boolean, client: Closing): Promise<Socket | Failure> {
    traffic.countAsked();
    if (traffic.exceeded() !== undefined) return 'forbidden';
    const asked = hostAndPort(target);
    const { sharer = nobody, origin } = options;
    const isOrigin = origin !== undefined && hostAndPort(origin) === asked;
    const left = new AbortController();
    client.once('close', () => left.abort());
    const signal = AbortSignal.any([ended.signal, left.signal]);
    const judged = visit.judge(asked);
    const way = await reachHost(sharer, destinationOf(target), isOrigin ? loopbackHosts : judged.rule, signal);
    if (typeof way === 'string') {
      if (!signal.aborted) note(asked, isTunnel, way === 'forbidden' && visit.isHeld(asked) ? 'outside' : way);
      return way;
    }
    judged.made();
    sockets.keep(way);
    if (signal.aborted) way.destroy(); // Nobody waits for it any longer.
    return way;
  }

  const server = proxyServer({
    reach,
    keep: sockets.keep,
    count: traffic.count,
    house: (target) => (visit.isAtHome(hostAndPort(target)) ? houseTls?.() : undefined),
    distrust: (target) => note(hostAndPort(target), true, 'certificate'),
  });
  const port = await listen(server);
  return {
    proxyServer: `http://127.0.0.1:${port}`,
    allow(given) {
      options = given;
      visit = homeVisit(home, rule, home.isFor(given.sharer?.[0] ?? '') ? firstPageOf(given) : undefined);
    },
    failedHosts: () => failed,
    judgesDocuments: () => options.website !== undefined && home.isFor(options.sharer?.[0] ?? ''),
    leaveHouse: () => visit.leave(),
    mayOpen(document) {
      const asked = hostAndPort(document);
      const may = visit.mayOpen(asked);
      if (!may) note(asked, document.protocol === 'https:', 'outside');
      return may;
    },
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
