/**
 * The way out of a rendered page: a name is resolved once, every answer must be an address that may be dialled, and the
 * very address that was checked is the one dialled (R-13, T-02, T-03, T-07).
 */
import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { limitTime, timedOut } from './limit-time.ts';

const resolveTimeoutMs = 5_000;
const dialTimeoutMs = 10_000;
const mostDials = 3;

/** Where names and connections come from; handed in, so that tests dial nobody. */
export interface Network {
  /** Every address of a name, IPv4 and IPv6. */
  resolve(name: string): Promise<readonly string[]>;
  /** An open connection to an address (never a name). */
  dial(address: string, port: number): Promise<Socket>;
}

/** The machine's own resolver and sockets. */
export const systemNetwork: Network = {
  resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  dial: (address, port) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: address, port });
      socket.setTimeout(dialTimeoutMs, () => socket.destroy(new Error('no connection in time')));
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.setTimeout(0);
        socket.off('error', reject);
        resolve(socket);
      });
    }),
};

/** Which names may be looked up, and which addresses, theirs or given as literals, may be dialled. */
export interface AddressRule {
  readonly mayResolve: (name: string) => boolean;
  readonly mayDial: (address: string) => boolean;
}

/** A host could not be reached: `forbidden` by its address, or just `unreachable`. */
export type NoWay = 'forbidden' | 'unreachable';

/**
 * Opens a connection to a host, if every address of it may be dialled.
 * @param hostname as the URL parser writes it: a lower-case name, an IPv4 in dotted form, or an IPv6 in brackets
 */
export async function reachHost(
  hostname: string,
  port: number,
  { mayResolve, mayDial }: AddressRule,
  network: Network,
  clock: Clock,
): Promise<Socket | NoWay> {
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (isIP(literal) === 0 && !mayResolve(literal)) return 'forbidden';
  const answers = isIP(literal)
    ? [literal]
    : await limitTime(clock, resolveTimeoutMs, network.resolve(literal)).catch(() => []);
  if (answers === timedOut || answers.length === 0) return 'unreachable';
  if (!answers.every((address) => isIP(address) !== 0 && mayDial(address))) return 'forbidden';
  for (const address of answers.slice(0, mostDials)) {
    const socket = await network.dial(address, port).catch(() => undefined);
    if (socket !== undefined) return socket;
  }
  return 'unreachable';
}
