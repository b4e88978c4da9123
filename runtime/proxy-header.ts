/**
 * The header with which a load balancer begins a connection, before anything of its client: PROXY protocol, version 2. It
 * names the peer that the balancer saw. (The specification is HAProxy's `doc/proxy-protocol.txt`.)
 */
import type { Socket } from 'node:net';
import type { Clock } from './clock.ts';
import { plainAddress } from './plain-address.ts';

/** The bytes with which every header of version 2 begins; no TLS handshake and no request of HTTP does. */
const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
/** The signature, version and command, family, and the length of the rest. */
const fixedBytes = signature.length + 4;
/** The longest rest: two Unix sockets, and extensions in as many bytes again. */
const maxRestBytes = 520;
/** The time for the whole header. A balancer writes it together with its first packet. */
const headerMs = 1_000;

/** A peer as a balancer names it. */
export interface NamedPeer {
  readonly address: string;
  readonly port: number;
}

/**
 * The first bytes of a connection. `health` is the balancer's own check: it speaks for nobody. `silent` is a connection
 * that has too few bytes after a second.
 */
export type ProxyHeader =
  | { readonly kind: 'none' | 'health' }
  | { readonly kind: 'peer'; readonly peer: NamedPeer }
  | { readonly kind: 'broken' | 'silent'; readonly problem: string };

/** Returns the number of bytes that follow the fixed part; undefined when the connection does not begin with a header. */
function restBytes(fixed: Buffer): number | undefined {
  return fixed.subarray(0, signature.length).equals(signature) ? fixed.readUInt16BE(fixedBytes - 2) : undefined;
}

/** Reads a whole header. */
function readHeader(fixed: Buffer, rest: Buffer): ProxyHeader {
  const [version, command] = [(fixed[12] as number) >> 4, (fixed[12] as number) & 15];
  if (version !== 2 || command > 1)
    return { kind: 'broken', problem: 'is of a version or a command that is not known' };
  if (command === 0) return { kind: 'health' };
  const family = fixed[13] as number;
  if (family === 0x11 && rest.length >= 12) {
    return { kind: 'peer', peer: { address: rest.subarray(0, 4).join('.'), port: rest.readUInt16BE(8) } };
  }
  if (family === 0x21 && rest.length >= 36) {
    const groups = Array.from({ length: 8 }, (_, at) => rest.readUInt16BE(at * 2).toString(16));
    const written = groups.join(':');
    return { kind: 'peer', peer: { address: plainAddress(written) ?? written, port: rest.readUInt16BE(32) } };
  }
  return { kind: 'broken', problem: 'names a peer that is neither TCP over IPv4 nor over IPv6' };
}

/**
 * Takes the header off a socket that nobody reads yet, and leaves what follows in it. A connection without a header, or
 * without a byte, is left as it is. Resolves `broken` also when the header does not end.
 */
export function takeProxyHeader(socket: Socket, clock: Pick<Clock, 'after'>): Promise<ProxyHeader> {
  return new Promise((resolve) => {
    let fixed: Buffer | undefined;
    const end = (header: ProxyHeader): void => {
      timer.cancel();
      socket.off('readable', look).off('close', gone);
      resolve(header);
    };
    // A balancer that only looks whether the port is open connects, and goes away.
    const gone = (): void => end(fixed === undefined ? { kind: 'none' } : { kind: 'broken', problem: 'was not ended' });
    const timer = clock.after(headerMs, () => {
      end({ kind: fixed === undefined ? 'silent' : 'broken', problem: 'did not come within a second' });
    });
    const look = (): void => {
      fixed ??= socket.read(fixedBytes) ?? undefined;
      if (fixed === undefined) return;
      const length = restBytes(fixed);
      if (length === undefined) {
        socket.unshift(fixed);
        end({ kind: 'none' });
        return;
      }
      if (length > maxRestBytes) {
        end({ kind: 'broken', problem: `is longer than ${fixedBytes + maxRestBytes} bytes` });
        return;
      }
      const rest = length === 0 ? Buffer.alloc(0) : (socket.read(length) as Buffer | null);
      if (rest !== null) end(readHeader(fixed, rest));
    };
    socket.on('readable', look).once('close', gone);
    look();
  });
}

/** The sockets that a header named. */
const named = new WeakSet<Socket>();

/** Gives a socket the address and port of the peer that its header named. */
export function nameSocket(socket: Socket, { address, port }: NamedPeer): void {
  Object.defineProperties(socket, { remoteAddress: { value: address }, remotePort: { value: port } });
  named.add(socket);
}

/** Returns whether the address of a socket is the one that its header named: what follows is the peer's own word. */
export const isNamedByHeader = (socket: Socket): boolean => named.has(socket);
