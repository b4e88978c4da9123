/**
 * Opens the way to a host that somebody else named: a name is resolved once, every answer is checked, and the very
 * address that was checked is the one dialled. Every outgoing connection goes this way.
 */

import { isIP, isIPv4, type Socket } from 'node:net';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Network } from './network.ts';
import { checkHost, isPublicAddress, loopbackAddresses } from './public-address.ts';

/** The time for which one of several addresses may keep the others waiting. */
const dialTimeoutMs = 4_000;
/** The most addresses of a name; a name with more is not worth the work (NS-10). */
const maxAddresses = 32;
const maxDials = 4;

/** The rule for which hosts may be asked. */
export interface AddressRule {
  /**
   * Returns the addresses of a host that has them by definition, and undefined for any other; left out, no host has
   * them.
   */
  readonly addressesOf?: (hostname: string) => readonly string[] | undefined;
  /** Returns whether a name is looked up at all. */
  readonly mayResolve: (name: string, destination: Destination) => boolean;
  /** Judges every address, whether it was given as a literal or is the answer of a name server. */
  readonly mayDial: (address: string, destination: Destination) => boolean;
  /**
   * Chooses the answers of a name that are dialled, each of which `mayDial` admits; none refuses the name. Left out, one
   * answer that may not be dialled spoils all of them (T-03).
   */
  readonly choose?: (answers: readonly string[], destination: Destination) => readonly string[];
  /** Whether names are resolved as this machine itself knows them. */
  readonly asMachine?: boolean;
  /** Says why a name or an address is refused; left out, or undefined, that it is not public. */
  readonly refusal?: (host: string) => Reason | undefined;
}

/** The rule for hosts that strangers choose: they must be public (T-01). */
export const publicHosts: AddressRule = {
  mayResolve: (name) => checkHost(name).kind === 'name',
  mayDial: (address) => isPublicAddress(address),
};

/** The rule for explicit loopback hosts, for development. */
export const loopbackHosts: AddressRule = {
  addressesOf: loopbackAddresses,
  mayResolve: () => false,
  mayDial: () => false,
};

/** The rule for hosts that the operator chose, which may be inside the network. */
export const anyHost: AddressRule = { mayResolve: () => true, mayDial: () => true };

/** The place that a connection leads to. */
export interface Destination {
  /** The host as the URL parser writes it: a lower-case name, an IPv4 in dotted form, or an IPv6 in brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Whether TLS begins at once. */
  readonly secure: boolean;
}

/** The reason why a host was not reached, in words that may be stored and logged. */
export class NoWay extends ReasonedError {
  /** Says that the host must not be asked, rather than that it did not answer. */
  readonly isForbidden: boolean;

  constructor(reason: Reason, isForbidden = false) {
    super(reason);
    this.isForbidden = isForbidden;
  }
}

interface ReachHostDeps {
  readonly network: Network;
  readonly clock: Clock;
}

/**
 * Opens a connection to a host, if every address of it may be dialled. It ends with the signal, whatever it waits for.
 * @throws NoWay, the signal's reason, or the network's error
 */
export async function reachHost(
  { network, clock }: ReachHostDeps,
  destination: Destination,
  rule: AddressRule,
  signal: AbortSignal,
): Promise<Socket> {
  const addresses = await checkedAddresses(network, destination, rule, signal);
  let problem: unknown;
  for (const address of addresses.slice(0, maxDials)) {
    const patience = new AbortController();
    const timer = clock.after(dialTimeoutMs, () => patience.abort(new NoWay(reasonOf('host-silent'))));
    try {
      return await dialOne(network, destination, address, AbortSignal.any([signal, patience.signal]));
    } catch (error) {
      signal.throwIfAborted();
      problem = patience.signal.aborted ? patience.signal.reason : error;
    } finally {
      timer.cancel();
    }
  }
  throw problem;
}

/** Says why a host is never asked, as far as that is known without a look-up; undefined where it may be. */
export function refusedUnasked(destination: Destination, rule: AddressRule): Reason | undefined {
  const { hostname } = destination;
  const { addressesOf, mayResolve, mayDial, refusal } = rule;
  if (addressesOf?.(hostname) !== undefined) return undefined;
  const literal = literalOf(hostname);
  if (literal === undefined) {
    if (mayResolve(hostname, destination)) return undefined;
    return refusal?.(hostname) ?? reasonOf('host-not-public');
  }
  if (mayDial(literal, destination)) return undefined;
  return refusal?.(literal) ?? reasonOf('address-not-public');
}

