/** Finds out under which address the caller reaches the service: its origin, and the path prefix of a reverse proxy. */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { isNamedByHeader } from '../../runtime/proxy-header.ts';
import { type AddressRange, trustedPeers } from './caller-address.ts';

/** How the caller reaches the service. */
export interface RequestOrigin {
  /** The origin as browsers write it, such as `https://paper.example:8443`; empty when the request names no host. */
  readonly origin: string;
  readonly isHttps: boolean;
  /** Empty, or a path with a slash in front and none at its end, such as `/papergate`. */
  readonly prefix: string;
  /** The address to give to others: the one that the operator named, else the one that the caller uses. */
  readonly base: string;
  /** The hosts, with their ports, whose pages are the service's own: that of the origin, and that of the public address. */
  readonly ownHosts: readonly string[];
}

/** A path that cannot leave an attribute of a page, a header or the origin. */
const plainPrefix = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,63}){1,8}$/;

/**
 * Returns the reader. `X-Forwarded-Proto`, `X-Forwarded-Host` and `X-Forwarded-Prefix` are believed only from trusted
 * proxies, on connections of their own: the nearest one writes them last.
 * @param publicUrl the address that the operator named; its scheme and path hold for requests to its host unless a
 * proxy states otherwise
 */
export function requestOrigin(
  trusted: readonly AddressRange[],
  publicUrl: string | undefined,
): (request: Pick<IncomingMessage, 'socket' | 'headers'>) => RequestOrigin {
  const isTrusted = trustedPeers(trusted);
  const named = publicUrl === undefined ? undefined : new URL(publicUrl);
  return ({ socket, headers }) => {
    const isProxys = isTrusted(socket.remoteAddress ?? '') && !isNamedByHeader(socket);
    const told = isProxys ? headers : {};
    const host = lastOf(told['x-forwarded-host']) ?? headers.host ?? '';
    const isNamed = named !== undefined && originOf(named.protocol, host) === named.origin;
    const scheme = lastOf(told['x-forwarded-proto']) ?? (isNamed ? named.protocol.slice(0, -1) : 'http');
    const isHttps = socket instanceof TLSSocket || scheme === 'https';
    const origin = originOf(isHttps ? 'https:' : 'http:', host);
    const prefix = (lastOf(told['x-forwarded-prefix']) ?? (isNamed ? named.pathname : '')).replace(/\/$/, '');
    const ownHosts = [origin === '' ? '' : new URL(origin).host, named?.host ?? ''].filter((own) => own !== '');
    const path = plainPrefix.test(prefix) ? prefix : '';
    const base = publicUrl?.replace(/\/$/, '') ?? `${origin}${path}`;
    return { origin, isHttps, prefix: path, base, ownHosts };
  };
}

/** Returns the origin of a host; empty for a text that is more than a host and a port, or less. */
function originOf(protocol: string, host: string): string {
  const text = `${protocol}//${host}`;
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(text)) return '';
  return new URL(text).origin;
}

const lastOf = (header: string | readonly string[] | undefined): string | undefined =>
  header === undefined ? undefined : String(header).split(',').at(-1)?.trim();
