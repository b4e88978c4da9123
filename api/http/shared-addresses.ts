/**
 * Finds proxies that are set up so that limits count the wrong address: those that nobody named, whose clients share one,
 * and those that pass connections on without naming their clients, who may then name themselves.
 */
import type { IncomingMessage } from 'node:http';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import { plainAddress } from '../../runtime/plain-address.ts';
import { isNamedByHeader } from '../../runtime/proxy-header.ts';
import { type AddressRange, trustedPeers } from './caller-address.ts';

/** So many clients behind one address are reported. */
export const manyClients = 3;
const hourMs = 3_600_000;
/** The bounds within which headers of strangers are kept: they fill neither memory nor the log. */
const maxPeers = 100;
const maxHeaderLength = 1_000;
const ownMachine = /^127\.|^::1$/;

/** The watch over addresses that several clients share. */
export interface SharedAddresses {
  /** Notes for whom a request came by its header, where the peer is not a named proxy. */
  note(request: Pick<IncomingMessage, 'socket' | 'headers'>): void;
  /**
   * Notes a request of a frame. Frames write no forwarding headers, so a request without any reveals a named proxy that
   * adds none: it would also pass on whatever anybody else writes there.
   */
  noteFrame(request: Pick<IncomingMessage, 'socket' | 'headers'>): void;
  /** Returns whether many clients shared an address in the last hour. */
  found(): boolean;
}

interface Peer {
  readonly clients: Set<string>;
  since: number;
  toldAt: number;
}

/** Opens the watch. It warns once a day of each address. */
export function watchSharedAddresses(
  trusted: readonly AddressRange[],
  { clock, logger }: { readonly clock: Pick<Clock, 'now'>; readonly logger: Pick<Logger, 'warn'> },
): SharedAddresses {
  const isTrusted = trustedPeers(trusted);
  const peers = new BoundedMap<string, Peer>(maxPeers);
  /** When a proxy that names no clients was logged last, by its address. */
  const nameless = new BoundedMap<string, number>(maxPeers);
  let foundAt = Number.NEGATIVE_INFINITY;

  function peerOf(address: string, now: number): Peer {
    const known = peers.get(address);
    if (known !== undefined && now - known.since < hourMs) return known;
    const peer = { clients: new Set<string>(), since: now, toldAt: known?.toldAt ?? Number.NEGATIVE_INFINITY };
    peers.set(address, peer);
    return peer;
  }

  return {
    note({ socket, headers }) {
      const header = headers['x-forwarded-for'];
      if (header === undefined || isNamedByHeader(socket)) return;
      const written = String(header);
      const address = plainAddress(socket.remoteAddress ?? '') ?? '';
      if (address === '' || written.length > maxHeaderLength || isTrusted(address)) return;
      const client = plainAddress(written.slice(written.lastIndexOf(',') + 1).trim());
      if (client === undefined || client === address) return;
      const now = clock.now();
      const peer = peerOf(address, now);
      if (peer.clients.size < manyClients) peer.clients.add(client);
      if (peer.clients.size < manyClients) return;
      foundAt = now;
      if (now - peer.toldAt < 24 * hourMs) return;
      peer.toldAt = now;
      logger.warn(
        { address, hint: `if it is a proxy of yours: PAPERGATE_TRUSTED_PROXIES=${address}` },
        'many clients share one address that names them in X-Forwarded-For and is not a named proxy: wrong codes of one lock out all',
      );
    },
    noteFrame({ socket, headers }) {
      if (headers['x-forwarded-for'] !== undefined || isNamedByHeader(socket)) return;
      const address = plainAddress(socket.remoteAddress ?? '') ?? '';
      // Simulated frames of this machine come from loopback, where a proxy may be, too.
      if (!isTrusted(address) || ownMachine.test(address)) return;
      const now = clock.now();
      if (now - (nameless.get(address) ?? Number.NEGATIVE_INFINITY) < 24 * hourMs) return;
      nameless.set(address, now);
      logger.warn(
        { address, hint: 'let it begin connections with the PROXY protocol, version 2 (HAProxy: send-proxy-v2)' },
        'a named proxy passed on the request of a frame without the address of its client: anyone who comes this way is believed about X-Forwarded-For',
      );
    },
    found: () => clock.now() - foundAt < hourMs,
  };
}

/**
 * Returns why a proxy that is not named probably stands in front; undefined where nothing suggests it. The service
 * speaks plain HTTP, so HTTPS must come from something in front of it.
 */
export function unnamedProxy(publicUrl: string | undefined, trusted: readonly unknown[]): string | undefined {
  if (publicUrl === undefined || !/^https:/i.test(publicUrl) || trusted.length > 0) return undefined;
  return 'PAPERGATE_PUBLIC_URL is https, so a proxy stands in front, and PAPERGATE_TRUSTED_PROXIES names none: all its clients share the limits of one address';
}

/** The next step. */
export const unnamedProxyHint =
  'name the address from which the proxy reaches the service: PAPERGATE_TRUSTED_PROXIES=127.0.0.1 for one on this machine';
