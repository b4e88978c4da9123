/** Finds the address that a request counts for: the peer's, or behind trusted proxies the one that they name. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { plainAddress } from '../../runtime/plain-address.ts';
import { isNamedByHeader } from '../../runtime/proxy-header.ts';

/** Addresses that share their first `prefix` bits. */
export interface AddressRange {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/**
 * The number of hops that are looked at. Nobody has more proxies of their own, and a list may be as long as the headers
 * allow.
 */
const maxHops = 32;

/** Reads an address that a person wrote, or a range such as `10.0.0.0/8`; `problem` states why the text is neither. */
export function readRange(text: string): AddressRange | { readonly problem: string } {
  const [written = '', bits, ...more] = text.trim().split('/');
  const address = written.includes('%') ? undefined : plainAddress(written);
  if (address === undefined || more.length > 0) return { problem: 'is neither an address nor a range like 10.0.0.0/8' };
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const most = family === 'ipv4' ? 32 : 128;
  // In an IPv4 range that is written as IPv6, the first 96 bits only mark it as one.
  const given = bits === undefined ? most : Number(bits) - (isIP(written) === 6 && family === 'ipv4' ? 96 : 0);
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || given < 0 || given > most)) {
    return { problem: `has no prefix of 1 to ${most} bits` };
  }
  // If everybody may name the caller's address, a caller has as many buckets as there are addresses.
  if (given === 0) return { problem: 'trusts everybody' };
  return { address, prefix: given, family };
}

/** Returns the check whether an address is one of the trusted proxies. */
export function trustedPeers(trusted: readonly AddressRange[]): (address: string) => boolean {
  // Each family has a list of its own: in a single one, a range of IPv6 that begins with zeros would hold all of IPv4.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const { address, prefix, family } of trusted) lists[family].addSubnet(address, prefix, family);
  return (written) => {
    const address = plainAddress(written) ?? written;
    if (isIP(address) === 0) return false;
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    return lists[family].check(address, family);
  };
}

/**
 * Returns the address that a request counts for, in one spelling; empty when the connection is gone. `X-Forwarded-For`
 * is read from its end, and only as far as its writers are trusted: everything left of the first untrusted address may
 * be invented. No other header is believed, and on a connection whose client the PROXY protocol names not this one either:
 * that client wrote it.
 * @param trusted proxies that name their callers truly
 */
export function callerAddress(
  trusted: readonly AddressRange[],
): (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string {
  const isTrusted = trustedPeers(trusted);

  return ({ socket, headers }) => {
    const { remoteAddress = '' } = socket;
    let caller = plainAddress(remoteAddress) ?? remoteAddress;
    // Node joins the lines of this header in their order.
    let rest = isNamedByHeader(socket) ? '' : String(headers['x-forwarded-for'] ?? '');
    for (let hops = 0; hops < maxHops && rest !== '' && isTrusted(caller); hops++) {
      const comma = rest.lastIndexOf(',');
      const named = readHop(rest.slice(comma + 1).trim());
      // The hop is `unknown`, or a typo: the proxy that wrote it is the last one that is known.
      if (named === undefined) break;
      caller = named;
      rest = rest.slice(0, Math.max(0, comma));
    }
    return caller;
  };
}

/** Reads an address as proxies write it: with or without a port, IPv6 with or without brackets. */
function readHop(text: string): string | undefined {
  if (text.length > 64) return undefined;
  const [, bracketed, dotted] = /^\[([^\]]*)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  return plainAddress(bracketed ?? dotted ?? text);
}
