/** The machine's network, handed in by the process entry: its name servers, and sockets to addresses. */

import { Resolver } from 'node:dns/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectSecurely } from 'node:tls';
import { reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { DialTarget, Network } from './network.ts';
import { type NameFiles, withOwnNames } from './own-names.ts';
import { NoWay } from './reach-host.ts';

/** The patience with a name server: a silent one is asked twice, and the next ones are, before the look-up is over. */
const patience = { timeout: 1_500, tries: 2 } as const;
/**
 * The time for which IPv4 answers wait for those of IPv6: a server that publishes both answers both, a broken server
 * one of them.
 */
const graceMs = 300;
/** The time limit of a look-up, which takes the answers that are there by then. */
const lookUpMs = 5_000;

/**
 * The dependencies of the machine's network. `nameServers` are `address:port`; anything left out defaults to the
 * machine's.
 */
export interface SystemDeps {
  readonly clock: Clock;
  readonly nameServers?: readonly string[];
  readonly nameFiles?: NameFiles;
}

/** Returns the addresses of this machine, as they are now. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
}

/** Makes the machine's network. */
export function systemNetwork({ clock, nameServers, nameFiles }: SystemDeps): Network {
  const network: Network = {
    resolve: (name, signal) => askNameServers(name, signal, clock, nameServers),
    dial: dialAddress,
  };
  return { ...network, resolveAsMachine: withOwnNames(network, nameFiles).resolve };
}

/**
 * Asks the name servers itself: no thread that a silent one could keep from everybody (T-65), no `hosts` file. Each
 * look-up has a resolver of its own, so that it ends alone. An answer that comes too late is not dialled, so it need
 * not be checked.
 */
async function askNameServers(
  name: string,
  signal: AbortSignal,
  clock: Clock,
  nameServers: readonly string[] | undefined,
): Promise<readonly string[]> {
  signal.throwIfAborted();
  const resolver = new Resolver(patience);
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  let isOver = false;
  let timer = clock.after(lookUpMs, () => {
    isOver = true;
    cancel();
  });
  const shorten = (): void => {
    timer.cancel();
    timer = clock.after(graceMs, cancel);
  };
  try {
    const asked = [resolver.resolve4(name), resolver.resolve6(name)] as const;
    asked[0].then(shorten, () => {});
    const families = await Promise.allSettled(asked);
    const answers = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    const [first] = families;
    if (answers.length > 0 || first.status === 'fulfilled') return answers;
    throw isOver && !signal.aborted ? new NoWay(reasonOf('name-servers-silent')) : first.reason;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', cancel);
  }
}

function dialAddress(target: DialTarget, signal: AbortSignal): Promise<Socket> {
  return new Promise<Socket>((resolve, reject) => {
    signal.throwIfAborted();
    const socket = open(target);
    const give = (): void => {
      socket.destroy(new Error('given up'));
    };
    signal.addEventListener('abort', give, { once: true });
    // The listener stays: an error after the connection changes nothing here, and must have a listener.
    socket.on('error', reject);
    socket.once('close', () => signal.removeEventListener('abort', give));
    socket.once(target.secure ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', give);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

function open({ address, port, secure, servername }: DialTarget): Socket {
  if (!secure) return connectPlain({ host: address, port });
  return connectSecurely({ host: address, port, ALPNProtocols: ['http/1.1'], ...(servername && { servername }) });
}