/** Returns the place that the connection of a request leads to. */
export function destinationOf({ hostname, port, protocol }: URL): Destination {
  const secure = protocol === 'https:';
  return { hostname, port: Number(port || (secure ? 443 : 80)), secure };
}

/** Returns the addresses of a host that may be dialled, the widely reachable first. */
async function checkedAddresses(
  network: Network,
  destination: Destination,
  rule: AddressRule,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const why = refusedUnasked(destination, rule);
  if (why !== undefined) throw new NoWay(why, true);
  const { addressesOf, mayDial, refusal } = rule;
  const { hostname } = destination;
  const known = addressesOf?.(hostname);
  if (known !== undefined) return known;
  const literal = literalOf(hostname);
  // FACT-07: a literal never reaches a look-up
  if (literal !== undefined) return [literal];
  const answers = await answersOf(network, destination, rule, signal);
  const chosen = chosenOf(answers, destination, rule);
  if (chosen.length === 0) {
    const refused = answers.find((address) => !mayDial(address, destination)) ?? '';
    throw new NoWay(refusal?.(refused) ?? reasonOf('host-address-not-public'), true);
  }
  return [...chosen.filter((address) => isIPv4(address)), ...chosen.filter((address) => !isIPv4(address))];
}

/**
 * Returns the answers for a name. Entries of the `hosts` file, such as the loopback address of the machine's own name,
 * are skipped where none of them may be dialled.
 */
async function answersOf(
  network: Network,
  destination: Destination,
  rule: AddressRule,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const name = withoutRoot(destination.hostname);
  const ask = async (resolve: Network['resolve']): Promise<readonly string[]> => {
    const answers = await untilAborted(resolve(name, signal), signal);
    if (answers.length === 0) throw new NoWay(reasonOf('host-no-address'));
    if (answers.length > maxAddresses) throw new NoWay(reasonOf('host-many-addresses'));
    return answers;
  };
  if (rule.asMachine !== true || network.resolveAsMachine === undefined) return ask(network.resolve);
  const known = await ask(network.resolveAsMachine);
  return chosenOf(known, destination, rule).length > 0 ? known : ask(network.resolve).catch(() => known);
}

/** Returns the answers that are dialled: those that the rule chooses, or all if each may be (T-03). */
function chosenOf(
  answers: readonly string[],
  destination: Destination,
  { choose, mayDial }: AddressRule,
): readonly string[] {
  const mayAll = (): boolean => answers.every((address) => mayDial(address, destination));
  const chosen = choose?.(answers, destination) ?? (mayAll() ? answers : []);
  return chosen.every((address) => mayDial(address, destination)) ? chosen : [];
}

async function dialOne(
  network: Network,
  { hostname, port, secure }: Destination,
  address: string,
  signal: AbortSignal,
): Promise<Socket> {
  const named = secure && literalOf(hostname) === undefined;
  const socket = await network.dial(
    { address, port, secure, ...(named && { servername: withoutRoot(hostname) }) },
    signal,
  );
  if (!signal.aborted && isSameAddress(socket.remoteAddress, address)) return socket;
  // The address is checked before anything is written: the dialled one must be the checked one.
  socket.destroy();
  signal.throwIfAborted();
  throw new NoWay(reasonOf('host-address-changed'));
}

/** Returns the address that a host is, or undefined when it is a name. */
function literalOf(hostname: string): string | undefined {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(address) === 0 ? undefined : address;
}

/** Returns a name without the dot that stands for the root. */
const withoutRoot = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name);

function isSameAddress(remote: string | undefined, dialled: string): boolean {
  return remote !== undefined && canonical(remote) === canonical(dialled);
}

function canonical(address: string): string {
  return isIPv4(address) ? address : new URL(`http://[${address}]`).hostname;
}

/** Rejects as soon as the signal aborts, whether or not the work listens to it. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const giveUp = (): void => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    work.finally(() => signal.removeEventListener('abort', giveUp)).then(resolve, reject);
  });
}
