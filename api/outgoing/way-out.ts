/**
 * The way out of the service that strangers share: it bounds how many hosts are looked up and dialled at once, for one
 * sharer and in all. A connection that waits for a silent name server or a black hole soon steps aside, so that nobody
 * waits for it.
 */
import type { Socket } from 'node:net';
import type { Clock } from '../../runtime/clock.ts';
import { fairShares, type Place, type Sharer } from '../../runtime/fair-shares.ts';
import type { Network } from './network.ts';
import { type AddressRule, type Destination, reachHost } from './reach-host.ts';
import { defaultUserAgent } from './who-asks.ts';

/** The numbers of ways; each is a look-up with a socket or two, or a connection that is being made. */
const ways = { atOnce: 128, ofOne: 32, aside: { inAll: 1_024, ofOne: 128 } } as const;
/** The time after which a way steps aside: hosts that answer at all mostly have by then. */
const patienceMs = 500;

/** A destination that is to be reached, and the sharer that it is for. */
export interface Way {
  readonly sharer: Sharer;
  readonly destination: Destination;
  readonly rule: AddressRule;
  /** The signal that takes the way back, whether it waits or is under way. */
  readonly signal: AbortSignal;
}

export interface WayOut {
  /** Makes a connection as `reachHost` does, when the sharer's turn comes. */
  reach(way: Way): Promise<Socket>;
  /** The clock that bounds the use of this way. */
  readonly clock: Clock;
  /** The name under which other servers are asked. */
  readonly userAgent: string;
}

/** The dependencies of a way out. `userAgent` left out is the name of a browser with the service's own behind. */
export interface WayOutDeps {
  readonly network: Network;
  readonly clock: Clock;
  readonly userAgent?: string;
}

/** Opens the way out of a process. */
export function openWayOut(deps: WayOutDeps): WayOut {
  const { clock, userAgent = defaultUserAgent } = deps;
  const shares = fairShares(ways);

  /** Lets a way step aside after a while, and tries again as long as there is no room. */
  function whenSlow(place: Place): { cancel(): void } {
    const stepAside = (): void => {
      if (!place.stepAside()) timer = clock.after(patienceMs, stepAside);
    };
    let timer = clock.after(patienceMs, stepAside);
    return { cancel: () => timer.cancel() };
  }

  return {
    clock,
    userAgent,
    reach: ({ sharer, destination, rule, signal }) =>
      shares.run(
        sharer,
        async (place) => {
          const slow = whenSlow(place);
          try {
            return await reachHost(deps, destination, rule, signal);
          } finally {
            slow.cancel();
          }
        },
        signal,
      ),
  };
}

/** A way that leads nowhere, for services that are played: every connection is refused. */
export const noWayOut = (clock: Clock): WayOut => ({
  clock,
  userAgent: '',
  reach: () => Promise.reject(new Error('nothing is reached from here')),
});
