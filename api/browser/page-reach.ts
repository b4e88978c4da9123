/** One render's share of the way out: the number of hosts it may name, and of hosts it may ask for at once. */

import type { Socket } from 'node:net';
import { reasonOf } from '../../reasons/reason.ts';
import { fairShares, type Sharer } from '../../runtime/fair-shares.ts';
import { type AddressRule, type Destination, NoWay } from '../outgoing/reach-host.ts';
import type { WayOut } from '../outgoing/way-out.ts';

/** The hosts that one page may name: look-ups and connecting are most of the cost of a page for others. */
const maxHosts = 128;
/** The look-ups and connections under way at once. A browser asks its proxy for few more. */
const maxAtOnce = 16;
/** The time limit of queueing, look-up and connection together. */
const reachTimeoutMs = 10_000;

/**
 * A host could not be reached: `forbidden` by its address, one of `too many`, or just `unreachable`; or it lies `outside`
 * and was to be opened within a page of the house; or its `certificate` is not valid.
 */
export type Failure = 'forbidden' | 'too many' | 'unreachable' | 'outside' | 'certificate';

/** Reaches hosts for one render. */
export type PageReach = (
  sharer: Sharer,
  destination: Destination,
  rule: AddressRule,
  signal: AbortSignal,
) => Promise<Socket | Failure>;

/** Makes the share of one render. */
export function pageReach(wayOut: WayOut): PageReach {
  const places = fairShares({ atOnce: maxAtOnce });
  const hosts = new Set<string>();
  return async (sharer, destination, rule, signal) => {
    const { hostname } = destination;
    if (!hosts.has(hostname) && hosts.size >= maxHosts) return 'too many';
    hosts.add(hostname);
    const late = new AbortController();
    const timer = wayOut.clock.after(reachTimeoutMs, () => late.abort(new NoWay(reasonOf('host-silent'))));
    const patience = AbortSignal.any([signal, late.signal]);
    const way = { sharer, destination, rule, signal: patience };
    try {
      // The queue is by host: a silent host does not hold up the other hosts of a page.
      return await places.run([hostname], () => wayOut.reach(way), patience);
    } catch (error) {
      return error instanceof NoWay && error.isForbidden ? 'forbidden' : 'unreachable';
    } finally {
      timer.cancel();
    }
  };
}
