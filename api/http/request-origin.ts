/** Finds out under which address the caller reaches the service: its scheme, and the path prefix of a reverse proxy. */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { AddressRange } from './caller-address.ts';
import { trustedPeers } from './caller-address.ts';

/** How the caller reaches the service. */
export interface RequestOrigin {
  readonly isHttps: boolean;
  /** Empty, or a path with a slash in front and none at its end, such as `/papergate`. */
  readonly prefix: string;
}

/** A path that cannot leave an attribute of a page, a header or the origin. */
const plainPrefix = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,63}){1,8}$/;

/**
 * Returns the reader. `X-Forwarded-Proto` and `X-Forwarded-Prefix` are believed only from trusted proxies: the nearest
 * one writes them last.
 * @param publicUrl the address that the operator named, whose scheme and path hold where no proxy says otherwise
 */
export function requestOrigin(
  trusted: readonly AddressRange[],
  publicUrl: string | undefined,
): (request: Pick<IncomingMessage, 'socket' | 'headers'>) => RequestOrigin {
  const isTrusted = trustedPeers(trusted);
  const named = publicUrl === undefined ? undefined : new URL(publicUrl);
  return ({ socket, headers }) => {
    const told = isTrusted(socket.remoteAddress ?? '') ? headers : {};
    const scheme = lastOf(told['x-forwarded-proto']);
    const prefix = lastOf(told['x-forwarded-prefix'])?.replace(/\/$/, '');
    const isHttps = socket instanceof TLSSocket || (scheme ?? named?.protocol.replace(':', '')) === 'https';
    return { isHttps, prefix: prefix !== undefined && plainPrefix.test(prefix) ? prefix : '' };
  };
}

const lastOf = (header: string | readonly string[] | undefined): string | undefined =>
  header === undefined ? undefined : String(header).split(',').at(-1)?.trim();
